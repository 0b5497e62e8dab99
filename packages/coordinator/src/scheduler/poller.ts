import type { Address } from '@solana/kit';
import type { Kysely } from 'kysely';
import { RESUMED_BY_TIME, workflowIdOf } from '../domain/run.ts';
import type { LedgerClock } from '../ledger/clock.ts';
import type { BaseLedger } from '../ledger/ledger.ts';
import { pause } from '../ledger/pause.ts';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics.ts';
import { createRun, findResumable } from '../store/queries/runs.ts';
import { findDueSchedules, findStaleSchedules } from '../store/queries/schedules.ts';
import type { Tables } from '../store/schema.ts';
import type { Engine } from '../workflow/engine.ts';
import { READ_AT_ONCE, readSchedules } from './reader.ts';
import { reconcileRuns } from './reconcile.ts';
import { resumeRun } from './resume.ts';

/** A schedule not seen for so long is read again, in case a change of it was missed; milliseconds. */
const STALE_MS = 60_000;
/** Stopped runs taken on in one poll. */
const RESUME_AT_ONCE = 100;

export type PollerInput = {
  readonly base: BaseLedger;
  readonly clock: LedgerClock;
  readonly database: Kysely<Tables>;
  readonly program: Address;
  readonly engine: Engine;
  readonly intervalMs: number;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
};

/**
 * One look for what is to be done: schedules that look due by the store's index are read in one batch together with those not
 * seen for longest, so its cost doesn't grow with the number of schedules.
 */
export async function poll(input: PollerInput): Promise<void> {
  const { clock, database, engine, log } = input;
  const looksDue = await findDueSchedules(database, clock.now(), READ_AT_ONCE);
  const stale = await findStaleSchedules(database, Date.now() - STALE_MS, READ_AT_ONCE - looksDue.length);
  for (const { recipients, ...key } of await readSchedules(input, [...new Set([...looksDue, ...stale])])) {
    const isNew = await createRun(database, key, recipients, Date.now());
    // Said again for a run that is recorded: the process may have died between the two.
    await engine.enqueue(key);
    if (isNew) log.info({ run: workflowIdOf(key), recipientCount: recipients }, 'run created');
  }
  for (const run of await findResumable(database, Date.now(), RESUME_AT_ONCE)) {
    await resumeRun(input, run, RESUMED_BY_TIME);
  }
  log.debug({ looksDue: looksDue.length, readAgain: stale.length }, 'polled');
}

/** Milliseconds between two comparisons of the recorded runs with the engine's. */
const RECONCILE_EVERY_MS = 30_000;

/** Polls until the signal. A poll that fails is logged and the next one comes in its time. */
export async function runPoller(input: PollerInput): Promise<void> {
  const { intervalMs, log, signal } = input;
  let failures = 0;
  let reconciledAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const began = Date.now();
    try {
      if (began - reconciledAt >= RECONCILE_EVERY_MS) {
        await reconcileRuns(input);
        reconciledAt = began;
      }
      await poll(input);
      if (failures > 0) log.info({ failures }, 'polling works again');
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const { name, message } = error instanceof Error ? error : { name: 'unknown', message: '' };
      if (failures === 1) log.warn({ error: name, detail: message }, 'a poll failed; it is repeated');
    }
    await pause(Math.max(0, intervalMs - (Date.now() - began)), signal).catch(() => {});
  }
}
