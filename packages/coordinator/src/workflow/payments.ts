import {
  BATCH_KIND,
  type Batch,
  bitmapHash,
  countBits,
  getBatchDecoder,
  isBitSet,
  type Schedule,
} from '@payouts/client';
import { rootText } from '../ledger/accounts.ts';
import { readAccount } from '../ledger/ledger.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import { listKey } from '../store/listKey.ts';
import { openPayments, type PaymentPlace, sealPayments } from '../store/paymentRecord.ts';
import type { ListRow } from '../store/queries/lists.ts';
import type { StageContext, StageInput } from './context.ts';

const placeOf = (
  { schedule, root, recipients }: Omit<ListRow, 'known_balances'>,
  { window }: WindowAddresses,
): PaymentPlace => ({
  schedule,
  root,
  recipients,
  window,
});

/**
 * Keeps who is paid so far in an open window, as the layer has it: the batch comes back to the base ledger with a hash of it only.
 * A run never stops for it: where it can't be kept, receipts say that they don't know. `known`: the window's list, if it was read.
 */
export function keepPayments(
  context: StageContext,
  { run, at }: StageInput,
  batch: Batch,
  known?: ListRow,
): Promise<void> {
  return attempt(context, async () => {
    const { store, payloadKeys, keptPayments } = context;
    // Bits are only ever set: as many of them are the same.
    if (keptPayments.get(run.id) === batch.paidCount) return;
    const list = known ?? (await store.findList(at.schedule, rootOf(batch)));
    if (list === undefined) return;
    const held = batch.heldCount === 0 ? [] : await heldBack(context, at, list.recipients);
    const key = held === undefined ? undefined : await listKey(list, payloadKeys);
    const record = { bitmap: Uint8Array.from(batch.bitmap), held: held ?? [] };
    const paid = key === undefined ? null : sealPayments(key, record, placeOf(list, at));
    await store.savePayments({ runId: run.id, listId: list.id, paid });
    if (paid !== null) keptPayments.set(run.id, batch.paidCount);
  });
}

/** The root of an open window's list, hexadecimal. */
export const rootOf = ({ root }: Batch): string => Buffer.from(root as Uint8Array).toString('hex');

/** While a batch is delegated, the base ledger shows it as the window opened: with those held back set, and nobody paid. */
async function heldBack(
  { base }: StageContext,
  { batch: address, window }: WindowAddresses,
  recipients: number,
): Promise<number[] | undefined> {
  const account = await readAccount(base, address);
  if (account?.data[0] !== BATCH_KIND) return undefined;
  const opened = getBatchDecoder().decode(account.data);
  if (opened.window !== window || opened.paidCount !== 0) return undefined;
  return Array.from({ length: recipients }, (_, index) => index).filter((index) => isBitSet(opened.bitmap, index));
}

/** Compares what is kept of a window's payments with the hash under which the base ledger, finally, settled it. */
export function checkPayments(context: StageContext, { run, at }: StageInput, settled: Schedule): Promise<void> {
  return attempt(context, async () => {
    const { store, payloadKeys } = context;
    const kept = await store.findPayments(run.id);
    if (kept === undefined) {
      // Settled by somebody else; which list it was, the schedule may still tell.
      if (settled.windowRootVersion !== settled.rootVersion) return;
      const list = await store.findList(at.schedule, rootText(settled));
      if (list !== undefined) await store.savePayments({ runId: run.id, listId: list.id, paid: null });
      return;
    }
    const { paid, list } = kept;
    if (paid === null) return;
    const { bitmap } = openPayments(await listKey(list, payloadKeys), paid, placeOf(list, at));
    const isRight = Buffer.compare(bitmapHash({ ...at, bitmap }), settled.lastBitmapHash as Uint8Array) === 0;
    await store.confirmPayments(run.id, isRight);
    if (!isRight) context.log.warn('who was paid is not known: the ledger settled another bitmap');
  });
}

/** How many recipients of a window are paid by what is kept of it; 0 if nothing is. */
export async function countKept(context: StageContext, { run, at }: StageInput): Promise<number> {
  let count = 0;
  await attempt(context, async () => {
    const { store, payloadKeys } = context;
    const kept = await store.findPayments(run.id);
    if (!kept?.paid) return;
    const { bitmap, held } = openPayments(await listKey(kept.list, payloadKeys), kept.paid, placeOf(kept.list, at));
    count = countBits(bitmap) - held.length;
  });
  return count;
}

async function attempt(context: StageContext, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.warn({ error: (error as Error).name }, 'who was paid could not be kept');
  }
}
