import { DBOS, type WorkflowStatus } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { dbRetryConfig } from '@dbos-inc/dbos-sdk/internal/utils';
import type { Pool } from 'pg';
import type { RetryPolicy } from '../domain/backoff.ts';
import { type RunKey, STAGES, type Stage, workflowIdOf } from '../domain/run.ts';
import type { Logger } from '../log/log.ts';
import { Activity } from './activity.ts';
import { engineLogger } from './engineLogger.ts';
import { ENGINE_SCHEMA } from './engineTables.ts';
import type { AttemptResult, StageRunner } from './runner.ts';

/** Raised only when the workflow changes so that runs begun by the old one can't be continued by the new one. */
const WORKFLOW_VERSION = '1';
const QUEUE = 'runs';
/** Milliseconds between two looks into the queue. */
const QUEUE_POLL_MS = 200;
/** Seconds: the longest wait between two tries to reach a lost database; the library's own minute would outlast most outages. */
const LONGEST_RECONNECT_SECONDS = 2;
/** Milliseconds after which a workflow that is recorded as at work here, and isn't, counts as left behind. */
const LEFT_BEHIND_MS = 10_000;
/** Runs asked for in one query. */
const STATES_AT_ONCE = 500;
/** Workflows ended so: the engine can start them over. */
const ENDED: ReadonlySet<string> = new Set(['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED']);

export type EngineInput = {
  readonly pool: Pool;
  readonly runner: Pick<StageRunner, 'attempt'>;
  readonly policy: RetryPolicy;
  readonly runConcurrency: number;
  /** Who runs the workflows: a process takes up what the last one of the same name left, and only that. */
  readonly instanceName: string;
  readonly log: Logger;
  /** Aborts when no further stage may begin. */
  readonly draining: AbortSignal;
  /** Aborts when stages under way are to break off. */
  readonly signal: AbortSignal;
};

/**
 * What the engine knows of a run: `ended`: it has nothing more to do for it, however that came; `left-behind`: recorded as at work
 * in this process, but it isn't, since the database was lost at a bad moment.
 */
export type EngineState = 'unknown' | 'active' | 'left-behind' | 'ended';

/** Runs windows, each once for ever under its own name, and goes on with them after a crash. */
export type Engine = {
  /** Puts runs in line, except those that are there, at work or over. */
  enqueue(keys: readonly RunKey[]): Promise<void>;
  /** Puts a run that stopped in line again, from its beginning; false if it is in line or at work. */
  startOver(key: RunKey): Promise<boolean>;
  /** Puts a run in line again that is recorded as at work, from the stage it is in. */
  takeUp(key: RunKey): Promise<void>;
  /** By the runs' names. */
  statesOf(keys: readonly RunKey[]): Promise<ReadonlyMap<string, EngineState>>;
  /** Waits at most so many milliseconds until no stage is under way; the signal `draining` must have been given. */
  drain(milliseconds: number): Promise<boolean>;
  stop(): Promise<void>;
};

/** Never resolves: a workflow that waits for it stays recorded as at work, and the next start takes it up. */
const untilNextStart = () => new Promise<never>(() => {});

/**
 * Starts the engine over the shared pool and takes up what a former process of this name left. Its tables must be there. One
 * engine a process: the library is a singleton. Throws if one runs already.
 */
export async function startEngine(input: EngineInput): Promise<Engine> {
  const { pool, runner, policy, runConcurrency, instanceName, log, draining, signal } = input;
  if (DBOS.isInitialized()) throw new Error('A coordinator runs in this process already: stop it first.');
  dbRetryConfig.maxBackoffSec = LONGEST_RECONNECT_SECONDS;
  DBOS.setConfig({
    name: 'payouts',
    systemDatabasePool: pool,
    systemDatabaseSchemaName: ENGINE_SCHEMA,
    useListenNotify: false,
    runMigrations: false,
    applicationVersion: WORKFLOW_VERSION,
    executorID: instanceName,
    logger: engineLogger(log),
  });

  const activity = new Activity();
  const attempt = async (key: RunKey, stage: Stage): Promise<AttemptResult> => {
    const id = workflowIdOf(key);
    if (draining.aborted) return untilNextStart();
    activity.busy(id);
    try {
      // Stays busy until its result is recorded: the next stage, or the workflow's end, comes after that.
      return await runner.attempt(key, stage, DBOS.stepStatus?.currentAttempt ?? 1);
    } catch (error) {
      activity.idle(id);
      // What failed now is tried again by the next start.
      if (draining.aborted || signal.aborted) return untilNextStart();
      throw error;
    }
  };
  const step = (key: RunKey, stage: Stage) =>
    DBOS.runStep(() => attempt(key, stage), {
      name: stage,
      retriesAllowed: true,
      maxAttempts: policy.attempts,
      intervalSeconds: policy.baseMs / 1_000,
      backoffRate: policy.rate,
    });

  const payWindow = DBOS.registerWorkflow(
    (schedule: string, window: string): Promise<string> => {
      const key = { schedule, window: BigInt(window) };
      const id = workflowIdOf(key);
      return activity.during(id, async () => {
        for (const stage of STAGES) {
          activity.idle(id);
          // Before the step and not only in it: a step that the engine has begun would be counted as tried.
          if (draining.aborted) return untilNextStart();
          const result = await step(key, stage);
          if (result !== 'done') return result;
        }
        return 'done';
      });
    },
    { name: 'payWindow' },
  );

  await DBOS.launch();
  await DBOS.registerQueue(QUEUE, {
    workerConcurrency: runConcurrency,
    minPollingIntervalMs: QUEUE_POLL_MS,
    onConflict: 'always_update',
  });

  /** When workflows were first seen as recorded here but not at work; unix milliseconds. */
  const missedSince = new Map<string, number>();
  const judge = (id: string, found: WorkflowStatus | undefined): EngineState => {
    if (found === undefined) return 'unknown';
    if (ENDED.has(found.status)) return 'ended';
    // Between the record and the beginning lies a moment, so it must be missed for a while.
    const isMissed = found.status === 'PENDING' && found.executorId === instanceName && !activity.has(id);
    const since = isMissed ? (missedSince.get(id) ?? Date.now()) : undefined;
    if (since === undefined) missedSince.delete(id);
    else missedSince.set(id, since);
    return since !== undefined && Date.now() - since >= LEFT_BEHIND_MS ? 'left-behind' : 'active';
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
    async startOver(key) {
      if ((await statesOf([key])).get(workflowIdOf(key)) !== 'ended') return false;
      await DBOS.rewindWorkflow(workflowIdOf(key), { queueName: QUEUE });
      return true;
    },
    async takeUp(key) {
      missedSince.delete(workflowIdOf(key));
      await DBOS.resumeWorkflow(workflowIdOf(key), { queueName: QUEUE });
    },
    statesOf,
    drain: (milliseconds) => activity.isQuietWithin(milliseconds),
    stop: () => DBOS.shutdown({ deregister: true }),
  };
}
