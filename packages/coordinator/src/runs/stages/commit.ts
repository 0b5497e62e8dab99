import { type Batch, BatchPhase, buildOwnTransaction } from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { RunError, Waiting } from '../../domain/errors.ts';
import { runIdOf } from '../../domain/run.ts';
import { batchDeadline } from '../../domain/schedule.ts';
import { batchOf } from '../../ledger/accounts.ts';
import { CLOCK_ADDRESS, clockTime } from '../../ledger/clock.ts';
import { sending } from '../../ledger/failpoints.ts';
import { readAccount } from '../../ledger/ledger.ts';
import { observedSchedule } from '../../ledger/observedSchedule.ts';
import {
  bitmapPagesOf,
  isReclaimed,
  probeFinal,
  probeWindow,
  readLayerBatch,
  type WindowProbe,
} from '../../ledger/probe.ts';
import { deliver } from '../../ledger/send.ts';
import { pollUntil } from '../../platform/pollUntil.ts';
import { actUnlessDone } from '../act.ts';
import { commitInstruction } from '../closing.ts';
import type { StageContext, StageInput } from '../context.ts';
import { checkHoldings, checkReturned } from '../moneyRules.ts';
import { checkPayments, countKept, keepPayments } from '../payments.ts';
import { closePermission } from '../permissions.ts';
import { explained, isComplete, layerLost } from '../unpaid.ts';

/** A committed batch is back on the base ledger after about 0.1 s; more than this is for the next try. */
const BACK_WITHIN_MS = 30_000;
/** Milliseconds of a slot, and the longest and the shortest wait until a settlement is looked at again that is not final. */
const SLOT_MS = 400;
const LONGEST_FINAL_MS = 13_000;
const SHORTEST_FINAL_MS = 500;
/** Milliseconds until a batch that the layer's clock doesn't let go yet is tried again. */
const CLOCK_LAG_MS = 2_000;
/** Milliseconds until claims go on that ended too early. */
const CLAIMS_AGAIN_MS = 1_000;
const COMPUTE_UNITS = 300_000;
/** The commit asks for a little less each time: the layer takes an identical transaction for the same one. */
const NONCES = 10_000;

/** Brings the batch back to the base ledger and settles the window; the run is over once that is final, for which nothing waits here. */
export async function commit(context: StageContext, input: StageInput): Promise<void> {
  const { base, time } = context;
  const probe = await probeWindow(base, input.at);
  if (probe.position === 'unopened') {
    throw new RunError('batch-not-back', 'The window is not open on the base ledger, so there is nothing to commit.');
  }
  const back = probe.position === 'delegated' ? await bringBack(context, input, probe) : probe;
  // A settled window no longer tells how many were held back; what an earlier try found does.
  const held = back.position === 'settled' ? (input.run.unpaid_reasons.held ?? 0) : back.schedule.windowHeld;
  if (back.position !== 'settled') {
    checkReturned(back, context);
    const batch = batchOf(back.batch, context.program);
    if (batch !== undefined) {
      await keepReturned(context, input, batch);
      if (batch.phase !== BatchPhase.Closed) await awaitDeadline(context, back);
    }
    await settle(context, input, back.schedule.mint);
  }

  const final = await probeFinal(base, input.at);
  if (final.settled === undefined) {
    const { slot } = await probeWindow(base, input.at);
    throw new Waiting(time.now() + untilFinalMs(slot, final.slot), 'The window is settled; that is not final yet.');
  }
  await checkHoldings(context, final.settled);
  await finish(context, input, final.settled, held);
}

/** About so many milliseconds until what stands in a slot is final, if `final` is the newest slot that is. */
const untilFinalMs = (slot: bigint, final: bigint): number =>
  Math.min(Math.max(Number(slot - final) * SLOT_MS, SHORTEST_FINAL_MS), LONGEST_FINAL_MS);

/** Has the execution layer send the batch back while the liabilities tree reads what it has paid; answers the window as it is then. */
async function bringBack(context: StageContext, input: StageInput, { schedule }: WindowProbe): Promise<WindowProbe> {
  const { at } = input;
  const { base, time, signal } = context;
  const prepared = context.liabilities.of(schedule.mint).prepare(at.schedule, schedule.windowRecipients);
  // Whatever it could not read, the settlement reads.
  await Promise.all([closeBatch(context, input), prepared.catch(() => {})]);
  const look = async () => {
    const probe = await probeWindow(base, at);
    return probe.position === 'delegated' ? undefined : probe;
  };
  return pollUntil(look, {
    withinMs: BACK_WITHIN_MS,
    time,
    signal,
    error: () => new RunError('batch-not-back', 'The batch has not come back to the base ledger yet.'),
  });
}

