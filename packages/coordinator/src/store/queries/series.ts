import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** A stretch of time in steps; unix milliseconds, `from` included, `to` not. */
export type Span = { readonly from: number; readonly to: number; readonly stepMs: number };

/** What came to an end in one step. */
export type FinishedStep = {
  readonly step: number;
  readonly settled: number;
  /** Recipients that the settled windows paid. */
  readonly claims: number;
  /** From due to finished, in milliseconds; null: of no run it is known. */
  readonly p50: number | null;
  readonly p95: number | null;
};

/** Tries of stages that failed in one step, by code. */
export type FailedStep = {
  readonly step: number;
  readonly code: string;
  readonly tries: number;
  /** Runs of which one was held, or ended as out of retries or without hope. */
  readonly held: number;
  readonly failed: number;
};

const stepOf = (column: 'finished_at' | 'ended_at', { from, stepMs }: Span) =>
  sql`((${sql.ref(column)} - ${from}::bigint) / ${stepMs}::bigint)::integer`;

/** Settled windows in each step in which there are some. */
export async function readFinished(database: Db, span: Span): Promise<FinishedStep[]> {
  const { rows } = await sql<FinishedStep>`
    with over as (
      select ${stepOf('finished_at', span)} as step, claims_paid,
        -- Of a run that was rebuilt it is not known when the ledger's window was noticed.
        case when due_at is not null and not is_rebuilt then greatest(0, finished_at - due_at * 1000) end as took
      from execution_runs
      where finished_at >= ${span.from}::bigint and finished_at < ${span.to}::bigint and state = 'settled'
    )
    select step, count(*)::integer as settled, sum(claims_paid)::float8 as claims,
      percentile_cont(0.5) within group (order by took) as p50, percentile_cont(0.95) within group (order by took) as p95
    from over group by step`.execute(database);
  return rows;
}

/** Failed tries in each step in which there are some. */
export async function readFailed(database: Db, span: Span): Promise<FailedStep[]> {
  const { rows } = await sql<FailedStep>`
    select ${stepOf('ended_at', span)} as step, error_code as code, count(*)::integer as tries,
      (count(distinct run_id) filter (where outcome = 'held'))::integer as held,
      (count(distinct run_id) filter (where outcome = 'failed'))::integer as failed
    from execution_attempts
    where error_code is not null and ended_at >= ${span.from}::bigint and ended_at < ${span.to}::bigint
    group by step, error_code`.execute(database);
  return rows;
}
