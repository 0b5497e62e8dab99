import { type Insertable, type Selectable, sql } from 'kysely';
import { countRows } from '../countRows.ts';
import { recordset } from '../recordset.ts';
import type { Db, SchedulesTable } from '../schema.ts';

/** A registered schedule as the store has it. */
export type ScheduleRow = Selectable<SchedulesTable>;
/** What one reading of a schedule on the base ledger says; `seen_at` in unix milliseconds. */
export type ObservedSchedule = Omit<
  Insertable<SchedulesTable>,
  'run_window' | 'registered_at' | 'employer' | 'covered_windows' | 'short_amount' | 'short_at'
>;

/** The registered schedule at an address. */
export function findSchedule(database: Db, address: string): Promise<ScheduleRow | undefined> {
  return database.selectFrom('schedules').selectAll().where('address', '=', address).executeTakeFirst();
}

/** How many schedules are registered. */
export const countSchedules = (database: Db): Promise<number> => countRows(database, 'schedules');

/** The columns that a reading fills, with their types in the database. */
const SEEN_COLUMNS: { readonly [Column in keyof ObservedSchedule]: string } = {
  address: 'text',
  vault: 'text',
  mint: 'text',
  root: 'text',
  root_version: 'integer',
  status: 'text',
  phase: 'text',
  window_number: 'bigint',
  next_execution: 'bigint',
  executions_left: 'integer',
  kept: 'integer',
  kept_reserved: 'integer',
  recipients: 'integer',
  amount: 'text',
  unit: 'text',
  every: 'integer',
  day: 'integer',
  dates: 'integer[]',
  batch_timeout: 'integer',
  proposal: 'jsonb',
  seen_slot: 'bigint',
  seen_at: 'bigint',
};
const SEEN_CHANGES = sql.join(
  Object.keys(SEEN_COLUMNS)
    .filter((name) => name !== 'address')
    .map((name) => sql`${sql.id(name)} = seen.${sql.id(name)}`),
);
/** A forecast made of other terms is as good as none: the vault is read again at once. */
const FORECAST_KEPT = sql`covered_windows = case when seen.status <> 'active' or (schedules.status = 'active'
    and schedules.amount = seen.amount and schedules.executions_left >= seen.executions_left) then schedules.covered_windows end`;

/** Milliseconds in which a reading that shows nothing new is not worth a write. */
const NOTHING_NEW_MS = 30_000;
const TERMS = Object.keys(SEEN_COLUMNS).filter((name) => !['address', 'seen_slot', 'seen_at'].includes(name));
const termsOf = (table: string) => sql.join(TERMS.map((name) => sql.id(table, name)));

/**
 * Keeps readings of schedules, each once, in one statement. Those not registered, or seen later, stay as they are, and those that
 * were read a moment ago and look the same.
 */
export async function saveObservedSchedules(database: Db, seen: readonly ObservedSchedule[]): Promise<void> {
  if (seen.length === 0) return;
  // Rows are locked in the order of their addresses, so that two processes never wait for each other.
  await sql`with seen as materialized (${recordset(SEEN_COLUMNS, seen)}), locked as materialized (
      select schedules.address from schedules join seen on seen.address = schedules.address
      where schedules.seen_slot <= seen.seen_slot
        and (schedules.seen_at <= seen.seen_at - ${NOTHING_NEW_MS}::int
          or (${termsOf('schedules')}) is distinct from (${termsOf('seen')}))
      order by schedules.address for no key update of schedules
    )
    update schedules set ${SEEN_CHANGES}, ${FORECAST_KEPT} from seen, locked
    where schedules.address = seen.address and locked.address = schedules.address`.execute(database);
}

/** Schedules that the base ledger no longer shows at `slot`: closed, so they are neither due nor open any more. */
export async function saveClosedSchedules(
  database: Db,
  addresses: readonly string[],
  at: { readonly slot: bigint; readonly time: number },
): Promise<void> {
  if (addresses.length === 0) return;
  await sql`update schedules set seen_at = ${at.time}, seen_slot = ${at.slot.toString()}, phase = 'idle',
      status = case when status in ('active', 'paused', 'awaiting') then 'cancelled' else status end
    where address = any(${addresses}) and seen_slot < ${at.slot.toString()}`.execute(database);
}

/** Addresses of schedules that look open, or due at `now` (unix seconds), and have no run for that window yet; earliest first. */
export async function findDueSchedules(database: Db, now: bigint, limit: number): Promise<string[]> {
  // Written out and not put together, so that the planner sees the conditions of the partial indexes.
  const { rows } = await sql<{ address: string }>`
    (select address from schedules
      where phase = 'open' and (run_window is null or run_window < window_number) limit ${limit})
    union all
    (select address from schedules
      where status = 'active' and (run_window is null or run_window < window_number) and next_execution <= ${now.toString()}
      order by next_execution limit ${limit})`.execute(database);
  return [...new Set(rows.map(({ address }) => address))].slice(0, limit);
}

/** Addresses of the schedules not read since `before` (unix milliseconds), longest ago first. */
export async function findStaleSchedules(database: Db, before: number, limit: number): Promise<string[]> {
  const rows = await database
    .selectFrom('schedules')
    .select('address')
    .where('seen_at', '<', String(before))
    .orderBy('seen_at')
    .limit(limit)
    .execute();
  return rows.map(({ address }) => address);
}

/** The employer whose vault it is; undefined: nobody has asked for it yet. */
export async function findEmployer(database: Db, vault: string): Promise<string | undefined> {
  const known = database.selectFrom('schedules').select('employer').where('vault', '=', vault);
  return (await known.where('employer', 'is not', null).limit(1).executeTakeFirst())?.employer ?? undefined;
}

/** Keeps who the employer is, of a schedule that was registered without it. */
export async function saveEmployer(database: Db, address: string, employer: string): Promise<void> {
  await database.updateTable('schedules').set({ employer }).where('address', '=', address).execute();
}
