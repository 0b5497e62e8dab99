import {
  type Batch,
  BatchPhase,
  bitmapOf,
  HASH_BYTES,
  MAX_CLAIMS_PER_TRANSACTION,
  PAGE_HEAD_BYTES,
  planClaims,
  SLOT_BYTES,
  unpaidIndexes,
} from '@payouts/client';
import { isPage, type KnownPage } from '../balances/pages.ts';
import { RunError } from '../domain/errors.ts';
import { pageOfPlace, slotOfPlace } from '../domain/places.ts';
import type { UnpaidReasons } from '../domain/run.ts';
import { configOf } from '../ledger/accounts.ts';
import { readAccount, readAccounts } from '../ledger/ledger.ts';
import { readBitmap, readLayerBatch } from '../ledger/probe.ts';
import type { PayableList } from '../lists/payableList.ts';
import { forEachLimited } from '../platform/concurrency.ts';
import { groupedBy } from '../platform/groupedBy.ts';
import type { ListRow } from '../store/queries/lists.ts';
import { makeBitmap } from './bitmap.ts';
import { ClaimSender } from './claimSender.ts';
import { closingWithClaims } from './closing.ts';
import type { StageContext, StageInput } from './context.ts';
import { permit } from './permissions.ts';
import { progressRecorder } from './progress.ts';
import { isComplete, withHeld } from './unpaid.ts';

/** Milliseconds until those who were refused are tried once more: a layer that has just been shown a window may refuse its first claims. */
const REFUSED_AGAIN_MS = 300;

/** The pages of a list's balances by number, and the numbers of those that the layer lacks. */
export type ListPages = { readonly pages: ReadonlyMap<number, KnownPage>; readonly missing: ReadonlySet<number> };

/** An open window's batch as it was read, and its decrypted list, whose balances have their places. */
export type Payment = ListPages & { readonly batch: Batch; readonly list: ListRow; readonly payees: PayableList };

/** The batch after paying, which may be closed if it is complete, why whoever is left could not be paid, and the list, where it was read. */
export type Paid = { readonly batch: Batch; readonly reasons: UnpaidReasons; readonly list?: ListRow };

/**
 * Passes over a list until everybody is paid or a pass pays nobody, and once more over those who were refused; `closed` when somebody else has closed the batch meanwhile.
 * Throws `RunError`.
 */
export async function claimRecipients(
  context: StageContext,
  input: StageInput,
  payment: Payment,
): Promise<Paid | 'closed'> {
  const { list, payees, pages, missing } = payment;
  const { mint } = payment.batch;
  const places = payees.places as Uint32Array;
  const isPrivate = await context.permissions.areThere();
  const tree = await payees.tree();
  const config = configOf(await readAccount(context.base, context.config), context.program);
  const maxLeaves = Math.min(MAX_CLAIMS_PER_TRANSACTION, config?.maxClaims ?? MAX_CLAIMS_PER_TRANSACTION);
  const source = { at: input.at, payees, tree, mint, pages, missing, isPrivate };
  const refused = new Set<number>();
  const senderWith = (bitmapNonce: number) => new ClaimSender(context, { ...source, bitmapNonce });
  /** Everybody is paid, so what was made with the claims is there. */
  const noteMade = ({ made }: ClaimSender) => context.balances.pages.noteMade(mint, made);
  /** Those who are unpaid and were not refused. */
  const planOf = async (batch: Batch) =>
    planClaims({
      count: payees.count,
      pageAt: (index) => pageOfPlace(places[index] as number),
      isMissing: (page) => missing.has(page),
      paidBitmap: withRefused(await visibleBitmap(context, input, batch), refused),
      maxLeaves,
    });
  const recordProgress = progressRecorder(context, input);
  let { batch } = payment;
  const [first, ...others] = batch.bitmapPages === 0 ? await planOf(batch) : [];
  if (first !== undefined && others.length === 0) {
    // Two transactions less for each window of a short list. Where it is refused, what follows finds out who it is about.
    const bitmapNonce = context.newBitmapNonce();
    const sender = senderWith(bitmapNonce);
    await sender.makeBitmapAndPay(first, await closingWithClaims(context, input.at, payees, bitmapNonce));
    const after = await readLayerBatch(context.layer, input.at);
    if (after !== undefined && isComplete(after)) noteMade(sender);
    if (after?.phase !== BatchPhase.Open) return closedWindow(after, list);
    batch = after;
  }
  batch = await makeBitmap(context, input.at, batch);
  const sender = senderWith(batch.bitmapNonce);
  let hasPaid = true;
  let isTriedAgain = false;
  while (!isComplete(batch) && hasPaid) {
    await forEachLimited(await planOf(batch), context.claimsInFlight, async (range) => {
      for (const index of await sender.pay(range)) refused.add(index);
      await recordProgress();
    });
    const after = await readLayerBatch(context.layer, input.at);
    if (after?.phase !== BatchPhase.Open) return closedWindow(after, list);
    hasPaid = after.paidCount > batch.paidCount;
    batch = after;
    if (hasPaid || isTriedAgain || refused.size === 0 || isComplete(batch)) continue;
    await context.time.pause(REFUSED_AGAIN_MS, context.signal);
    refused.clear();
    isTriedAgain = true;
    hasPaid = true;
  }
  if (isComplete(batch)) noteMade(sender);
  if (sender.readable.size > 0) {
    await permit(
      context,
      input.at,
      Array.from(sender.readable, (number) => (pages.get(number) as KnownPage).address),
    );
  }
  const unpaid = isComplete(batch) ? [] : unpaidIndexes(await visibleBitmap(context, input, batch), payees.count);
  const fault = unpaid.length > 0 ? await faultOfPlaces(context, payment, unpaid) : undefined;
  if (fault === 'gone') {
    // They were made, so the layer has gone back since. The next try asks it for all of them, and makes what is missing.
    context.balances.pages.forget(mint);
    throw new RunError('batch-not-visible', 'The execution layer does not show pages of balances that it had.');
  }
  if (fault === 'taken') {
    await context.balances.adopt(mint, true);
    payees.place(undefined);
    throw new RunError(
      'places-taken',
      'Places of balances are taken by others than the database says; they are given anew.',
    );
  }
  const reasons = withHeld(unpaid.length > 0 ? { 'claim-refused': unpaid.length } : {}, batch.heldCount);
  if (unpaid.length > 0 && batch.paidCount === 0) {
    throw new RunError('claims-refused', 'The execution layer has paid none of the claims.');
  }
  return { batch, reasons, list };
}

