import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import type { RetryPolicy } from '../domain/backoff.ts';
import { type RunKey, STAGES, type Stage, workflowIdOf } from '../domain/run.ts';
import type { Logger } from '../log/log.ts';
import { engineLogger } from './engineLogger.ts';
import type { StageRunner } from './runner.ts';

/** Raised only when the workflow changes so that runs begun by the old one can't be continued by the new one. */
const WORKFLOW_VERSION = '1';
/** Who runs the workflows; a process takes up what the last one of the same name left. */
const EXECUTOR = 'coordinator';
const QUEUE = 'runs';
/** Milliseconds between two looks into the queue. */
const QUEUE_POLL_MS = 200;
/** Workflows ended so: the engine can start them over. */
const ENDED: ReadonlySet<string> = new Set(['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED']);

export type EngineInput = {
  readonly pool: Pool;
  readonly runner: Pick<StageRunner, 'attempt'>;
  readonly policy: RetryPolicy;
  readonly runConcurrency: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/** Runs windows, each once for ever under its own name, and goes on with them after a crash. */
export type Engine = {
  /** Puts a run in line, unless it is there, at work or over. */
  enqueue(key: RunKey): Promise<void>;
  /** Puts a run that stopped in line again, from its beginning; false if it is in line or at work. */
  startOver(key: RunKey): Promise<boolean>;
  /** What the engine knows of a run: `ended` says that it has nothing more to do for it, however that came. */
  stateOf(key: RunKey): Promise<'unknown' | 'active' | 'ended'>;
  stop(): Promise<void>;
};

/** Never resolves: a workflow that waits for it stays recorded as at work, and the next start takes it up. */
const untilNextStart = () => new Promise<never>(() => {});

/**
 * Starts the engine over the shared pool and takes up what a former process left. One engine a process: the library is a
 * singleton. Throws if one runs already.
 */
export async function startEngine(input: EngineInput): Promise<Engine> {
  const { pool, runner, policy, runConcurrency, log, signal } = input;
  if (DBOS.isInitialized()) throw new Error('A coordinator runs in this process already: stop it first.');
  DBOS.setConfig({
    name: 'payouts',
    systemDatabasePool: pool,
    systemDatabaseSchemaName: 'dbos',
    useListenNotify: false,
    applicationVersion: WORKFLOW_VERSION,
    executorID: EXECUTOR,
    logger: engineLogger(log),
  });

  const step = (key: RunKey, stage: Stage) =>
    DBOS.runStep(
      async () => {
        try {
          if (signal.aborted) return await untilNextStart();
          return await runner.attempt(key, stage, DBOS.stepStatus?.currentAttempt ?? 1);
        } catch (error) {
          return signal.aborted ? await untilNextStart() : Promise.reject(error);
        }
      },
      {
        name: stage,
        retriesAllowed: true,
        maxAttempts: policy.attempts,
        intervalSeconds: policy.baseMs / 1_000,
        backoffRate: policy.rate,
      },
    );

  const payWindow = DBOS.registerWorkflow(
    async (schedule: string, window: string): Promise<string> => {
      for (const stage of STAGES) {
        const result = await step({ schedule, window: BigInt(window) }, stage);
        if (result !== 'done') return result;
      }
      return 'done';
    },
    { name: 'payWindow' },
  );

  await DBOS.launch();
  await DBOS.registerQueue(QUEUE, {
    workerConcurrency: runConcurrency,
    minPollingIntervalMs: QUEUE_POLL_MS,
    onConflict: 'always_update',
  });

  const stateOf = async (key: RunKey) => {
    const found = await DBOS.getWorkflowStatus(workflowIdOf(key));
    if (found === null) return 'unknown';
    return ENDED.has(found.status) ? 'ended' : 'active';
  };
  return {
    async enqueue(key) {
      await DBOS.startWorkflow(payWindow, { workflowID: workflowIdOf(key), queueName: QUEUE })(
        key.schedule,
        key.window.toString(),
      );
    },
    async startOver(key) {
      if ((await stateOf(key)) !== 'ended') return false;
      await DBOS.rewindWorkflow(workflowIdOf(key), { queueName: QUEUE });
      return true;
    },
    stateOf,
    stop: () => DBOS.shutdown({ deregister: true }),
  };
}
