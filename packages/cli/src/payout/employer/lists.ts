import {
  isSameBytes,
  listFromRecipients,
  type Payee,
  type RecipientJson,
  type RecipientList,
  recipientsFromJson,
  type Schedule,
  type Time,
} from '@payouts/client';
import { Failure, listOf, type NamedList, saltsSecret } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { found, privateRequest } from '../../requests.ts';
import { HARDWARE_REFUSES } from '../signer/ledgerWallet.ts';
import type { Signer } from '../signer/signer.ts';
import { TREASURY_REFUSES } from '../treasury.ts';
import { type BookOptions, keptList } from './book.ts';

const SIGN_NO_TEXT: readonly string[] = [HARDWARE_REFUSES, TREASURY_REFUSES];

/** The list of a payroll, with salts that the employer's key makes. A hardware wallet and a treasury can't: their lists have new ones each time. */
export async function saltedList(payees: readonly Payee[], mint: Address, employer: Signer): Promise<RecipientList> {
  const secret = await saltsSecret(employer).catch((error: unknown) => {
    if (error instanceof Failure && SIGN_NO_TEXT.includes(error.code)) return undefined;
    throw error;
  });
  return listOf(payees, mint, secret);
}

/**
 * The list that a schedule promises at present: from the employer's own copy, else from the coordinator, which knows no names. Undefined if
 * neither has it.
 * Throws `RequestRefused` when the coordinator can't be asked.
 */
export async function presentList(
  options: BookOptions & { readonly api: string; readonly time: Time },
  schedule: Address,
  { root }: Pick<Schedule, 'root'>,
  employer: Signer,
): Promise<NamedList | undefined> {
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
  if (isSameBytes(list.root, root)) return { ...list, names: new Map() };
  throw new Failure('list-replaced', 'The schedule got another list meanwhile. Try again.');
}
