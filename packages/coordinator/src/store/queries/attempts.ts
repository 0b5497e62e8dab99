import { type Kysely, type Selectable, sql } from 'kysely';
import type { AttemptOutcome, RunKey, Stage } from '../../domain/run.ts';
import { isDuplicate } from '../duplicate.ts';
import type { BegunAttempt, Retries } from '../runStore.ts';
import type { ExecutionAttemptsTable, Tables } from '../schema.ts';
import type { Payments } from './payments.ts';
import { type Claims, findRun, type RunRow, sumOf } from './runs.ts';

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

/** What a try of a stage has come to know, recorded together with its end. */
export type Findings = {
  /** Transactions of the run that the ledgers show. */
  landed: number[];
  /** What the open window is about: how many recipients, and its deadline in unix seconds of the ledger's clock. */
  window?: { readonly recipients: number; readonly deadline: bigint };
  claims?: Claims;
  payments?: Payments | undefined;
  /** SHA-256, hexadecimal, of the quote by which the layer was trusted; null: none was asked for. */
  quoteHash?: string | null;
};

/**
 * Ends a try and records what it has found, in one statement; returns how many recipients were noted as paid before. Throws
 * `AttemptSuperseded`: then nothing of it is recorded.
 */
export async function endAttempt(
  database: Kysely<Tables>,
  id: number,
  { outcome, code, detail }: AttemptEnd,
  { landed, window, claims, payments, quoteHash = null }: Findings,
  at: number,
): Promise<number> {
  const reasons = claims?.reasons;
  const { rows } = await sql<{ claims_paid: number }>`
    with ended as (
      update execution_attempts set outcome = ${outcome}, error_code = ${code}, error_detail = ${detail},
        ended_at = ${at}::bigint, quote_hash = ${quoteHash}
      where id = ${id}::integer and outcome = 'running'
      returning run_id
    ), settled as (
      update ledger_transactions set outcome = 'landed' from ended where id = any(${landed}::integer[])
    ), paid as (
      insert into run_payments (run_id, list_id, paid)
      -- Nothing is kept of a list that is gone.
      select run_id, id, ${payments?.paid ?? null}::bytea from ended, recipient_lists
      where id = ${payments?.listId ?? null}::integer
      on conflict (run_id) do update set list_id = excluded.list_id, paid = excluded.paid
      where not run_payments.is_confirmed and excluded.paid is not null
    ), before as (
      select run.id, claims_paid from execution_runs as run join ended on run.id = run_id for update of run
    ), noted as (
      update execution_runs as run set
        claims_total = coalesce(${window?.recipients ?? null}::integer, claims_total),
        batch_deadline = coalesce(${window?.deadline.toString() ?? null}::bigint, batch_deadline),
        claims_paid = coalesce(${claims?.paid ?? null}::integer, run.claims_paid),
        unpaid = coalesce(${reasons ? sumOf(reasons) : null}::integer, unpaid),
        unpaid_reasons = coalesce(${reasons ? JSON.stringify(reasons) : null}::jsonb, unpaid_reasons)
      from before where run.id = before.id and ${window !== undefined || claims !== undefined}
    )
    select claims_paid from before`.execute(database);
  const [before] = rows;
  if (before === undefined) throw new AttemptSuperseded('A later try of the run has begun.');
  return before.claims_paid;
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