/** Closes the batch in the execution layer, which sends it back. */
async function closeBatch(context: StageContext, input: StageInput): Promise<void> {
  const { at, run, attemptId, findings } = input;
  const { layer, clock, authority, store, time, signal } = context;
  const batch = await readLayerBatch(layer, at);
  if (batch?.phase === BatchPhase.Open) {
    if (!isComplete(batch) && clock.now() < batchDeadline(batch)) {
      // The claim stage was shown an older state of the batch; it goes on where the batch really is.
      throw new Waiting(time.now() + CLAIMS_AGAIN_MS, 'Recipients are unpaid; they are tried again.');
    }
    // The commit closes the bitmap, and what comes back holds a hash of it only.
    await keepPayments(context, input, batch);
    const isClosed = async () => (await readLayerBatch(layer, at))?.phase !== BatchPhase.Open;
    const close = async (first: readonly Instruction[]) => {
      const instruction = await commitInstruction(context, at, bitmapPagesOf(at, batch));
      await deliver({
        store,
        time,
        ledger: layer,
        runId: run.id,
        attemptId,
        findings,
        purpose: 'commit',
        commitment: 'confirmed',
        signal,
        ...sending(context.failpoint, 'commit', [runIdOf(at)]),
        build: (lifetime) =>
          buildOwnTransaction({
            feePayer: authority,
            instructions: [...first, instruction],
            lifetime,
            computeUnitLimit: COMPUTE_UNITS - Math.floor(time.random() * NONCES),
          }),
      });
    };
    try {
      await actUnlessDone(() => closeWithPermission(context, at, close), isClosed);
    } catch (error) {
      // The layer's clock may be behind the base ledger's.
      if (!(error instanceof RunError) || error.code !== 'batch-not-complete') throw error;
      throw new Waiting(time.now() + CLOCK_LAG_MS, "The batch timeout has not passed by the execution layer's clock.");
    }
  }
}

/** Closes a batch and its read permission; a layer that refuses this keeps no window from being settled. */
async function closeWithPermission(
  context: StageContext,
  at: StageInput['at'],
  close: (first: readonly Instruction[]) => Promise<void>,
): Promise<void> {
  const first = await closePermission(context, at);
  try {
    await close(first);
  } catch (error) {
    const isRefused = error instanceof RunError && error.code === 'transaction-refused';
    if (first.length === 0 || !isRefused) throw error;
    const detail = error.message;
    context.log.warn({ detail }, 'a window is sent back without closing its read permission');
    await close([]);
  }
}

/**
 * Keeps whom a batch that is back has paid, where that may not be kept: nobody closed it, or who closed it together with its claims was not shown it
 * any more, or died.
 */
async function keepReturned(context: StageContext, input: StageInput, batch: Batch): Promise<void> {
  if (batch.phase !== BatchPhase.Closed || isComplete(batch)) await keepPayments(context, input, batch);
}

/** A batch that came back without a commit is settled as it is once its time is over by the base ledger's clock. */
async function awaitDeadline({ base, clock }: StageContext, back: WindowProbe): Promise<void> {
  const now = clockTime(await readAccount(base, CLOCK_ADDRESS));
  if (now !== undefined) clock.learn(now);
  const deadline = batchDeadline(back.schedule);
  if (clock.now() >= deadline) return;
  throw new Waiting(
    Math.ceil(clock.localTimeOf(deadline)),
    'The batch came back before it was closed; it is settled as it is at the batch timeout.',
  );
}

/** Has the window settled, which records what the token's pool owes from then on. */
async function settle(context: StageContext, { at, run, attemptId }: StageInput, mint: Address): Promise<void> {
  const { schedule, window } = at;
  try {
    await context.liabilities.settle({ runId: run.id, attemptId, mint, schedule, window });
  } catch (error) {
    if (!(error instanceof RunError) || error.code !== 'batch-not-complete') throw error;
    throw new Waiting(
      context.time.now() + CLOCK_LAG_MS,
      "The batch timeout has not passed by the base ledger's clock.",
    );
  }
}

/** Finds how the run is over, by what the final state says. */
async function finish(context: StageContext, input: StageInput, final: WindowProbe, held: number): Promise<void> {
  const { run, at } = input;
  const { store, time } = context;
  const { schedule, slot } = final;
  const isLost = isReclaimed(final, at);
  // Later windows may have been settled too, if this run was stopped for long; then the schedule no longer tells this one's count.
  const isLatest = !isLost && schedule.window === at.window + 1n;
  const kept = isLatest || isLost ? 0 : await countKept(context, input);
  const seen = isLatest ? schedule.lastPaidCount : Math.max(run.claims_paid, kept);
  // What was claimed of a lost window is lost too, but for what the recorded liabilities tree knows of it, which has no count.
  const paid = isLost ? 0 : seen;
  const unpaid = run.claims_total - paid;
  const reasons = isLost ? layerLost(unpaid) : explained(run.unpaid_reasons, unpaid, held);
  const arePaymentsRight = isLatest ? await checkPayments(context, input, schedule) : undefined;
  await store.saveSeenSchedule(observedSchedule(at.schedule, schedule, slot, time.now()));
  const told = isLatest
    ? { paidAmount: schedule.lastPaidAmount, settledAt: Number(schedule.lastSettledAt) * 1_000 }
    : { paidAmount: null };
  input.findings.over = { state: 'settled', ...told, claims: { paid, reasons }, arePaymentsRight, at: time.now() };
}
