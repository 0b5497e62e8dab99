import { type Batch, BatchPhase, isBitSet, planClaims, unpaidIndexes } from '@payouts/client';
import type { Address } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import { runIdOf, type UnpaidReasons } from '../domain/run.ts';
import { readAccounts } from '../ledger/ledger.ts';
import { readLayerBatch } from '../ledger/probe.ts';
import { findKnownBalances, setBit } from '../lists/knownBalances.ts';
import type { PayableList } from '../lists/payableList.ts';
import { forEachLimited } from '../platform/concurrency.ts';
import type { ListRow } from '../store/queries/lists.ts';
import { ClaimSender } from './claimSender.ts';
import type { StageContext, StageInput } from './context.ts';
import { progressRecorder } from './progress.ts';
import { isComplete, withHeld } from './unpaid.ts';

/** Milliseconds until those who were refused are tried once more: a layer that has just been shown a window may refuse its first claims. */
const REFUSED_AGAIN_MS = 300;

/** An open window's batch as it was read, and its decrypted list. */
export type Payment = { readonly batch: Batch; readonly list: ListRow; readonly payees: PayableList };

/** The batch after paying, why whoever is left could not be paid, and the list, where it was read. */
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
  const { list, payees } = payment;
  const known = await findKnownBalances(context, payment);
  const tree = await payees.tree();
  const sender = new ClaimSender(context, { run: runIdOf(input.at), batch: input.at.batch, payees, tree });
  const recordProgress = progressRecorder(context, input);
  const refused = new Set<number>();
  let batch = payment.batch;
  let hasPaid = true;
  let isTriedAgain = false;
  while (!isComplete(batch) && hasPaid) {
    const ranges = planClaims({
      count: payees.count,
      balanceAt: (index) => payees.balanceAt(index),
      paidBitmap: withRefused(batch.bitmap, refused),
      isKnown: (index) => isBitSet(known, index),
    });
    await forEachLimited(ranges, context.claimsInFlight, async (range) => {
      for (const index of await sender.pay(range)) refused.add(index);
      await recordProgress();
    });
    const after = await readLayerBatch(context.layer, input.at);
    if (after?.phase !== BatchPhase.Open) return 'closed';
    hasPaid = after.paidCount > batch.paidCount;
    batch = after;
    if (hasPaid || isTriedAgain || refused.size === 0 || isComplete(batch)) continue;
    await context.time.pause(REFUSED_AGAIN_MS, context.signal);
    refused.clear();
    isTriedAgain = true;
    hasPaid = true;
  }
  const knownNow = knownAfter(list, payment.batch, batch);
  if (Buffer.compare(knownNow, list.known_balances) !== 0) await context.store.saveKnownBalances(list.id, knownNow);
  const unpaid = unpaidIndexes(batch.bitmap, payees.count);
  const balances = unpaid.map((index) => payees.balanceAt(index));
  const reasons = withHeld(await reasonsFor(context, balances), batch.heldCount);
  if ((reasons['claim-refused'] ?? 0) > 0 && batch.paidCount === 0 && unpaid.length === reasons['claim-refused']) {
    throw new RunError('claims-refused', 'The execution layer has paid none of the claims.');
  }
  return { batch, reasons, list };
}

/** The paid bitmap in which those who were refused count as paid, so that a further pass leaves them out. */
function withRefused(bitmap: ArrayLike<number>, refused: ReadonlySet<number>): Uint8Array {
  const bits = Uint8Array.from(bitmap);
  for (const index of refused) setBit(bits, index);
  return bits;
}

/** Whoever was paid here has a balance; of those whose bit was set before, some may be held back and have none. */
function knownAfter(list: ListRow, before: Batch, { bitmap }: Batch): Uint8Array {
  const known = Uint8Array.from(list.known_balances);
  for (let index = 0; index < list.recipients; index++) {
    if (isBitSet(bitmap, index) && !isBitSet(before.bitmap, index)) setBit(known, index);
  }
  return known;
}

/** Why these can't be paid: counts by reason. */
async function reasonsFor(context: StageContext, balances: readonly Address[]): Promise<UnpaidReasons> {
  const reasons: Record<string, number> = {};
  await readAccounts(context.layer, balances, (_, account) => {
    // Lamports sent ahead to a balance's address keep it from being created.
    const isOccupied = account !== null && account.owner !== context.program;
    const reason = isOccupied ? 'balance-address-occupied' : 'claim-refused';
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  });
  return reasons;
}
