import { EventEmitter } from 'node:events';
import type { Time } from '@payouts/client';
import { type JobHelpers, runTaskList, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import type { Pool } from 'pg';
import { type RunKey, runIdOf, STAGES, type Stage } from '../domain/run.ts';
import type { Failpoint } from '../ledger/failpoints.ts';
import type { Lease } from '../platform/lease.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import { type LoopMetrics, runLoop } from '../platform/loop.ts';
import { type Alive, unwatched } from '../platform/watchedRound.ts';
import { withTimeout } from '../platform/withTimeout.ts';
import { engineLogger } from '../store/db/engineLogger.ts';
import { ENGINE_SCHEMA, poolForEngine } from '../store/db/engineTables.ts';
import { isDatabaseOutage } from '../store/db/outage.ts';
import { AttemptSuperseded, type BegunAttempt } from '../store/queries/attempts.ts';
import { enqueueRun, RUN_TASK, type RunJob, returnJobs } from '../store/queries/jobs.ts';
import type { Db } from '../store/schema.ts';
import type { StageRunner, Tried } from './runner.ts';

/** Milliseconds between two looks for jobs. */
export const QUEUE_POLL_MS = 200;
/** A process takes one run from the line ahead of its turn for so many that are at work. */
const AHEAD_SHARE = 16;
/** Milliseconds until a run is tried again of which something could not be recorded, twice as long each time in a row, and the longest. */
const UNRECORDED_MS = 1_000;
const LONGEST_UNRECORDED_MS = 5 * 60_000;
/** Milliseconds between two looks whether a lost lease is back. */
const LEASE_LOOK_MS = 50;
/** Milliseconds between two looks whether runs are still under way. */
const BUSY_LOOK_MS = 20;
/** Milliseconds between two looks whether the engine has lost the database. */
const LOOK_MS = 1_000;

export type EngineInput = {
  readonly pool: Pool;
  readonly database: Db;
  readonly runner: Pick<StageRunner, 'attempt'>;
  readonly runConcurrency: number;
  /** No stage is begun without it. */
  readonly lease: Lease;
  readonly time: Time;
  readonly log: Logger;
  readonly metrics: LoopMetrics;
  readonly failpoint?: Failpoint | undefined;
  /** Aborts when no further stage may begin. */
  readonly draining: AbortSignal;
};

/** Runs windows that are in line, and goes on with them after a crash. */
export type Engine = {
  /**
   * Waits at most so many milliseconds until no stage is under way, and says whether none is; the signal `draining` must have been given.
   * What is left goes back in line.
   */
  drained(milliseconds: number): Promise<boolean>;
};

/** A run at work; `stage`: the first one that is tried. */
type AtWork = { readonly key: RunKey; readonly stage: Stage; readonly generation: number };

/** Tries a run's stages until one does not end well: each probes what is there and does what is missing. */
async function runStages({ runner, lease, time, failpoint, draining }: EngineInput, { key, ...run }: AtWork) {
  let begun: BegunAttempt | undefined;
  for (const stage of STAGES.slice(STAGES.indexOf(run.stage))) {
    let tried: Tried;
    do {
      while (!lease.isHeld()) await time.pause(LEASE_LOOK_MS, draining);
      if (begun === undefined) draining.throwIfAborted();
      if (lease.generation !== run.generation) throw new AttemptSuperseded('Another process has the run.');
      tried = await runner.attempt(key, stage, begun);
      begun = undefined;
    } while (tried.result === 'again');
    await failpoint?.(`${stage}:after-checkpoint`, runIdOf(key));
    if (tried.result !== 'done') return;
    begun = tried.begun;
  }
}

/**
 * When a run is tried again of which something could not be recorded. That the service stops or the database is gone passes, and is said
 * elsewhere. Anything else is said here, since nobody reads it in the run, and will most likely happen again.
 */
function unrecorded({ log, draining }: EngineInput, key: RunKey, error: unknown, before: number) {
  if (draining.aborted) return { delayMs: 0, failures: before };
  if (isDatabaseOutage(error)) return { delayMs: UNRECORDED_MS, failures: before };
  const waitMs = Math.min(UNRECORDED_MS * 2 ** before, LONGEST_UNRECORDED_MS);
  const failures = before + 1;
  log.error({ run: runIdOf(key), failures, waitMs, ...errorFields(error) }, 'what came of a run could not be recorded');
  return { delayMs: waitMs, failures };
}

/** The engine's task, whether it is at work, and the events by which the engine is followed. */
function taskOf(input: EngineInput, onFatal: () => void) {
  const { lease, database } = input;
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => {
    workerPool.id = lease.executor;
  });
  events.on('pool:fatalError', onFatal);
  /** Of the lease under which jobs were taken from the line: without it they may be another process's. */
  const generations = new WeakMap<object, number>();
  events.on('localQueue:getJobs:complete', ({ jobs }) => {
    for (const job of jobs) generations.set(job, lease.generation);
  });
  const underWay = new Set<{ readonly generation: number }>();
  const task = async (payload: unknown, { job }: JobHelpers) => {
    const { schedule, window, stage, failures } = payload as RunJob;
    const key = { schedule, window: BigInt(window) };
    const run = { key, stage: stage ?? STAGES[0], generation: generations.get(job) as number };
    underWay.add(run);
    try {
      await runStages(input, run);
    } catch (error) {
      // The job is another's, too: the engine leaves that one alone only if this one fails.
      if (error instanceof AttemptSuperseded) throw error;
      await enqueueRun(database, key, unrecorded(input, key, error, failures));
    } finally {
      underWay.delete(run);
    }
  };
  /** Whether runs are under way that are still this process's. */
  const isBusy = () => [...underWay].some(({ generation }) => generation === lease.generation);
  return { task, isBusy, events };
}

