import { runIdOf } from '../domain/run.ts';
import { CLOCK_ADDRESS, clockTime } from '../ledger/clock.ts';
import type { PayableLists } from '../lists/payableLists.ts';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';
import type { Locks } from '../platform/leadership.ts';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import { secondsSince } from '../platform/metrics.ts';
import type { Alive } from '../platform/watchedRound.ts';
import { enqueueLostRuns } from '../store/queries/jobs.ts';
import { createRuns, type DueWindow, resumeRuns } from '../store/queries/runs.ts';
import { findDueSchedules, findStaleSchedules } from '../store/queries/schedules.ts';
import { READ_AT_ONCE, type ReaderInput, readSchedules } from './reader.ts';

/** A schedule not seen for so long is read again, in case a change of it was missed; milliseconds. */
const STALE_MS = 60_000;
/** Schedules that look due, and schedules not seen for long, read in one poll: enough to go round 100,000 in half an hour. */
export const DUE_AT_ONCE = 485;
const STALE_AT_ONCE = 97;
/** Readings under way at a time. */
const READINGS = 4;
/** Seconds by which schedules are read before they are due: our clock may be one behind the ledger's, whose next one is waited for. */
const AHEAD = 2n;
/** Seconds for which they are left to the process that looks first: others that look at the same moment do its work again. */
const BEHIND = 1n;
/** Milliseconds between two looks at the ledger's clock while a window is about to be due: half a public ledger's slot. */
const CLOCK_LOOK_MS = 200;
/** Stopped runs taken on in one poll. */
const RESUME_AT_ONCE = 100;
/** Intervals of polls, less what a poll takes, after which the ledger's clock is read though nothing looks due: it may have been wrong. */
const CLOCK_EVERY = 1.9;

export type PollerInput = ReaderInput &
  LoopContext & {
    readonly locks: Pick<Locks, 'holds'>;
    /** Where lists are made ready whose windows are due in a moment. */
    readonly payableLists: Pick<PayableLists, 'prepare'>;
    readonly intervalMs: number;
  };

/**
 * One look for windows that are due: schedules that look due by the store's index are read together with some of those not seen
 * for longest, so its cost doesn't grow with the number of schedules. Where none looks due, the ledger is asked for its clock every other time
 * alone. Of processes that share the store the one that follows the ledger looks first. Returns whether a window may be due within a moment, and
 * whether more look due than were read.
 */
export async function poll(input: PollerInput): Promise<{ readonly isSoon: boolean; readonly isMore: boolean }> {
  const { clock, database, locks, payableLists, time, log, intervalMs } = input;
  const isFirst = await locks.holds('subscriber').catch(() => false);
  const until = isFirst ? clock.now() + AHEAD : clock.now() - BEHIND;
  const looksDue = new Set(await findDueSchedules(database, until, DUE_AT_ONCE));
  const isFull = looksDue.size === DUE_AT_ONCE;
  const isRead = looksDue.size > 0 || clock.ageMs >= CLOCK_EVERY * intervalMs;
  const stale = isRead ? await findStaleSchedules(database, time.now() - STALE_MS, STALE_AT_ONCE) : [];
  const due = new Set<string>();
  let created = 0;
  // A reading's runs begin before the next one is there.
  await forEachLimited(isRead ? readingsOf([...looksDue, ...stale]) : [], READINGS, async (some) => {
    const windows = await readSchedules(input, some);
    for (const { schedule } of windows) due.add(schedule);
    const begun = await begin(input, windows, looksDue);
    created += begun;
  });
  for (const { was, ...key } of await resumeRuns(database, time.now(), RESUME_AT_ONCE)) {
    log.info({ run: runIdOf(key), was }, 'run resumed');
  }
  if (due.size > 0) log.info({ looksDue: looksDue.size, readAgain: stale.length }, 'polled');
  else log.debug({ looksDue: looksDue.size, readAgain: stale.length }, 'polled');
  const soon = [...looksDue].filter((schedule) => !due.has(schedule));
  void payableLists.prepare(soon);
  return { isSoon: soon.length > 0, isMore: isFull && created > 0 };
}

/** Those of one reading each; always one, which tells the clock and the balances. */
const readingsOf = (addresses: readonly string[]): Iterable<readonly string[]> =>
  addresses.length === 0 ? [[]] : chunksOf([...new Set(addresses)], READ_AT_ONCE);

/** Records a run for each of these due windows that has none, and puts it in line; returns how many. */
async function begin(
  { database, time, log, metrics }: PollerInput,
  windows: readonly DueWindow[],
  looksDue: ReadonlySet<string>,
): Promise<number> {
  const created = new Set((await createRuns(database, windows, time.now())).map(runIdOf));
  for (const window of windows) {
    const run = runIdOf(window);
    const [isNew, wasExpected] = [created.has(run), looksDue.has(window.schedule)];
    if (isNew || wasExpected) metrics.schedulesDue.inc();
    if (!isNew) continue;
    metrics.runsCreated.inc();
    log.info({ run, recipientCount: window.recipients }, 'run created');
    if (!wasExpected) metrics.differs('schedule-missed');
  }
  return created.size;
}

/** Waits until the ledger's clock shows another second than at the last reading, at most until `latest`, a reading of `time.monotonic()`. */
async function nextSecond({ base, clock, time, signal }: PollerInput, latest: number, alive: Alive): Promise<void> {
  const before = clock.shown;
  while (time.monotonic() < latest) {
    await time.pause(Math.min(CLOCK_LOOK_MS, latest - time.monotonic()), signal);
    const { accounts } = await base.accounts([CLOCK_ADDRESS]);
    alive();
    const shown = clockTime(accounts[0] ?? null);
    if (shown === undefined) return;
    clock.learn(shown);
    if (shown !== before) return;
  }
}

/** Milliseconds between two looks for runs without a job. */
const FIND_LOST_EVERY_MS = 30_000;

/** Run and job are recorded together, so this finds something only if two processes worked on a run at once and one of them died. */
async function enqueueLost({ database, log, metrics }: PollerInput): Promise<void> {
  for (const key of await enqueueLostRuns(database)) {
    metrics.differs('not-in-engine');
    log.info({ run: runIdOf(key) }, 'run requeued');
  }
}

/** Polls until the signal. */
export function runPoller(input: PollerInput): Promise<void> {
  const { intervalMs, time, metrics } = input;
  let lookedForLostAt = Number.NEGATIVE_INFINITY;
  const onFailure = () => metrics.polls.inc({ outcome: 'failed' });
  return runLoop({ ...input, name: 'polls', onFailure }, async (alive) => {
    const began = time.monotonic();
    if (began - lookedForLostAt >= FIND_LOST_EVERY_MS) {
      await enqueueLost(input);
      lookedForLostAt = began;
    }
    const pollBegan = time.monotonic();
    alive();
    const { isSoon, isMore } = await poll(input);
    alive();
    metrics.polls.inc({ outcome: 'ok' });
    metrics.pollSeconds.observe(secondsSince(time, pollBegan));
    if (isSoon && !isMore) await nextSecond(input, began + intervalMs, alive);
    return isSoon || isMore ? 0 : Math.max(0, intervalMs - (time.monotonic() - began));
  });
}
