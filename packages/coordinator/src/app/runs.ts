import { randomBytes } from 'node:crypto';
import { retryPolicies } from '../domain/backoff.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { startEngine } from '../runs/engine.ts';
import { StageRunner } from '../runs/runner.ts';
import { watchStalls } from '../runs/stalls.ts';
import { sqlRunStore } from '../store/runStore.ts';
import type { ConnectedLedgers } from './ledgers.ts';
import type { Runtime } from './runtime.ts';
import type { Services } from './services.ts';
import type { Store } from './store.ts';

/** Recipients of lists that are being paid at a time, at most: three of the largest lists. */
const RECIPIENTS_IN_MEMORY = 1_200_000;
/** Milliseconds that stages which are broken off have to note it. */
const BREAK_OFF_WITHIN_MS = 2_000;

/** Starts the engine with the stages that it runs; it goes on with the runs that a former process of this name left. */
export async function startRuns(
  runtime: Runtime,
  ledgers: ConnectedLedgers,
  { database, payloadKeys, lease }: Store,
  { payableLists, balances, liabilities }: Services,
): Promise<void> {
  const { settings, lifecycle } = runtime;
  const { draining, stopping: signal } = lifecycle;
  const underWay = new Set<number>();
  const runner = new StageRunner({
    context: {
      ...ledgers,
      ...runtime,
      signal,
      store: sqlRunStore(database.query),
      payloadKeys,
      liabilities,
      payableLists,
      balances,
      newBitmapNonce: () => randomBytes(4).readUInt32LE(),
      permitted: { isDone: false },
      listRoom: new Semaphore(RECIPIENTS_IN_MEMORY),
      keptPayments: new Map(),
      underWay,
      claimsInFlight: settings.claimsInFlight,
    },
    policies: retryPolicies({
      attempts: settings.stageAttempts,
      firstMs: settings.stageRetryMs,
      patienceMs: settings.stagePatienceMs,
      holdRecheckMs: settings.holdRecheckMs,
    }),
    draining,
  });
  const { runConcurrency, shutdownGraceMs } = settings;
  const { pool, query } = database;
  const { silences } = ledgers;
  const watched = watchStalls({ ...runtime, database: query, silences, underWay, signal: draining });
  lifecycle.atEnd(() => watched);
  const engine = await startEngine({ ...runtime, pool, database: query, runner, runConcurrency, lease, draining });
  lifecycle.atEnd(() => engine.drained(BREAK_OFF_WITHIN_MS));
  lifecycle.whileDraining(() => engine.drained(shutdownGraceMs));
}
