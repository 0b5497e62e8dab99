import { DBOS, DBOSWorkflowConflictError, type WorkflowStatus } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { dbRetryConfig } from '@dbos-inc/dbos-sdk/internal/utils';
import type { Time } from '@payouts/client';
import type { Pool } from 'pg';
import { type RunKey, STAGES, type Stage, workflowIdOf } from '../domain/run.ts';
import type { Failpoint } from '../ledger/failpoints.ts';
import type { Lease } from '../platform/lease.ts';
import type { Logger } from '../platform/log/log.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { ENDED, ENGINE_SCHEMA } from '../store/db/engineTables.ts';
import type { BegunAttempt } from '../store/queries/attempts.ts';
import { AttemptSuperseded } from '../store/queries/attempts.ts';
import { actUnlessDone } from './act.ts';
import { Activity, type Execution } from './activity.ts';
import { engineLogger } from './engineLogger.ts';
import type { AttemptResult, StageRunner, Tried } from './runner.ts';

/** Raised only when the workflow changes so that runs begun by the old one can't be continued by the new one. */
const WORKFLOW_VERSION = '1';
const QUEUE = 'runs';
/** Milliseconds between two looks into the queue. */
export const QUEUE_POLL_MS = 200;
/**
 * Workflows taken from the queue before there is room for them, for each that is at work: without them, room that a run leaves would be
 * empty until the next look.
 */
const AHEAD = 0.5;
/** Seconds: the longest wait between two tries to reach a lost database; the library's own minute would outlast most outages. */
const LONGEST_RECONNECT_SECONDS = 2;
/**
 * Milliseconds before each further try of a stage whose result could not be recorded, since the database is gone. If it stays gone the
 * workflow ends in error, and is taken up again when the runs are compared with the engine's.
 */
const UNRECORDED_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
/** Milliseconds between two looks whether a lost lease is back. */
const LEASE_LOOK_MS = 50;
/** Milliseconds after which a workflow that is recorded as at work here, and isn't, counts as left behind. */
const LEFT_BEHIND_MS = 10_000;
/** Runs asked for in one query. */
const STATES_AT_ONCE = 500;

export type EngineInput = {
  readonly pool: Pool;
  readonly runner: Pick<StageRunner, 'attempt'>;
  readonly runConcurrency: number;
  /** Nothing is begun without it. */
  readonly lease: Lease;
  readonly time: Time;
  readonly log: Logger;
  readonly failpoint?: Failpoint | undefined;
  /** Aborts when no further stage may begin. */
  readonly draining: AbortSignal;
  /** Aborts when stages under way are to break off. */
  readonly signal: AbortSignal;
};

/**
 * What the engine knows of a run: `ended`: it has nothing more to do for it, however that came; `orphaned`: recorded as at work
 * in this process, but it isn't, since the database was lost at a bad moment.
 */
export type EngineState = 'unknown' | 'active' | 'orphaned' | 'ended';

/** Runs windows, each once for ever under its own name, and goes on with them after a crash. */
export type Engine = {
  /** Puts runs in line, except those that are there, at work or over. */
  enqueue(keys: readonly RunKey[]): Promise<void>;
  /** Puts a run that stopped in line again, from its beginning; false if it is in line or at work. */
  restart(key: RunKey): Promise<boolean>;
  /** Puts a run in line again that is recorded as at work, from the stage it is in. */
  requeue(key: RunKey): Promise<void>;
  /** By the runs' names. */
  statesOf(keys: readonly RunKey[]): Promise<ReadonlyMap<string, EngineState>>;
  /** Waits at most so many milliseconds until no stage is under way; the signal `draining` must have been given. */
  drain(milliseconds: number): Promise<boolean>;
  stop(): Promise<void>;
};

/** A workflow's execution, as its stages see it. */
type Run = {
  readonly key: RunKey;
  readonly id: string;
  /** Of the lease under which it began. */
  readonly generation: number;
  readonly execution: Execution;
};

/** Has the engine take nothing from the line while it may not: it looks there by itself, and asks nobody. */
function takeOnlyWhile(mayTake: () => boolean): void {
  const tables = DBOSExecutor.globalInstance?.systemDatabase;
  if (tables === undefined) throw new Error('The engine has not started.');
  const take = tables.findAndMarkStartableWorkflows.bind(tables);
  tables.findAndMarkStartableWorkflows = async (...input) => (mayTake() ? take(...input) : []);
}

/**
 * Starts the engine over the shared pool; workflows recorded as at work under the lease's name are taken up. Its tables must be there.
 * One engine a process: the library is a singleton. Throws if one runs already.
 */
