import type { Time } from '@payouts/client';
import type { Kysely } from 'kysely';
import { type RunKey, workflowIdOf } from '../domain/run.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { findActiveRuns } from '../store/queries/runs.ts';
import type { Tables } from '../store/schema.ts';
import type { Engine, EngineState } from './engine.ts';

/** Milliseconds between the two looks that must find the same. */
const AGAIN_AFTER_MS = 500;

/**
 * Brings runs and engine together: a run that is recorded as in line or at work, but which the engine has never heard of, has
 * ended or has left behind, is put in line again: a process died between the two records, or the database was lost. It looks twice,
 * since another process may be between the two records at this moment.
 */
export async function reconcileRuns(input: {
  readonly database: Kysely<Tables>;
  readonly engine: Engine;
  readonly time: Pick<Time, 'pause'>;
  readonly log: Logger;
  readonly metrics: Metrics;
}): Promise<void> {
  const { database, engine, time, log, metrics } = input;
  const first = await differing(database, engine);
  if (first.size === 0) return;
  await time.pause(AGAIN_AFTER_MS);
  for (const [id, { key, state }] of await differing(database, engine)) {
    if (first.get(id)?.state !== state) continue;
    metrics.differs(`engine-${state}`);
    if (state === 'unknown') await engine.enqueue([key]);
    else if (state === 'orphaned') await engine.requeue(key);
    else await engine.restart(key);
    log.info({ run: id, engineState: state }, 'run requeued');
  }
}

type Differing = { readonly key: RunKey; readonly state: Exclude<EngineState, 'active'> };

/** Runs recorded as in line or at work that are neither for the engine, by their workflows' names. */
async function differing(database: Kysely<Tables>, engine: Engine): Promise<Map<string, Differing>> {
  const keys = (await findActiveRuns(database)).map(({ schedule, window_number }) => ({
    schedule,
    window: BigInt(window_number),
  }));
  const states = await engine.statesOf(keys);
  const found = new Map<string, Differing>();
  for (const key of keys) {
    const id = workflowIdOf(key);
    const state = states.get(id);
    if (state !== undefined && state !== 'active') found.set(id, { key, state });
  }
  return found;
}
