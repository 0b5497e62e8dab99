import { BLOCK_RECIPIENTS, recipientsOf } from '../domain/listRecords.ts';
import type { ListSource } from '../lists/listProofs.ts';
import { listKey } from '../store/crypto/listKey.ts';
import { isPaid, openPayments } from '../store/crypto/paymentRecord.ts';
import { openBlocks } from '../store/queries/lists.ts';
import { findPayments } from '../store/queries/payments.ts';

/** Recipients that one message names, at most; the API has all of them. */
const MOST_NAMED = 1_000;

/** Who of a window stayed unpaid, amounts in base units. Private. */
export type UnpaidRecipientsBody = {
  /** How many in all. */
  readonly total: number;
  readonly recipients: readonly {
    readonly index: number;
    readonly recipient: string;
    readonly amount: string;
    /** Whether the employer holds them back. */
    readonly held: boolean;
  }[];
};

/**
 * Who stayed unpaid in a settled window, by the bitmap whose hash is on the base ledger; undefined where that is not known. Throws
 * `WrongPayloadKey` or `DecryptionFailed`.
 */
export async function findUnpaid(
  { database, payloadKeys }: ListSource,
  runId: number,
  window: bigint,
): Promise<UnpaidRecipientsBody | undefined> {
  const payments = await findPayments(database, runId, { isConfirmed: true });
  if (!payments?.paid) return undefined;
  const { list, paid } = payments;
  const record = openPayments(await listKey(list, payloadKeys), paid, { ...list, window });
  let total = 0;
  const recipients: UnpaidRecipientsBody['recipients'][number][] = [];
  for await (const { number, block } of openBlocks(database, list, payloadKeys)) {
    for (const { index, recipient, amount } of recipientsOf(block, number, 0, BLOCK_RECIPIENTS)) {
      if (isPaid(record, index)) continue;
      total += 1;
      if (recipients.length === MOST_NAMED) continue;
      recipients.push({ index, recipient, amount: amount.toString(), held: record.held.includes(index) });
    }
  }
  return { total, recipients };
}
