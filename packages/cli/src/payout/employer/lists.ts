import { createHmac } from 'node:crypto';
import {
  deriveSalt,
  listFromRecipients,
  prepareList,
  type RecipientJson,
  type RecipientList,
  recipientsFromJson,
  type Schedule,
  type Time,
} from '@payouts/client';
import type { PayrollLine } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { found, privateRequest } from '../../requests.ts';
import { Failure } from '../failure.ts';
import { HARDWARE_REFUSES } from '../signer/ledgerWallet.ts';
import type { Signer } from '../signer/signer.ts';
import { type BookOptions, keptList } from './book.ts';

/** What the employer's key signs for a secret of its own; it can be no transaction, which never begins with a letter. */
const SECRET_TEXT =
  'Payouts: the secret behind the salts of my recipients. Whoever has this signature can find out whom I pay: sign it for nobody else.';

/**
 * The list of a payroll. Salts come from a secret that only the employer's key can make (ed25519 signatures of a text are always
 * the same), so each recipient keeps one balance in all of the employer's lists and there is no further secret to keep.
 */
export async function listOf(lines: readonly PayrollLine[], mint: Address, employer: Signer): Promise<RecipientList> {
  const content = new TextEncoder().encode(SECRET_TEXT);
  const [signed] = await employer.signMessages([{ content, signatures: {} }]).catch((error: unknown) => {
    if (error instanceof Failure && error.code === HARDWARE_REFUSES) return [];
    throw error;
  });
  // A hardware wallet can't: new salts, and with them a new private balance for each recipient.
  if (signed === undefined) return prepareList(lines);
  const secret = createHmac('sha256', 'payouts salts')
    .update(signed[employer.address] as Uint8Array)
    .digest();
  return prepareList(lines, { saltFor: (recipient) => deriveSalt(secret, mint, recipient) });
}

/**
 * The list that a schedule promises at present: from the employer's own copy, else from the coordinator. Undefined if neither has it.
 * Throws `RequestRefused` when the coordinator can't be asked.
 */
export async function presentList(
  options: BookOptions & { readonly api: string; readonly time: Time },
  schedule: Address,
  { root }: Pick<Schedule, 'root'>,
  employer: Signer,
): Promise<RecipientList | undefined> {
  const kept = await keptList(options, schedule, new Uint8Array(root));
  if (kept !== undefined) return kept;
  const recipients: RecipientJson[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '5000', ...(cursor && { cursor }) });
    const path = `/api/schedules/${schedule}/recipients?${query}`;
    const request = privateRequest({ apiUrl: options.api, signer: employer, time: options.time }, path);
    const page = await found<{ recipients: RecipientJson[]; nextCursor?: string }>(request);
    if (page === undefined) return undefined;
    recipients.push(...page.recipients);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const list = listFromRecipients(recipientsFromJson(recipients));
  if (Buffer.compare(list.root, Buffer.from(root)) === 0) return list;
  throw new Failure('list-replaced', 'The schedule got another list meanwhile. Try again.');
}