/**
 * What a closed window has paid, if the layer still shows it, and it is complete; else `closed`. Whoever has closed it may have died before they
 * noted that.
 */
export const closedWindow = (batch: Batch | undefined, list?: ListRow): Paid | 'closed' =>
  batch !== undefined && isComplete(batch)
    ? { batch, reasons: withHeld({}, batch.heldCount), ...(list && { list }) }
    : 'closed';

/** Who is paid or held back so far; of a batch that has paid nobody, those held back. Throws `RunError` if the layer does not show it. */
async function visibleBitmap({ layer }: StageContext, { at }: StageInput, batch: Batch): Promise<Uint8Array> {
  const bitmap =
    batch.paidCount === 0 ? bitmapOf({ ...batch, bitmapPages: 0 }, []) : await readBitmap(layer, at, batch);
  if (bitmap === undefined)
    throw new RunError('batch-not-visible', "The execution layer does not show the window's bitmap.");
  return bitmap;
}

/** Sets a bit of a bitmap. */
function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
}

/** The paid bitmap in which those who were refused count as paid, so that a further pass leaves them out. */
function withRefused(bitmap: Uint8Array, refused: ReadonlySet<number>): Uint8Array {
  const bits = Uint8Array.from(bitmap);
  for (const index of refused) setBit(bits, index);
  return bits;
}

/**
 * What is wrong in the layer with the places of those who could not be paid: pages that it had are gone, or another owner has one of the
 * places.
 */
async function faultOfPlaces(
  { layer, program }: StageContext,
  { payees, pages, missing }: Payment,
  unpaid: readonly number[],
): Promise<'gone' | 'taken' | undefined> {
  const places = payees.places as Uint32Array;
  const numberOf = (index: number) => pageOfPlace(places[index] as number);
  const there = unpaid.filter((index) => !missing.has(numberOf(index)));
  const byPage = groupedBy(there, (index) => (pages.get(numberOf(index)) as KnownPage).address);
  let fault: 'gone' | 'taken' | undefined;
  await readAccounts(layer, [...byPage.keys()], (address, account) => {
    if (!isPage(account, program)) {
      fault = 'gone';
      return;
    }
    for (const index of byPage.get(address) ?? []) {
      const at = PAGE_HEAD_BYTES + slotOfPlace(places[index] as number) * SLOT_BYTES;
      const holder = account.data.subarray(at, at + HASH_BYTES);
      const isFree = holder.every((byte) => byte === 0);
      if (!isFree && Buffer.compare(holder, payees.ownerAt(index)) !== 0) fault ??= 'taken';
    }
  });
  return fault;
}
