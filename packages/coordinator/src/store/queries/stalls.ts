import type { RunError } from '../../domain/errors.ts';
import type { Db } from '../schema.ts';

/** Notes on runs what they wait for, as far as they are still at work. */
export async function saveStalls(
  database: Db,
  runIds: readonly number[],
  { code, message }: Pick<RunError, 'code' | 'message'>,
): Promise<void> {
  if (runIds.length === 0) return;
  await database
    .updateTable('execution_runs')
    .set({ error_code: code, error_detail: message })
    .where('id', 'in', runIds)
    .where('state', '=', 'running')
    .execute();
}

/** Takes that back from those that are still at work. */
export async function clearStalls(database: Db, runIds: readonly number[], code: string): Promise<void> {
  if (runIds.length === 0) return;
  await database
    .updateTable('execution_runs')
    .set({ error_code: null, error_detail: null })
    .where('id', 'in', runIds)
    .where('state', '=', 'running')
    .where('error_code', '=', code)
    .execute();
}
