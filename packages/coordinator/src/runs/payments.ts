import { type Batch, bitmapHash, bitmapSize, countBits, type Schedule } from '@payouts/client';
import { rootText } from '../ledger/accounts.ts';
import { readBitmap, type WindowAddresses } from '../ledger/probe.ts';
import { listKey } from '../store/crypto/listKey.ts';
import { openPayments, type PaymentPlace, sealPayments } from '../store/crypto/paymentRecord.ts';
import type { ListRow } from '../store/queries/lists.ts';
import type { Payments } from '../store/queries/payments.ts';
import type { StageContext, StageInput } from './context.ts';
import { isComplete } from './unpaid.ts';

const placeOf = (
  { schedule, root, recipients }: Omit<ListRow, 'places'>,
  { window }: WindowAddresses,
): PaymentPlace => ({
  schedule,
  root,
  recipients,
  window,
});

/**
 * Who is paid so far in an open window, as the layer has it, sealed to be kept: the batch comes back to the base ledger with a hash of it
 * only. Undefined where that is kept already, or can't be: a run never stops for it; receipts then say that they don't know. `known`: the
 * window's list, if it was read.
 */
export function sealedPayments(
  context: StageContext,
  { run, at }: StageInput,
  batch: Batch,
  known?: ListRow,
): Promise<Payments | undefined> {
  return attempt(context, async () => {
    const { store, payloadKeys, keptPayments } = context;
    // Bits are only ever set: as many of them are the same.
    if (keptPayments.get(run.id) === batch.paidCount) return undefined;
    const list = known ?? (await store.findList(at.schedule, rootOf(batch)));
    if (list === undefined) return undefined;
    const bitmap = isComplete(batch) ? everybody(batch) : await readBitmap(context.layer, at, batch);
    if (bitmap === undefined) return { listId: list.id, paid: null };
    const record = { bitmap, held: batch.held.slice(0, batch.heldCount) };
    return { listId: list.id, paid: sealPayments(await listKey(list, payloadKeys), record, placeOf(list, at)) };
  });
}

/** The bits of a batch that is complete. */
function everybody({ recipients }: Batch): Uint8Array {
  const bitmap = new Uint8Array(bitmapSize(recipients)).fill(0xff);
  if (recipients % 8 > 0) bitmap[bitmap.length - 1] = (1 << (recipients % 8)) - 1;
  return bitmap;
}

/** Keeps who is paid in a window that is about to be closed. */
export async function keepPayments(context: StageContext, input: StageInput, batch: Batch): Promise<void> {
  const payments = await sealedPayments(context, input, batch);
  if (payments === undefined) return;
  await attempt(context, () => context.store.savePayments(input.run.id, payments));
}

/** The root of an open window's list, hexadecimal. */
export const rootOf = ({ root }: Batch): string => Buffer.from(root as Uint8Array).toString('hex');

/**
 * Whether what is kept of a window's payments is what the base ledger, finally, settled, by its hash; undefined where nothing is to be
 * compared.
 */
export function checkPayments(
  context: StageContext,
  { run, at }: StageInput,
  settled: Schedule,
): Promise<boolean | undefined> {
  return attempt(context, async () => {
    const { store, payloadKeys } = context;
    const kept = await store.findPayments(run.id);
    if (kept === undefined) {
      // Settled by somebody else; which list it was, the schedule may still tell.
      if (settled.windowRootVersion !== settled.rootVersion) return undefined;
      const list = await store.findList(at.schedule, rootText(settled));
      if (list !== undefined) await store.savePayments(run.id, { listId: list.id, paid: null });
      return undefined;
    }
    const { paid, list } = kept;
    if (paid === null) return undefined;
    const { bitmap } = openPayments(await listKey(list, payloadKeys), paid, placeOf(list, at));
    const isRight = Buffer.compare(bitmapHash({ ...at, bitmap }), settled.lastBitmapHash as Uint8Array) === 0;
    if (!isRight) context.log.warn('who was paid is not known: the ledger settled another bitmap');
    return isRight;
  });
}

/** How many recipients of a window are paid by what is kept of it; 0 if nothing is. */
export async function countKept(context: StageContext, { run, at }: StageInput): Promise<number> {
  const count = await attempt(context, async () => {
    const { store, payloadKeys } = context;
    const kept = await store.findPayments(run.id);
    if (!kept?.paid) return 0;
    const { bitmap, held } = openPayments(await listKey(kept.list, payloadKeys), kept.paid, placeOf(kept.list, at));
    return countBits(bitmap) - held.length;
  });
  return count ?? 0;
}

/** Undefined where the work could not be done. */
async function attempt<T>(context: StageContext, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.warn({ error: (error as Error).name }, 'who was paid could not be kept');
    return undefined;
  }
}
