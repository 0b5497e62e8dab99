import type { Static } from 'typebox';
import type { ListSource } from '../lists/listProofs.ts';
import { listKey } from '../store/crypto/listKey.ts';
import { isPaid, openPayments } from '../store/crypto/paymentRecord.ts';
import type { ListRow } from '../store/queries/lists.ts';
import { listSettledRuns, type SettledRun } from '../store/queries/payments.ts';
import type { OwnEntries } from './ownEntries.ts';
import type { RecipientView } from './privateSchemas.ts';
import { pageOf, type WindowPage } from './windowPage.ts';

type Receipts = Pick<Static<typeof RecipientView>, 'receipts' | 'nextCursor'>;

/** What settled windows paid to these entries, newest first: `limit` windows below window `before`. */
export async function readReceipts(
  source: ListSource,
  own: readonly OwnEntries[],
  { before, limit }: WindowPage,
): Promise<Receipts> {
  if (own.length === 0) return { receipts: [], nextCursor: null };
  const listIds = own.map(({ list }) => list.id);
  const { page, nextCursor } = pageOf(await listSettledRuns(source.database, listIds, before, limit + 1), limit);
  const receipts: Receipts['receipts'] = [];
  for (const run of page) {
    const { list, entries } = own.find((one) => one.list.id === run.list_id) as OwnEntries;
    const record = await recordOf(source, list, run);
    for (const { index, amount } of entries) {
      receipts.push({
        window: run.window_number,
        state: 'settled',
        root: list.root,
        index,
        amount: amount.toString(),
        paid: record === undefined ? null : isPaid(record, index),
        settledAt: Number(run.settled_at),
        signature: run.signature,
      });
    }
  }
  return { receipts, nextCursor };
}

/** Who a settled window has paid; undefined: not known. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function recordOf({ payloadKeys }: ListSource, list: ListRow, run: SettledRun) {
  if (run.paid === null || !run.is_confirmed) return undefined;
  const { wrapped_key, key_id } = run;
  return openPayments(await listKey({ ...list, wrapped_key, key_id }, payloadKeys), run.paid, {
    ...list,
    window: BigInt(run.window_number),
  });
}
