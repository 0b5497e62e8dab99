import { bitmapHash, bitmapSize } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { RunKey } from '../domain/run.ts';
import { listKey } from '../store/crypto/listKey.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { openPayments, sealPayments } from '../store/crypto/paymentRecord.ts';
import { findList, type ListRow } from '../store/queries/lists.ts';
import { confirmPayments, findPayments, savePayments } from '../store/queries/payments.ts';
import type { Db } from '../store/schema.ts';

/** What the base ledger says of who was paid in a window. */
export type WindowPayments = RunKey & {
  readonly runId: number;
  readonly paidCount: number | undefined;
  readonly hash: Uint8Array | undefined;
  /** Hexadecimal; undefined: which list was paid is not known. */
  readonly root: string | undefined;
};

/**
 * Keeps who was paid in a window as far as it can be known: what is kept counts if its hash is the ledger's; and when everybody was
 * paid, that alone gives the hash. Throws what decryption throws.
 */
export async function keepReceipts(
  database: Db,
  payloadKeys: PayloadKeys,
  { schedule, window, runId, paidCount, hash, root }: WindowPayments,
): Promise<void> {
  const kept = await findPayments(database, runId);
  const list = kept?.list ?? (root === undefined ? undefined : await findList(database, schedule, root));
  if (list === undefined) return;
  const place = { schedule, root: list.root, recipients: list.recipients, window };
  const isRight = (bitmap: Uint8Array) =>
    hash !== undefined && Buffer.compare(bitmapHash({ schedule: schedule as Address, window, bitmap }), hash) === 0;
  if (kept?.paid != null) {
    const { bitmap } = openPayments(await listKey(list, payloadKeys), kept.paid, place);
    if (hash !== undefined) await confirmPayments(database, runId, isRight(bitmap));
    return;
  }
  const everybody = allPaid(list);
  const isKnown = paidCount === list.recipients && isRight(everybody);
  const key = isKnown ? await listKey(list, payloadKeys) : undefined;
  const paid = key === undefined ? null : sealPayments(key, { bitmap: everybody, held: [] }, place);
  await savePayments(database, runId, { listId: list.id, paid });
  if (isKnown) await confirmPayments(database, runId, true);
}

/** The bitmap of a window in which nobody was left out. */
function allPaid({ recipients }: Pick<ListRow, 'recipients'>): Uint8Array {
  const bitmap = new Uint8Array(bitmapSize(recipients)).fill(0xff);
  const beyond = bitmap.length * 8 - recipients;
  if (beyond > 0) bitmap[bitmap.length - 1] = 0xff >> beyond;
  return bitmap;
}
