import { type Batch, BatchPhase, isBitSet, planClaims, unpaidIndexes } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Payable } from '../balances/payables.ts';
import { RunError } from '../domain/errors.ts';
import type { PayableRecipient } from '../domain/recipient.ts';
import { type UnpaidReasons, workflowIdOf } from '../domain/run.ts';
import { readLayerBatch } from '../ledger/probe.ts';
import type { ListRow } from '../store/queries/lists.ts';
import { findKnownBalances, readBalances } from './balances.ts';
import { ClaimSender } from './claimSender.ts';
import { forEachLimited } from './concurrency.ts';
import type { StageContext, StageInput } from './context.ts';
import { progressRecorder } from './progress.ts';
import { isComplete, withHeld } from './unpaid.ts';

/** An open window's batch as it was read, and its decrypted list. */
export type Payment = Payable & { readonly batch: Batch; readonly list: ListRow };

/** The batch after paying, why whoever is left could not be paid, and the list, where it was read. */
export type Paid = { readonly batch: Batch; readonly reasons: UnpaidReasons; readonly list?: ListRow };

/**
 * Passes over a list until everybody is paid or a pass pays nobody; `closed` when somebody else has closed the batch meanwhile.
 * Throws `RunError`.
 */
export async function payList(context: StageContext, input: StageInput, payment: Payment): Promise<Paid | 'closed'> {
  const { list, recipients, tree } = payment;
  const toPay = recipients.filter(({ index }) => !isBitSet(payment.batch.bitmap, index));
  const known = await findKnownBalances(context, toPay, list.known_balances);
  const sender = new ClaimSender(context, {
    run: workflowIdOf(input.at),
    batch: input.at.batch,
    recipients,
    tree,
  });
  const recordProgress = progressRecorder(context, input);
  const refused = new Set<number>();
  let batch = payment.batch;
  let hasPaid = true;
  while (!isComplete(batch) && hasPaid) {
    const ranges = planClaims({ recipients, paidBitmap: withRefused(batch.bitmap, refused), knownBalances: known });
    await forEachLimited(ranges, context.claimsInFlight, async (range) => {
      for (const index of await sender.pay(range)) refused.add(index);
      await recordProgress();
    });
    const after = await readLayerBatch(context.layer, input.at);
    if (after?.phase !== BatchPhase.Open) return 'closed';
    hasPaid = after.paidCount > batch.paidCount;
    batch = after;
  }
  const knownNow = knownAfter(list, payment.batch, batch);
  if (Buffer.compare(knownNow, list.known_balances) !== 0) await context.store.saveKnownBalances(list.id, knownNow);
  const unpaid = unpaidIndexes(batch.bitmap, recipients.length);
  const balances = unpaid.map((index) => (recipients[index] as PayableRecipient).balance);
  const reasons = withHeld(await reasonsFor(context, balances), batch.heldCount);
  if ((reasons['claim-refused'] ?? 0) > 0 && batch.paidCount === 0 && unpaid.length === reasons['claim-refused']) {
    throw new RunError('claims-refused', 'The execution layer has paid none of the claims.');
  }
  return { batch, reasons, list };
}

function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
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
  await readBalances(context, balances, (_, account) => {
    // Lamports sent ahead to a balance's address keep it from being created.
    const isOccupied = account !== null && account.owner !== context.program;
    const reason = isOccupied ? 'balance-address-occupied' : 'claim-refused';
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  });
  return reasons;
}