/** Starts the engine over the shared pool; its tables must be there. What is at work under the lease's name is begun again. */
export async function startEngine(input: EngineInput): Promise<Engine> {
  const { pool, database, runConcurrency, lease, time, log, draining } = input;
  let isLost = false;
  const onLost = () => {
    isLost = true;
  };
  const { task, isBusy, events } = taskOf(input, onLost);
  const worker = {
    schema: ENGINE_SCHEMA,
    logger: engineLogger(log),
    concurrentJobs: runConcurrency,
    pollInterval: QUEUE_POLL_MS,
    // A few are taken from the line before there is room, so that room which a run leaves is filled at once; the others are for any process.
    localQueue: { size: Math.ceil(runConcurrency / AHEAD_SHARE) },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  const start = async (alive: Alive) => {
    await returnJobs(database, [lease.executor]);
    alive();
    isLost = false;
    const options = { preset: { worker }, events, noHandleSignals: true };
    const started = runTaskList(options, { [RUN_TASK]: task }, poolForEngine(pool, onLost));
    started.promise.catch(() => {});
    // In braces, since it would be waited for.
    return { workers: started };
  };
  const close = async ({ workers }: { readonly workers: WorkerPool }, alive: Alive) => {
    const closed = Promise.allSettled([workers.gracefulShutdown()]);
    for (; isBusy(); alive()) await time.pause(BUSY_LOOK_MS);
    // Once it could not record that jobs have ended, it may never be.
    if (!isLost) await closed;
  };

  let engine = await start(unwatched);
  const watching = runLoop({ ...input, name: 'engine', signal: draining }, async (alive) => {
    if (isLost) {
      await close(engine, alive);
      engine = await start(alive);
      log.warn('the engine was started again since the database had been lost');
    }
    return LOOK_MS;
  });
  let ended: Promise<unknown> | undefined;
  return {
    async drained(milliseconds) {
      ended ??= watching.then(() => close(engine, unwatched)).then(() => true);
      return (await withTimeout(time, milliseconds, ended)) === true;
    },
  };
}
