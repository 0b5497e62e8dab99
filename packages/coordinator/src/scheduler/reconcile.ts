import type { Kysely } from 'kysely';
import { workflowIdOf } from '../domain/run.ts';
import type { Logger } from '../log/log.ts';
import { findActiveRuns } from '../store/queries/runs.ts';
import type { Tables } from '../store/schema.ts';
import type { Engine } from '../workflow/engine.ts';

/**
 * Brings runs and engine together: a run that is recorded as in line or at work, but which the engine has never heard of or has
 * ended, is put in line again. A process died between the two records.
 */
export async function reconcileRuns(input: {
  readonly database: Kysely<Tables>;
  readonly engine: Engine;
  readonly log: Logger;
}): Promise<void> {
  const { database, engine, log } = input;
  for (const run of await findActiveRuns(database)) {
    const key = { schedule: run.schedule, window: BigInt(run.window_number) };
    const state = await engine.stateOf(key);
    if (state === 'active') continue;
    if (state === 'unknown') await engine.enqueue(key);
    else await engine.startOver(key);
    log.info({ run: workflowIdOf(key), engineState: state }, 'run taken up again');
  }
}
