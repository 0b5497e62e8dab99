import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../src/store/schema.ts';

export type ManySchedules = {
  /** How many are registered, and how many of them are due at `now` (unix seconds). */
  readonly count: number;
  readonly due: number;
  readonly now: number;
  /** How many were not read for over an hour; the others were read now. */
  readonly stale?: number;
};

/** Letters in an address; only that they differ matters. */
const ADDRESS = sql`lpad(translate(n::text, '0', 'z'), 44, 'S')`;

/** Fills the store with registered schedules: the due ones first, those not read for long last. */
export async function registerMany(database: Kysely<Tables>, many: ManySchedules): Promise<void> {
  const { count, due, now, stale = 0 } = many;
  const seenAt = sql`${now * 1_000}::bigint`;
  const at = sql`${now}::bigint`;
  await sql`insert into schedules (address, vault, mint, root, root_version, status, phase, window_number, next_execution,
      executions_left, recipients, amount, unit, every, day, batch_timeout, run_window, seen_slot, seen_at, registered_at)
    select ${ADDRESS}, repeat('V', 44), repeat('M', 44), repeat('0a', 32), 0, 'active', 'idle', 3,
      case when n <= ${due}::int then ${at} - n % 60 else ${at} + 60 + n end, 9, 100, '1000000', 'seconds', 3600, 0, 60, 2,
      5, case when n > ${count - stale}::int then ${seenAt} - 3600000 - n else ${seenAt} end, ${seenAt}
    from generate_series(1, ${count}::int) as n`.execute(database);
  await sql`analyze schedules`.execute(database);
}