export async function startEngine(input: EngineInput): Promise<Engine> {
  const { pool, runner, runConcurrency, lease, time, log, failpoint, draining, signal } = input;
  if (DBOS.isInitialized()) throw new Error('A coordinator runs in this process already: stop it first.');
  dbRetryConfig.maxBackoffSec = LONGEST_RECONNECT_SECONDS;
  DBOS.setConfig({
    name: 'payouts',
    systemDatabasePool: pool,
    systemDatabaseSchemaName: ENGINE_SCHEMA,
    useListenNotify: false,
    runMigrations: false,
    applicationVersion: WORKFLOW_VERSION,
    executorID: lease.executor,
    logger: engineLogger(log),
  });

  /** Leaves a workflow to whoever takes it next. Never resolves: this process has nothing more to record of it. */
  const leave = async (id: string): Promise<never> => {
    // In vain while the database is gone: then it is taken over when the lease has expired.
    await lease.giveBack(id).catch(() => {});
    return new Promise<never>(() => {});
  };
  const activity = new Activity(time);
  const room = new Semaphore(runConcurrency);
  const attempt = async (run: Run, stage: Stage, begun?: BegunAttempt): Promise<Tried | 'left'> => {
    const { key, id, generation, execution } = run;
    while (!lease.isHeld() && !draining.aborted) await time.pause(LEASE_LOOK_MS);
    if (draining.aborted && begun === undefined) return 'left';
    // The engine stops this execution, and waits for what the one that has taken it over comes to.
    if (lease.generation !== generation) throw new DBOSWorkflowConflictError(id);
    execution.busy();
    try {
      return await runner.attempt(key, stage, begun).finally(() => execution.idle());
    } catch (error) {
      if (error instanceof AttemptSuperseded) throw new DBOSWorkflowConflictError(id);
      // What failed now is tried again by whoever takes it next.
      if (draining.aborted || signal.aborted) return 'left';
      throw error;
    }
  };
  const isOurs = (error: unknown) => !(error instanceof DBOSWorkflowConflictError);
  /** Tries a stage for as long as the runner says so; the first try may have begun. */
  const tried = async (run: Run, stage: Stage, begun: BegunAttempt | undefined): Promise<Tried | 'left'> => {
    let given = begun;
    for (let failures = 0; ; ) {
      try {
        const end = await attempt(run, stage, given);
        if (end === 'left' || end.result !== 'again') return end;
        failures = 0;
      } catch (error) {
        const waitMs = UNRECORDED_MS[failures++];
        if (waitMs === undefined || !isOurs(error)) throw error;
        await time.pause(waitMs);
      }
      given = undefined;
    }
  };

  const stages = async (run: Run): Promise<AttemptResult | 'left'> => {
    let begun: BegunAttempt | undefined;
    for (const stage of STAGES) {
      const end = await tried(run, stage, begun);
      if (end === 'left') return end;
      await failpoint?.(`${stage}:after-checkpoint`, run.id);
      if (end.result !== 'done') return end.result;
      begun = end.begun;
    }
    return 'done';
  };
  // Its stages are no steps of the engine's: each probes what is there and is recorded as an attempt, so a workflow that is taken up
  // begins with the first one, and the engine's own records of them would say nothing that is not known.
  const payWindow = DBOS.registerWorkflow(
    (schedule: string, window: string): Promise<string> => {
      const key = { schedule, window: BigInt(window) };
      const id = workflowIdOf(key);
      const { generation } = lease;
      return activity.during(id, async (execution) => {
        const result = await room.within(1, () => stages({ key, id, generation, execution }));
        return result === 'left' ? leave(id) : result;
      });
    },
    { name: 'payWindow' },
  );

  await DBOS.launch();
  takeOnlyWhile(() => lease.isHeld() && !draining.aborted);
  await DBOS.registerQueue(QUEUE, {
    workerConcurrency: runConcurrency + Math.ceil(runConcurrency * AHEAD),
    minPollingIntervalMs: QUEUE_POLL_MS,
    onConflict: 'always_update',
  });

  /** When workflows were first seen as recorded here but not at work; readings of `time.monotonic()`. */
  const missedSince = new Map<string, number>();
  const judge = (id: string, found: WorkflowStatus | undefined): EngineState => {
    if (found === undefined) return 'unknown';
    if (ENDED.includes(found.status)) return 'ended';
    // Between the record and the beginning lies a moment, so it must be missed for a while.
    const isMissed = found.status === 'PENDING' && found.executorId === lease.executor && !activity.has(id);
    const since = isMissed ? (missedSince.get(id) ?? time.monotonic()) : undefined;
    if (since === undefined) missedSince.delete(id);
    else missedSince.set(id, since);
    return since !== undefined && time.monotonic() - since >= LEFT_BEHIND_MS ? 'orphaned' : 'active';
  };
  const statesOf = async (keys: readonly RunKey[]) => {
    const states = new Map<string, EngineState>();
    for (let start = 0; start < keys.length; start += STATES_AT_ONCE) {
      const workflowIDs = keys.slice(start, start + STATES_AT_ONCE).map(workflowIdOf);
      const found = await DBOS.listWorkflows({ workflowIDs, loadInput: false, loadOutput: false });
      const byId = new Map(found.map((status) => [status.workflowID, status]));
      for (const id of workflowIDs) states.set(id, judge(id, byId.get(id)));
    }
    return states;
  };
  return {
    async enqueue(keys) {
      const executor = DBOSExecutor.globalInstance;
      if (keys.length === 0 || executor === undefined) return;
      const prepared = keys.map((key) =>
        executor.prepareEnqueuedWorkflow(payWindow, [key.schedule, key.window.toString()], {
          workflowID: workflowIdOf(key),
          queueName: QUEUE,
        }),
      );
      await executor.systemDatabase.enqueueWorkflows(await Promise.all(prepared));
    },
    async restart(key) {
      const id = workflowIdOf(key);
      const hasEnded = async () => (await statesOf([key])).get(id) === 'ended';
      if (!(await hasEnded())) return false;
      const rewind = async () => {
        await DBOS.rewindWorkflow(id, { queueName: QUEUE });
      };
      // Another process may do the same at this moment.
      await actUnlessDone(rewind, async () => !(await hasEnded()));
      return true;
    },
    async requeue(key) {
      missedSince.delete(workflowIdOf(key));
      await DBOS.resumeWorkflow(workflowIdOf(key), { queueName: QUEUE });
    },
    statesOf,
    drain: (milliseconds) => activity.isQuietWithin(milliseconds),
    stop: () => DBOS.shutdown({ deregister: true }),
  };
}
