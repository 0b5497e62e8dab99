import {
  type Converted,
  convertedFromJson,
  listFromRecipients,
  type RecipientList,
  recipientsFromJson,
  recipientsToJson,
} from '@payouts/client';
import type { PaidLine } from '@payouts/payroll';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { Failure } from './failure.ts';
import { hexOf } from './hex.ts';

/** A list with what the employer calls its people: the next one is compared with it by that, too. */
export type NamedList = RecipientList & {
  readonly names: ReadonlyMap<Address, string>;
  /** What is in a currency: for payslips. */
  readonly converted?: ConvertedEntries;
};

/**
 * The employer's own copy of a list as a file has it. Without its order and salts nobody could pay it or prove a payment, so it is kept
 * before its root is promised on the ledger. Private: it says who is paid how much.
 */
export const listText = (schedule: Address, { recipients, names, converted = new Map() }: NamedList): string =>
  JSON.stringify({
    schedule,
    recipients: recipientsToJson(recipients),
    names: Object.fromEntries(names),
    ...(converted.size > 0 && { converted: Object.fromEntries(converted) }),
  });

/** Entries of a list whose amounts were converted from a currency, by their index. */
export type ConvertedEntries = ReadonlyMap<number, Converted>;

/** Which entries of a list were converted, by the lines that it was made of. */
export function convertedIn(
  { recipients }: Pick<RecipientList, 'recipients'>,
  lines: readonly PaidLine[],
): ConvertedEntries {
  const keyOf = ({ recipient, amount, delivery = 'balance' }: PaidLine) => `${recipient} ${amount} ${delivery}`;
  const left = new Map<string, Converted[]>();
  for (const line of lines) {
    if (line.converted === undefined) continue;
    const key = keyOf(line);
    left.set(key, [...(left.get(key) ?? []), line.converted]);
  }
  const found = new Map<number, Converted>();
  if (left.size === 0) return found;
  for (const entry of recipients) {
    const converted = left.get(keyOf(entry))?.shift();
    if (converted !== undefined) found.set(entry.index, converted);
  }
  return found;
}

/** The name of that file, which has public things only. */
export const listFileName = (schedule: Address, root: ReadonlyUint8Array): string => `${schedule}-${hexOf(root)}.json`;

/** A list from such a file; `where` names it. Throws `Failure` list-unreadable. */
export function listFrom(text: string, where: string): NamedList {
  try {
    const { recipients, names, converted } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const list = listFromRecipients(recipientsFromJson(recipients));
    return { ...list, names: namesFrom(names), converted: convertedEntries(converted) };
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'it is not JSON' : (cause as Error).message;
    throw new Failure('list-unreadable', `The list in ${where} can't be read: ${why}`, { cause });
  }
}

/** Names by address, as a file has them. */
export function namesFrom(written: unknown): ReadonlyMap<Address, string> {
  const entries = Object.entries(written ?? {}).filter(([, name]) => typeof name === 'string');
  return new Map(entries as [Address, string][]);
}

/** Entries that were converted, as a file has them. Throws `ClientError` INVALID_LIST. */
export const convertedEntries = (json: unknown): ConvertedEntries =>
  new Map(Object.entries(json ?? {}).map(([index, each]) => [Number(index), convertedFromJson(each)]));

/** What `POST /api/schedules` takes: the list that a schedule promises. */
export const registrationText = (schedule: Address, list: RecipientList): string =>
  JSON.stringify({ schedulePda: schedule, recipients: recipientsToJson(list.recipients) });
