import type { Kysely } from 'kysely';
import { STOPPED_STATES } from '../../src/domain/run.ts';
import type { RunRow } from '../../src/store/queries/runs.ts';
import type { Tables } from '../../src/store/schema.ts';

/** Stopped runs that the poller would take on at `at` (unix milliseconds), the first due first. Changes nothing. */
export function resumableRuns(database: Kysely<Tables>, at: number): Promise<RunRow[]> {
  return database
    .selectFrom('execution_runs')
    .selectAll()
    .where('resume_at', '<=', String(at))
    .where('state', 'in', STOPPED_STATES)
    .orderBy('resume_at')
    .execute();
}
