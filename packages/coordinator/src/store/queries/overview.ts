import { type RawBuilder, sql } from 'kysely';
import type { RunState } from '../../domain/run.ts';
import type { ScheduleStatusName } from '../../domain/schedule.ts';
import type { Db } from '../schema.ts';
import type { VaultRow } from './funds.ts';
import type { ScheduleRow } from './schedules.ts';

/** How many, by state. */
export type RunCounts = { readonly [State in RunState]?: number };

async function countRuns(database: Db, which: RawBuilder<unknown>): Promise<RunCounts> {
  const { rows } = await sql<{ state: RunState; count: number }>`
    select state, count(*)::integer as count from execution_runs where ${which} group by state`.execute(database);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Runs that are not over, by state. Costs what is unfinished. */
export const countUnfinishedRuns = (database: Db): Promise<RunCounts> => countRuns(database, sql`finished_at is null`);

/** Runs that are over, by state. Reads an entry of an index for each: not for every request. */
export const countFinishedRuns = (database: Db): Promise<RunCounts> =>
  countRuns(database, sql`finished_at is not null`);

/** A schedule's runs, by state. */
export const countRunsOf = (database: Db, schedule: string): Promise<RunCounts> =>
  countRuns(database, sql`schedule = ${schedule}`);

/** How many schedules are registered, by status, and how many that are not over lack the list of their present root. */
export type ScheduleCounts = {
  readonly byStatus: { readonly [Status in ScheduleStatusName]?: number };
  readonly listMissing: number;
};

/** Reads all schedules: not for every request. */
export async function countRegistered(database: Db): Promise<ScheduleCounts> {
  const { rows } = await sql<{ status: ScheduleStatusName; count: number; missing: number }>`
    select status, count(*)::integer as count,
      (count(*) filter (where list.schedule is null and status in ('active', 'paused')))::integer as missing
    from schedules
    left join recipient_lists as list on list.schedule = schedules.address and list.root = schedules.root
    group by status`.execute(database);
  return {
    byStatus: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
    listMissing: rows.reduce((sum, { missing }) => sum + missing, 0),
  };
}

/** Windows that are due at `now` (unix seconds) and have not begun: without a run, or with one that has waited in line since. */
export async function countOverdue(database: Db, now: bigint): Promise<number> {
  const { rows } = await sql<{ count: number }>`select (
      (select count(*) from schedules
        where status = 'active' and (run_window is null or run_window < window_number) and next_execution <= ${String(now)})
      + (select count(*) from execution_runs where finished_at is null and state = 'queued' and started_at is null)
    )::integer as count`.execute(database);
  return rows[0]?.count ?? 0;
}

/** A schedule with its vault's token and money, if that was read yet. */
export type FundedSchedule = ScheduleRow & {
  readonly funds: Pick<VaultRow, 'mint' | 'symbol' | 'decimals' | 'reserved' | 'available'> | null;
};

const VAULT = sql`(select to_jsonb(vaults) from vaults where vaults.address = schedules.vault)`;

/** Active schedules whose next window has no run yet, the next due first. */
export async function findNextDue(database: Db, limit: number): Promise<FundedSchedule[]> {
  const { rows } = await sql<FundedSchedule>`
    select schedules.*, ${VAULT} as funds from schedules
    where status = 'active' and (run_window is null or run_window < window_number)
    order by next_execution limit ${limit}`.execute(database);
  return rows;
}

/** Active schedules whose money ends soonest; behind them those for which nothing is missing, with the fewest covered windows first. */
export async function findWorstFunded(database: Db, limit: number): Promise<FundedSchedule[]> {
  const { rows: short } = await sql<FundedSchedule>`
    select schedules.*, ${VAULT} as funds from schedules
    where status = 'active' and short_at is not null order by short_at limit ${limit}`.execute(database);
  if (short.length === limit) return short;
  const { rows: covered } = await sql<FundedSchedule>`
    select schedules.*, ${VAULT} as funds from schedules
    where status = 'active' and covered_windows is not null and short_at is null
    order by covered_windows limit ${limit - short.length}`.execute(database);
  return [...short, ...covered];
}
