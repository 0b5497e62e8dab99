import type { Time } from '@payouts/client';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Alive } from '../platform/watchedRound.ts';
import {
  claimRound,
  endRound,
  type Round,
  releaseRound,
  requestRound,
  saveRound,
} from '../store/queries/reconciliation.ts';
import type { Difference } from './compare.ts';
import { compareFrom, type RoundInput } from './round.ts';

/** Milliseconds for which a round belongs to a process that says nothing. */
const HOLD_MS = 60_000;
/** The longest wait between two looks whether a round is due. */
const LOOK_MS = 5_000;
/** Milliseconds between two steps, so that a round asks little of the ledgers: 100,000 schedules take five minutes. */
const STEP_PAUSE_MS = 200;
/** Part of the time between two rounds that is random. */
const JITTER = 0.2;

export type ReconciliationInput = Omit<RoundInput, 'pause' | 'alive' | 'withEngine'> &
  LoopContext & {
    /** This process among those that share the database. */
    readonly executor: string;
    readonly intervalMs: number;
    readonly time: Time;
    readonly metrics: Metrics;
  };

/** Compares everything at once, then from time to time, until the signal; of several processes one at a time does. */
export async function serveReconciliation(input: ReconciliationInput): Promise<void> {
  const { database, executor, intervalMs } = input;
  const lookMs = Math.min(LOOK_MS, intervalMs);
  const leave = () => releaseRound(database, executor).catch(() => {});
  let hasAsked = false;
  await runLoop({ ...input, name: 'reconciliation', onFailure: leave }, async (alive) => {
    if (!hasAsked) await requestRound(database);
    hasAsked = true;
    const round = await claimRound(database, executor, HOLD_MS);
    alive();
    if (round !== undefined) await goOn(input, round, alive);
    return lookMs;
  });
  await leave();
}

/** Goes on with a round until its end, or until it is another process's. */
async function goOn(input: ReconciliationInput, { place, found }: Round, alive: Alive): Promise<void> {
  const { database, executor, intervalMs, time, log, metrics, signal } = input;
  const began = time.now();
  const remaining = { ...found };
  const healed: Record<string, number> = {};
  let [hasLayer, hasList] = [true, true];
  const pause = (milliseconds: number) => time.pause(milliseconds, signal);
  for await (const step of compareFrom({ ...input, withEngine: false, pause, alive }, place)) {
    for (const { kind } of step.healed) metrics.differencesHealed.inc({ kind });
    countInto(healed, step.healed);
    countInto(remaining, step.remaining);
    hasLayer &&= step.hasLayer;
    hasList &&= step.hasList;
    if (!(await saveRound(database, executor, { place: step.place, found: remaining }, HOLD_MS))) return;
    alive();
    await pause(STEP_PAUSE_MS);
  }
  if (!hasLayer) log.warn('the execution layer did not answer; it was not compared');
  if (!hasList) log.warn('the base ledger lists no accounts; schedules that are not registered were not looked for');
  for (const [kind, count] of Object.entries(healed)) log.info({ kind, count }, 'differences healed');
  for (const [kind, count] of Object.entries(remaining)) log.warn({ kind, count }, 'differences remain');
  log.debug({ milliseconds: time.now() - began }, 'everything compared');
  await endRound(database, executor, remaining, Math.round(intervalMs * (1 + JITTER * (time.random() - 0.5))));
}

/** Counts differences by kind. */
function countInto(counts: Record<string, number>, differences: readonly Difference[]): void {
  for (const { kind } of differences) counts[kind] = (counts[kind] ?? 0) + 1;
}
