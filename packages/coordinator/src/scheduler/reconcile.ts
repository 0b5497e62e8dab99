import type { Kysely } from 'kysely';
import { workflowIdOf } from '../domain/run.ts';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics.ts';
import { findActiveRuns } from '../store/queries/runs.ts';
import type { Tables } from '../store/schema.ts';
import type { Engine } from '../workflow/engine.ts';

/**
 * Brings runs and engine together: a run that is recorded as in line or at work, but which the engine has never heard of, has
 * ended or has left behind, is put in line again: a process died between the two records, or the database was lost.
 */
export async function reconcileRuns(input: {
  readonly database: Kysely<Tables>;
  readonly engine: Engine;
  readonly log: Logger;
  readonly metrics: Metrics;
}): Promise<void> {
  const { database, engine, log, metrics } = input;
  const keys = (await findActiveRuns(database)).map(({ schedule, window_number }) => ({
    schedule,
    window: BigInt(window_number),
  }));
  const states = await engine.statesOf(keys);
  for (const key of keys) {
    const state = states.get(workflowIdOf(key));
    if (state === undefined || state === 'active') continue;
    metrics.differs(`engine-${state}`);
    if (state === 'unknown') await engine.enqueue([key]);
    else if (state === 'left-behind') await engine.takeUp(key);
    else await engine.startOver(key);
    log.info({ run: workflowIdOf(key), engineState: state }, 'run taken up again');
  }
}
