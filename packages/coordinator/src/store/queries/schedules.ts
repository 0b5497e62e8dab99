import type { Insertable, Kysely, Selectable } from 'kysely';
import type { SchedulesTable, Tables } from '../schema.ts';

/** A registered schedule as the store has it. */
export type ScheduleRow = Selectable<SchedulesTable>;
/** What one reading of a schedule on the base ledger says; `seen_at` in unix milliseconds. */
export type SeenSchedule = Omit<Insertable<SchedulesTable>, 'run_window' | 'registered_at'>;

/** The registered schedule at an address. */
export function findSchedule(database: Kysely<Tables>, address: string): Promise<ScheduleRow | undefined> {
  return database.selectFrom('schedules').selectAll().where('address', '=', address).executeTakeFirst();
}

/** How many schedules are registered. */
export async function countSchedules(database: Kysely<Tables>): Promise<number> {
  const { count } = await database
    .selectFrom('schedules')
    .select((select) => select.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Keeps a reading of a registered schedule, unless a later one is known; false if the schedule is not registered or that is so. */
export async function saveSeenSchedule(database: Kysely<Tables>, seen: SeenSchedule): Promise<boolean> {
  const { address, ...columns } = seen;
  const { numUpdatedRows } = await database
    .updateTable('schedules')
    .set(columns)
    .where('address', '=', address)
    .where('seen_slot', '<=', String(seen.seen_slot))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Addresses of schedules that look due at `now` (unix seconds) or open, and have no run for that window yet; earliest first. */
export async function findDueSchedules(database: Kysely<Tables>, now: bigint, limit: number): Promise<string[]> {
  const withoutRun = database
    .selectFrom('schedules')
    .select('address')
    .where((where) =>
      where.or([where('run_window', 'is', null), where('run_window', '<', where.ref('window_number'))]),
    );
  const open = await withoutRun.where('phase', '=', 'open').limit(limit).execute();
  const due = await withoutRun
    .where('status', '=', 'active')
    .where('next_execution', '<=', now.toString())
    .orderBy('next_execution')
    .limit(limit)
    .execute();
  return [...new Set([...open, ...due].map(({ address }) => address))].slice(0, limit);
}

/** Addresses of the schedules not read since `before` (unix milliseconds), longest ago first. */
export async function findStaleSchedules(database: Kysely<Tables>, before: number, limit: number): Promise<string[]> {
  const rows = await database
    .selectFrom('schedules')
    .select('address')
    .where('seen_at', '<', String(before))
    .orderBy('seen_at')
    .limit(limit)
    .execute();
  return rows.map(({ address }) => address);
}
