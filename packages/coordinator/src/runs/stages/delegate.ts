import {
  delegateScheduleInstructions,
  dueAt,
  findCounterAddress,
  findPoolAddress,
  type Pool,
  type Schedule,
} from '@payouts/client';
import { RunCancelled, RunError, Waiting } from '../../domain/errors.ts';
import { runIdOf } from '../../domain/run.ts';
import { batchDeadline } from '../../domain/schedule.ts';
import { poolOf, rootText, termsOf } from '../../ledger/accounts.ts';
import { sending } from '../../ledger/failpoints.ts';
import { readAccount } from '../../ledger/ledger.ts';
import { probeWindow, readLayerBatch, type WindowProbe } from '../../ledger/probe.ts';
import { deliver } from '../../ledger/send.ts';
import { refusedMove } from '../../ledger/stoppedToken.ts';
import type { PayableList } from '../../lists/payableList.ts';
import { pollUntil } from '../../platform/pollUntil.ts';
import type { ListRow } from '../../store/queries/lists.ts';
import { actUnlessDone } from '../act.ts';
import type { StageContext, StageInput } from '../context.ts';
import { checkAuthority, checkFunding, counterFunding, type Lacking, loanFor } from '../funding.ts';
import { lackingDelivery } from '../openDeliveries.ts';
import { readPayees } from '../readPayees.ts';

/** The execution layer shows a delegated batch after about 0.7 s, at most 2 s; more is for the next try. */
const VISIBLE_WITHIN_MS = 10_000;
const COMPUTE_UNITS = 200_000;
/** Milliseconds until a window that is due later than it was is looked at again, at the most. */
const LATER_MS = 3_600_000;

/** Opens the window on the base ledger and waits until the execution layer has its batch. */
export async function delegate(context: StageContext, input: StageInput): Promise<void> {
  const { base, layer, time, signal } = context;
  const { run, at, findings } = input;
  const probe = await probeWindow(base, at);
  if (probe.position === 'settled') return;
  const isNoted = run.batch_deadline !== null || probe.position !== 'unopened';
  // Noted before anything can go wrong: a run that stops comes back at the deadline of its window.
  if (run.batch_deadline === null && isNoted) {
    findings.window = { recipients: probe.schedule.windowRecipients, deadline: batchDeadline(probe.schedule) };
  }
  if (probe.position === 'returned') return;
  if (probe.position === 'unopened') {
    const isOpened = async () => (await probeWindow(base, at)).position !== 'unopened';
    await actUnlessDone(() => openWhenDue(context, input, probe), isOpened);
  }
  const batch = await pollUntil(() => readLayerBatch(layer, at), {
    withinMs: VISIBLE_WITHIN_MS,
    time,
    signal,
    error: () => new RunError('batch-not-visible', 'The execution layer does not show the delegated batch yet.'),
  });
  if (!isNoted) findings.window = { recipients: batch.recipients, deadline: batchDeadline(batch) };
}

/** Waits where the schedule has been changed since it looked due. */
async function openWhenDue(context: StageContext, input: StageInput, probe: WindowProbe): Promise<void> {
  const { clock, time } = context;
  const due = dueAt(probe.schedule);
  try {
    await open(context, input, probe);
  } catch (error) {
    const isLater = error instanceof RunError && error.code === 'not-due' && clock.now() < due;
    if (!isLater) throw error;
    const until = Math.ceil(Math.min(clock.localTimeOf(due), time.now() + LATER_MS));
    throw new Waiting(until, "The window is not due yet by the base ledger's clock.");
  }
}

/** A window would be handed to the pool's validator: one that is another layer's never shows up in this one. */
async function checkValidator({ validator }: Pool, { layerIdentity }: StageContext): Promise<void> {
  const identity = await layerIdentity();
  if (identity === validator) return;
  throw new RunError(
    'validator-mismatch',
    `The token's pool belongs to the validator ${validator}, and the execution layer is ${identity}.`,
  );
}

/** Gives a list's balances their places; what the layer lacks for them. */
async function placesFor(
  context: StageContext,
  list: ListRow,
  payees: PayableList,
  { vault, mint }: Schedule,
): Promise<Lacking> {
  const { layer, program, balances, permissions } = context;
  const { begunFrom } = await balances.place(list, payees, { vault, mint });
  const counterAddress = await findCounterAddress(mint, { programAddress: program });
  const pages = await balances.of(mint, payees);
  const [missing, counter, delivered, isPrivate] = await Promise.all([
    balances.pages.missing(mint, pages.values(), begunFrom),
    readAccount(layer, counterAddress),
    lackingDelivery(context, mint, payees),
    permissions.areThere(),
  ]);
  return {
    recipients: payees.count,
    pages: missing.length,
    isPrivate,
    counter: counterFunding(counter?.lamports ?? 0n, { recipients: payees.count, deliveries: delivered.length }),
  };
}

async function open(context: StageContext, input: StageInput, { schedule, batch }: WindowProbe): Promise<void> {
  const { base, layer, authority, store, time, program, signal, fees } = context;
  const { at, run, attemptId, findings } = input;
  const { status } = termsOf(schedule);
  if (status === 'cancelled' || status === 'completed') {
    throw new RunCancelled(`The schedule is ${status}; this window does not open.`);
  }
  if (status === 'paused') throw new RunError('schedule-paused', 'The schedule is paused.');
  const list = await store.findList(at.schedule, rootText(schedule));
  if (list === undefined) throw new RunError('list-missing', "No list is registered for the schedule's current root.");

  const poolAddress = await findPoolAddress(schedule.mint, { programAddress: program });
  const { accounts } = await base.accounts([schedule.vault, authority.address, poolAddress]);
  const pool = poolOf(accounts[2], program);
  if (pool === undefined) throw new RunError('schedule-missing', "The token's pool is not on the base ledger.");
  await checkValidator(pool, context);
  await checkFunding(accounts[0] ?? null, schedule, context);
  const payees = await readPayees(context, list);
  const [lacking] = await Promise.all([
    placesFor(context, list, payees, schedule),
    // The layer keeps a copy of a batch that has left it; being asked, it sees that it is gone, and takes the new delegation.
    readAccount(layer, at.batch),
  ]);
  const lendLamports = loanFor(batch, lacking);
  checkAuthority(accounts[1] ?? null, batch, lendLamports);

  findings.quoteHash = await context.trust.quoteHash();
  const instructions = await delegateScheduleInstructions({
    authority,
    schedule: at.schedule,
    vault: schedule.vault,
    mint: schedule.mint,
    tokenProgram: pool.tokenProgram,
    window: at.window,
    // The list that was found and paid for above: another one is looked at anew.
    rootVersion: schedule.rootVersion,
    lendLamports,
    programAddress: program,
  });
  await deliver({
    store,
    time,
    ledger: base,
    runId: run.id,
    attemptId,
    findings,
    purpose: 'delegate',
    commitment: 'confirmed',
    signal,
    ...sending(context.failpoint, 'delegate', [runIdOf(at)]),
    fees,
    build: (lifetime) =>
      fees.sign({
        purpose: 'delegate',
        of: runIdOf(at),
        contended: [authority.address, poolAddress],
        feePayer: authority,
        instructions,
        lifetime,
        computeUnitLimit: COMPUTE_UNITS,
      }),
  }).catch(async (error) => {
    throw await refusedMove(base, error, pool, schedule.vault);
  });
  // The layer takes its time to show the batch, and claims need the tree.
  payees.prepareTree();
}
