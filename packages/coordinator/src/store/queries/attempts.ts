import type { Kysely, Selectable } from 'kysely';
import type { AttemptOutcome, RunKey, Stage } from '../../domain/run.ts';
import type { BegunAttempt } from '../runStore.ts';
import type { ExecutionAttemptsTable, Tables } from '../schema.ts';
import { findRun, markStage } from './runs.ts';

/** One try of a stage, with the signatures of the transactions that it kept; times in unix milliseconds. */
export type AttemptRow = Selectable<ExecutionAttemptsTable> & { readonly signatures: readonly string[] };

/**
 * Begins a try of a stage and notes it on the run. Those still recorded as running were cut off when their process went away;
 * `interrupted` are their stages.
 */
export function beginAttempt(
  database: Kysely<Tables>,
  key: RunKey,
  stage: Stage,
  at: number,
): Promise<BegunAttempt | 'ended' | 'missing'> {
  return database.transaction().execute(async (transaction) => {
    const run = await markStage(transaction, key, stage, at);
    if (run === undefined) return (await findRun(transaction, key)) === undefined ? 'missing' : 'ended';
    const cutOff = await transaction
      .updateTable('execution_attempts')
      .set({ outcome: 'interrupted', ended_at: at })
      .where('run_id', '=', run.id)
      .where('outcome', '=', 'running')
      .returning('stage')
      .execute();
    const { count } = await transaction
      .selectFrom('execution_attempts')
      .select((select) => select.fn.countAll<string>().as('count'))
      .where('run_id', '=', run.id)
      .where('stage', '=', stage)
      .executeTakeFirstOrThrow();
    const number = Number(count) + 1;
    const { id } = await transaction
      .insertInto('execution_attempts')
      .values({ run_id: run.id, stage, number, outcome: 'running', started_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { run, attemptId: id, number, interrupted: cutOff.map((attempt) => attempt.stage) };
  });
}

/** How a try ended. */
export type AttemptEnd = {
  readonly outcome: Exclude<AttemptOutcome, 'running'>;
  readonly code: string | null;
  readonly detail: string | null;
};

/** Ends a try. */
export async function endAttempt(database: Kysely<Tables>, id: number, end: AttemptEnd, at: number): Promise<void> {
  await database
    .updateTable('execution_attempts')
    .set({ outcome: end.outcome, error_code: end.code, error_detail: end.detail, ended_at: at })
    .where('id', '=', id)
    .execute();
}

/** Every try of these runs, in order. */
export async function listAttempts(database: Kysely<Tables>, runIds: readonly number[]): Promise<AttemptRow[]> {
  if (runIds.length === 0) return [];
  const attempts = await database
    .selectFrom('execution_attempts')
    .selectAll()
    .where('run_id', 'in', runIds)
    .orderBy('id')
    .execute();
  const transactions = await database
    .selectFrom('ledger_transactions')
    .select(['attempt_id', 'signature'])
    .where('run_id', 'in', runIds)
    .orderBy('id')
    .execute();
  return attempts.map((attempt) => ({
    ...attempt,
    signatures: transactions.filter(({ attempt_id }) => attempt_id === attempt.id).map(({ signature }) => signature),
  }));
}
