import type { Address } from '@solana/kit';
import { type RawBuilder, sql } from 'kysely';
import { CONDITIONS, type ConditionKind, SCHEDULE_CONDITIONS } from '../../domain/conditions.ts';
import { hasFewer, PROMISED } from '../covered.ts';
import type { Db } from '../schema.ts';

/** From when on a condition is one. */
export type ConditionLimits = {
  readonly fundingLowWindows: number;
  readonly windowLateSeconds: number;
};

/** Unix milliseconds by the database's clock: those of the processes may differ. */
const NOW = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Has those begin that are `found` and have not begun, and returns their subjects. Others are told of them by triggers. */
async function begin(database: Db, kind: ConditionKind, found: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    insert into conditions (kind, subject, window_number, facts, since)
    select ${kind}, found.subject, found.window_number, found.facts, ${NOW} from (${found}) as found
    on conflict (kind, subject) do nothing returning subject`.execute(database);
  return rows.map(({ subject }) => subject);
}

/** Ends those of a kind for which that is so. */
async function end(database: Db, kind: ConditionKind, isOver: RawBuilder<boolean>): Promise<void> {
  await sql`delete from conditions where kind = ${kind} and ${isOver}`.execute(database);
}

/**
 * Money ends: a window that is promised, or to be kept, is not covered, or of a schedule that has paid before so few are left that the next one takes another
 * deposit. One that pays once, or has not begun, is as its employer has made it.
 */
export async function noteLowFunding(database: Db, { fundingLowWindows: few }: ConditionLimits): Promise<void> {
  // Not while there is no forecast: it is being made again.
  await end(
    database,
    'funding.low',
    sql`subject in (select address from schedules where status in ('completed', 'cancelled') or not ${hasFewer(few)})`,
  );
  await begin(
    database,
    'funding.low',
    sql`select address as subject, first.uncovered as window_number, json_build_object('schedulePda', address,
        'window', first.uncovered::text, 'windowsCovered', covered_windows, 'missing', short_amount, 'dueAt', short_at * 1000) as facts
      from schedules, lateral (
        select window_number + (phase = 'open')::integer + covered_windows as uncovered
      ) as first
      where status = 'active' and ${hasFewer(few)} and (covered_windows < ${PROMISED} or window_number > 0)`,
  );
}

/**
 * Windows that are late at `now` (unix seconds): due and not opened, or not settled though everybody's time to be paid is over. By indexes
 * alone.
 */
const lateWindows = (now: bigint, seconds: number): RawBuilder<unknown> => sql`
  select address as subject, window_number, next_execution as due, null as state, null as error_code from schedules
  where status = 'active' and (run_window is null or run_window < window_number)
    and next_execution <= ${String(now - BigInt(seconds))}
  union all
  select schedules.address, schedules.window_number, schedules.next_execution, run.state, run.error_code
  from execution_runs as run join schedules on schedules.address = run.schedule and schedules.window_number = run.window_number
  where run.finished_at is null and run.state <> 'abandoned' and (schedules.status = 'active' or schedules.phase = 'open')
    and greatest(schedules.next_execution, run.batch_deadline) <= ${String(now - BigInt(seconds))}`;

/** Windows that are late at `now`, in unix seconds of the ledger. */
export async function noteLateWindows(
  database: Db,
  { windowLateSeconds }: ConditionLimits,
  now: bigint,
): Promise<void> {
  const late = lateWindows(now, windowLateSeconds);
  await end(
    database,
    'window.late',
    sql`(subject, window_number) not in (select late.subject, late.window_number from (${late}) as late)`,
  );
  await begin(
    database,
    'window.late',
    sql`select subject, window_number, json_build_object('schedulePda', subject, 'window', window_number::text,
        'dueAt', due * 1000, 'state', state, 'errorCode', error_code) as facts from (${late}) as late`,
  );
}

/** A token has so many withdrawals that are stuck; whether that has just begun. */
export async function noteStuckWithdrawals(database: Db, mint: string, count: number): Promise<boolean> {
  const facts = JSON.stringify({ count });
  const found = sql`select ${mint} as subject, null::bigint as window_number, ${facts}::json as facts`;
  return (await begin(database, 'withdrawal.stuck', found)).length > 0;
}

/** None of a token's withdrawals is stuck any more. */
export const endStuckWithdrawals = (database: Db, mint: string): Promise<void> =>
  end(database, 'withdrawal.stuck', sql`subject = ${mint}`);

/** Tokens that have withdrawals which are stuck. */
export async function findStuckTokens(database: Db): Promise<Address[]> {
  const rows = await database
    .selectFrom('conditions')
    .select('subject')
    .where('kind', '=', 'withdrawal.stuck')
    .execute();
  return rows.map(({ subject }) => subject as Address);
}

/** How many there are of each kind. */
export async function countConditions(database: Db): Promise<Readonly<Record<ConditionKind, number>>> {
  const rows = await database
    .selectFrom('conditions')
    .select(['kind', (select) => select.fn.countAll<string>().as('count')])
    .groupBy('kind')
    .execute();
  const found = new Map(rows.map(({ kind, count }) => [kind, Number(count)]));
  return Object.fromEntries(CONDITIONS.map((kind) => [kind, found.get(kind) ?? 0])) as Record<ConditionKind, number>;
}

/** What lasts of a schedule; `since` in unix milliseconds. */
export type ScheduleCondition = {
  readonly kind: (typeof SCHEDULE_CONDITIONS)[number];
  readonly window: string;
  readonly since: number;
};

/** What lasts of the schedule whose row a query has, by kind. */
export const CONDITIONS_OF_ROW = sql<readonly ScheduleCondition[]>`(
  select coalesce(json_agg(json_build_object('kind', kind, 'window', conditions.window_number::text, 'since', since) order by kind), '[]')
  from conditions where subject = schedules.address and kind = any(${[...SCHEDULE_CONDITIONS]}))`;
