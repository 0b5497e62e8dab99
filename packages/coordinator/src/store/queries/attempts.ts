import { type Kysely, type Selectable, sql } from 'kysely';
import type { AttemptOutcome, RunKey, Stage } from '../../domain/run.ts';
import { isDuplicate } from '../duplicate.ts';
import type { BegunAttempt, Retries } from '../runStore.ts';
import type { ExecutionAttemptsTable, Tables } from '../schema.ts';
import { findRun, type RunRow } from './runs.ts';

/** One try of a stage, with the signatures of the transactions that it kept; times in unix milliseconds. */
export type AttemptRow = Selectable<ExecutionAttemptsTable> & { readonly signatures: readonly string[] };

/** Times that the statement below is made: each further one sees what another process began at the same moment. */
const BEGINNINGS = 5;

/**
 * Begins a try of a stage and notes it on the run. Those still recorded as running were cut off when their process went away;
 * `interrupted` are their stages.
 */
export async function beginAttempt(
  database: Kysely<Tables>,
  key: RunKey,
  stage: Stage,
  at: number,
): Promise<BegunAttempt | 'ended' | 'missing'> {
  for (let beginning = 1; ; beginning++) {
    try {
      const begun = await beginOnce(database, key, stage, at);
      if (begun !== undefined) return begun;
      return (await findRun(database, key)) === undefined ? 'missing' : 'ended';
    } catch (error) {
      if (!isDuplicate(error) || beginning === BEGINNINGS) throw error;
    }
  }
}

type BegunRow = RunRow & { readonly attempt_id: number; readonly attempt_number: number; readonly cut_off: Stage[] };

/** In one statement; undefined if the run is missing or over. Throws when another process has begun a try at the same moment. */
async function beginOnce(
  database: Kysely<Tables>,
  { schedule, window }: RunKey,
  stage: Stage,
  at: number,
): Promise<BegunAttempt | undefined> {
  const { rows } = await sql<BegunRow>`
    with run as (
      update execution_runs
      set state = 'running', stage = ${stage}, resume_at = null, started_at = coalesce(started_at, ${at}::bigint)
      where schedule = ${schedule} and window_number = ${window.toString()}::bigint
        and finished_at is null and state <> 'abandoned'
      returning *
    ), cut_off as (
      update execution_attempts set outcome = 'interrupted', ended_at = ${at}::bigint from run
      where execution_attempts.run_id = run.id and execution_attempts.outcome = 'running'
      returning execution_attempts.stage
    ), begun as (
      insert into execution_attempts (run_id, stage, number, outcome, started_at)
      select run.id, ${stage}, 1 + (
          select count(*) from execution_attempts as former where former.run_id = run.id and former.stage = ${stage}
        ), 'running', ${at}::bigint
      from run
      -- So that what was running is cut off first.
      where (select count(*) from cut_off) >= 0
      returning id, number
    )
    select run.*, begun.id as attempt_id, begun.number as attempt_number, array(select stage from cut_off) as cut_off
    from run, begun`.execute(database);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { attempt_id, attempt_number, cut_off, ...run } = row;
  return { run, attemptId: attempt_id, number: attempt_number, interrupted: cut_off };
}

/** How a try ended. */
export type AttemptEnd = {
  readonly outcome: Exclude<AttemptOutcome, 'running'>;
  readonly code: string | null;
  readonly detail: string | null;
};

/** A later try has begun meanwhile, in another process that took this one for dead: what came of this one counts no more. */
export class AttemptSuperseded extends Error {
  override readonly name = 'AttemptSuperseded';
}

/** Ends a try. Throws `AttemptSuperseded`. */
export async function endAttempt(database: Kysely<Tables>, id: number, end: AttemptEnd, at: number): Promise<void> {
  const { numUpdatedRows } = await database
    .updateTable('execution_attempts')
    .set({ outcome: end.outcome, error_code: end.code, error_detail: end.detail, ended_at: at })
    .where('id', '=', id)
    .where('outcome', '=', 'running')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new AttemptSuperseded('A later try of the run has begun.');
}

/** Tries of a stage that were to be repeated, by code, since the last one that came to anything else and the last new start. */
export async function listRetries(database: Kysely<Tables>, runId: number, stage: Stage): Promise<Retries[]> {
  const { rows } = await sql<{ code: string; count: number; first_at: string }>`
    select error_code as code, count(*)::integer as count, min(ended_at) as first_at from execution_attempts
    where run_id = ${runId} and stage = ${stage} and outcome = 'retried'
      and id > (select retries_after from execution_runs where id = ${runId})
      and id > (select coalesce(max(id), 0) from execution_attempts
        where run_id = ${runId} and stage = ${stage} and outcome not in ('retried', 'interrupted', 'running'))
    group by error_code`.execute(database);
  return rows.map(({ code, count, first_at }) => ({ code, count, firstAt: Number(first_at) }));
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
    .select(['id', 'attempt_id', 'signature'])
    .where('run_id', 'in', runIds)
    .unionAll(
      database
        .selectFrom('settled_runs as settled')
        .innerJoin('ledger_transactions as sent', 'sent.id', 'settled.transaction_id')
        .select(['sent.id', 'settled.attempt_id', 'sent.signature'])
        .where('settled.run_id', 'in', runIds),
    )
    .orderBy('id')
    .execute();
  return attempts.map((attempt) => ({
    ...attempt,
    signatures: transactions.filter(({ attempt_id }) => attempt_id === attempt.id).map(({ signature }) => signature),
  }));
}
