import { sql } from 'kysely';
import { type RunKey, type RunState, STOPPED_STATES } from '../../domain/run.ts';
import type { Db } from '../schema.ts';
import type { RunRow } from './runs.ts';

/** Which runs an operator asks for. */
export type RunFilter = { readonly state?: RunState | undefined; readonly schedule?: string | undefined };

/** Runs that an operator asks for, the last recorded first; without a state, those that are not over. */
export function listRunsFor(database: Db, { state, schedule }: RunFilter, limit: number): Promise<RunRow[]> {
  let runs = database.selectFrom('execution_runs').selectAll();
  runs = state === undefined ? runs.where('finished_at', 'is', null) : runs.where('state', '=', state);
  if (schedule !== undefined) runs = runs.where('schedule', '=', schedule);
  return runs.orderBy('id', 'desc').limit(limit).execute();
}

/**
 * Asks for stopped runs to go on, which the next poll of any process does, and returns their ids; those in other states stay as they
 * are. The tries that they have had don't count any more. `at` in unix milliseconds.
 */
export async function requestResume(database: Db, runIds: readonly number[], at: number): Promise<number[]> {
  if (runIds.length === 0) return [];
  const rows = await database
    .updateTable('execution_runs')
    .set({
      resume_at: at,
      retries_after: sql<number>`coalesce((select max(id) from execution_attempts where run_id = execution_runs.id), 0)`,
    })
    .where('id', 'in', runIds)
    .where('state', 'in', STOPPED_STATES)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** The reason of an operator, encrypted. */
export type SealedReason = { readonly reason: Uint8Array; readonly key_id: string };

/**
 * Gives a run up, unless it is over: then false. A try under way may still end it, but no further one begins. `at` in unix
 * milliseconds.
 */
export function abandonRun(database: Db, runId: number, sealed: SealedReason, at: number): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('execution_runs')
      .set({ state: 'abandoned', resume_at: null })
      .where('id', '=', runId)
      .where('finished_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const why = { ...sealed, abandoned_at: at };
    await transaction
      .insertInto('abandoned_runs')
      .values({ run_id: runId, ...why })
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(why))
      .execute();
    return true;
  });
}

/** Why a run was given up last, and when; it may go on since. */
export function findAbandonment(database: Db, runId: number) {
  return database.selectFrom('abandoned_runs').selectAll().where('run_id', '=', runId).executeTakeFirst();
}

/** The name of a run. */
export const keyOf = (run: RunRow): RunKey => ({ schedule: run.schedule, window: BigInt(run.window_number) });
