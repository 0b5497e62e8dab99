import { sql } from 'kysely';
import type { RunState } from '../../domain/run.ts';
import type { ScheduleStatusName } from '../../domain/schedule.ts';
import type { Db } from '../schema.ts';

/** What a look at the work shows. */
export type WorkCounts = {
  /** Unfinished runs by state. */
  readonly runs: { readonly [State in RunState]?: number };
  /** Runs held because a vault does not cover their window. */
  readonly fundingShort: number;
  /** Since when the longest overdue window is due, in unix seconds; undefined: none is. */
  readonly dueSince: bigint | undefined;
};

/**
 * Unfinished work as of `now` (unix seconds), by indexes alone: it costs what is unfinished or due, not what is registered. Overdue
 * is a window that is due and has no run, or whose run is neither over nor abandoned while the ledger still shows the window.
 */
export async function countWork(database: Db, now: bigint): Promise<WorkCounts> {
  const { rows } = await sql<{ runs: Record<string, number> | null; funding_short: number; due_since: string | null }>`
    with unfinished as materialized (
      select state, error_code, schedule, window_number from execution_runs where finished_at is null
    )
    select
      (select jsonb_object_agg(state, count) from (select state, count(*) from unfinished group by state) states) as runs,
      (select count(*)::integer from unfinished where state = 'held' and error_code = 'funding-short') as funding_short,
      least(
        (select next_execution from schedules
          where status = 'active' and (run_window is null or run_window < window_number) and next_execution <= ${String(now)}
          order by next_execution limit 1),
        (select min(schedules.next_execution) from unfinished join schedules
          on schedules.address = unfinished.schedule and schedules.window_number = unfinished.window_number
          where unfinished.state <> 'abandoned' and (schedules.status = 'active' or schedules.phase = 'open'))
      ) as due_since`.execute(database);
  const row = rows[0];
  return {
    runs: row?.runs ?? {},
    fundingShort: row?.funding_short ?? 0,
    dueSince: row?.due_since == null ? undefined : BigInt(row.due_since),
  };
}

/** Registered schedules by status. Reads all of them: not for every request. */
export async function countSchedulesByStatus(
  database: Db,
): Promise<{ readonly [Status in ScheduleStatusName]?: number }> {
  const rows = await database
    .selectFrom('schedules')
    .select(['status', (select) => select.fn.countAll<string>().as('count')])
    .groupBy('status')
    .execute();
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}
