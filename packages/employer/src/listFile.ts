import { listFromRecipients, type RecipientList, recipientsFromJson, recipientsToJson } from '@payouts/client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { Failure } from './failure.ts';
import { hexOf } from './hex.ts';

/**
 * The employer's own copy of a list as a file has it. Without its order and salts nobody could pay it or prove a payment, so it is kept
 * before its root is promised on the ledger. Private: it says who is paid how much.
 */
export const listText = (schedule: Address, list: RecipientList): string =>
  JSON.stringify({ schedule, recipients: recipientsToJson(list.recipients) });

/** The name of that file, which has public things only. */
export const listFileName = (schedule: Address, root: ReadonlyUint8Array): string => `${schedule}-${hexOf(root)}.json`;

/** A list from such a file; `where` names it. Throws `Failure` list-unreadable. */
export function listFrom(text: string, where: string): RecipientList {
  try {
    const { recipients } = JSON.parse(text) as { recipients?: unknown };
    return listFromRecipients(recipientsFromJson(recipients));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'it is not JSON' : (cause as Error).message;
    throw new Failure('list-unreadable', `The list in ${where} can't be read: ${why}`, { cause });
  }
}

/** What `POST /api/schedules` takes: the list that a schedule promises. */
export const registrationText = (schedule: Address, list: RecipientList): string =>
  JSON.stringify({ schedulePda: schedule, recipients: recipientsToJson(list.recipients) });
