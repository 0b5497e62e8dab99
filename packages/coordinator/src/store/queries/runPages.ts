import { sql } from 'kysely';
import type { RunState } from '../../domain/run.ts';
import type { Db } from '../schema.ts';
import type { RunFilter } from './operatorRuns.ts';
import type { RunRow } from './runs.ts';

/** Where a page of runs begins: `id` below which, or `window` below which for those of one schedule. */
export type RunsWanted = RunFilter & {
  readonly before?: bigint | undefined;
  readonly limit: number;
};

const OVER: ReadonlySet<RunState> = new Set(['settled', 'cancelled']);

/**
 * A page of runs, newest first: by window for one schedule, else in the order in which they were recorded. Each case has an index that
 * ends at the page, whatever else is recorded.
 */
export function listRunPage(database: Db, wanted: RunsWanted): Promise<RunRow[]> {
  const { state, schedule, before, limit } = wanted;
  let runs = database.selectFrom('execution_runs').selectAll();
  if (state !== undefined) {
    runs = runs.where('state', '=', state).where('finished_at', OVER.has(state) ? 'is not' : 'is', null);
  }
  if (schedule !== undefined) {
    runs = runs.where('schedule', '=', schedule);
    if (before !== undefined) runs = runs.where('window_number', '<', before.toString());
    return runs.orderBy('window_number', 'desc').limit(limit).execute();
  }
  if (before !== undefined) runs = runs.where(sql<boolean>`id < ${before.toString()}::bigint`);
  return runs.orderBy('id', 'desc').limit(limit).execute();
}

/** The token in which a schedule pays; symbol and decimals null: its vault was not read yet. */
export type TokenOfSchedule = {
  readonly address: string;
  readonly mint: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
};

/** The tokens of these schedules. */
export async function findTokensOf(
  database: Db,
  schedules: readonly string[],
): Promise<ReadonlyMap<string, TokenOfSchedule>> {
  if (schedules.length === 0) return new Map();
  const rows = await database
    .selectFrom('schedules')
    .leftJoin('vaults', 'vaults.address', 'schedules.vault')
    .select(['schedules.address', 'schedules.mint', 'vaults.symbol', 'vaults.decimals'])
    .where('schedules.address', 'in', [...new Set(schedules)])
    .execute();
  return new Map(rows.map((row) => [row.address, row]));
}
