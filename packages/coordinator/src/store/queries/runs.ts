import { type Selectable, sql } from 'kysely';
import { type RunKey, type RunState, STOPPED_STATES, type UnpaidReasons } from '../../domain/run.ts';
import type { Db, ExecutionRunsTable } from '../schema.ts';
import { enqueued } from './jobs.ts';

/** A run as the store has it; times in unix milliseconds. */
export type RunRow = Selectable<ExecutionRunsTable>;

const byKey = (key: RunKey) => ({ schedule: key.schedule, window_number: key.window.toString() });

/** A window that needs a run, and how many recipients it has. */
export type DueWindow = RunKey & { readonly recipients: number };

/**
 * Records runs and puts them in line, except those that are recorded, and returns the new ones. All tables change in one statement, so no
 * window is ever recorded twice, and no run is without its job.
 */
export async function createRuns(database: Db, windows: readonly DueWindow[], at: number): Promise<RunKey[]> {
  if (windows.length === 0) return [];
  const due = windows.map((key) => ({ ...byKey(key), recipients: key.recipients }));
  // Rows are locked in the order of their addresses, so that two processes never wait for each other.
  const { rows } = await sql<{ schedule: string; window_number: string }>`
    with due as materialized (
      select * from json_to_recordset(${JSON.stringify(due)}::json) as due (schedule text, window_number bigint, recipients integer)
    ), locked as materialized (
      select address, window_number, next_execution from schedules
      where address in (select schedule from due) order by address for no key update
    ), created as (
      insert into execution_runs (schedule, window_number, state, claims_total, unpaid_reasons, due_at, created_at)
      select due.schedule, due.window_number, 'queued', due.recipients, '{}',
        case when locked.window_number = due.window_number then locked.next_execution end, ${at}::bigint
      from due join locked on locked.address = due.schedule
      order by due.schedule
      on conflict (schedule, window_number) do nothing
      returning schedule, window_number
    ), marked as (
      update schedules set run_window = due.window_number from due
      where schedules.address = due.schedule
        and (schedules.run_window is null or schedules.run_window < due.window_number)
    ), enqueued as (${enqueued('created')})
    select schedule, window_number from created, enqueued`.execute(database);
  return rows.map(({ schedule, window_number }) => ({ schedule, window: BigInt(window_number) }));
}

/** The run of a window. */
export function findRun(database: Db, key: RunKey): Promise<RunRow | undefined> {
  const { schedule, window_number } = byKey(key);
  return database
    .selectFrom('execution_runs')
    .selectAll()
    .where('schedule', '=', schedule)
    .where('window_number', '=', window_number)
    .executeTakeFirst();
}

/** What became of a window's recipients: how many are paid, and why the others are not, as counts by reason; undefined: not known. */
export type Claims = { readonly paid: number; readonly reasons?: UnpaidReasons };

/** What is kept of those who were not paid. */
export const unpaidColumns = (reasons: UnpaidReasons) => ({
  unpaid: Object.values(reasons).reduce((sum, count) => sum + count, 0),
  unpaid_reasons: JSON.stringify(reasons),
});

/** What is kept of a run's claims. */
export const claimColumns = ({ paid, reasons }: Claims) => ({
  claims_paid: paid,
  ...(reasons && unpaidColumns(reasons)),
});

/**
 * How a run ends; `paidAmount` in base units, null where it is not known; `claims` where they are not noted as they are in the end;
 * `arePaymentsRight`: whether what is kept of its payments is what the ledger settled, where that was found out; `at` when this
 * was found, `settledAt` when the ledger settled the window, by its own clock, where it told; both in unix milliseconds.
 */
export type RunEnd = {
  readonly state: 'settled' | 'cancelled';
  readonly paidAmount: bigint | null;
  readonly claims?: Claims;
  readonly arePaymentsRight?: boolean | undefined;
  readonly settledAt?: number;
  readonly at: number;
};

/** Of a run that is over. */
export const NOT_AT_WORK = { stage: null, error_code: null, error_detail: null, resume_at: null };

/** What is kept of how a run is over. */
export const endColumns = ({ state, paidAmount, claims, settledAt, at }: RunEnd) => ({
  state,
  paid_amount: paidAmount?.toString() ?? null,
  ...(claims && claimColumns(claims)),
  ...NOT_AT_WORK,
  finished_at: at,
  ...(settledAt !== undefined && { settled_at: settledAt }),
});

/** Ends a run for ever, outside of its stages; returns how many recipients were noted as paid before, undefined if it had ended. */
export async function finishRun(
  database: Db,
  runId: number,
  end: Omit<RunEnd, 'arePaymentsRight'>,
): Promise<number | undefined> {
  const changed = await database
    .with('before', (db) =>
      db
        .selectFrom('execution_runs')
        .select(['id', 'claims_paid'])
        .where('id', '=', runId)
        .where('finished_at', 'is', null)
        .forUpdate(),
    )
    .updateTable('execution_runs')
    .from('before')
    .set(endColumns(end))
    .whereRef('execution_runs.id', '=', 'before.id')
    .returning('before.claims_paid')
    .executeTakeFirst();
  return changed?.claims_paid;
}

/** A run that was stopped and goes on. */
export type Resumed = RunKey & { readonly was: RunState };

/**
 * Puts stopped runs back in line whose time to go on has come, and returns them. One that has sent its settlement and stopped for no error waits for
 * that to be final, and has no need of the stages before.
 */
export async function resumeRuns(database: Db, now: number, limit: number): Promise<Resumed[]> {
  const { rows } = await sql<{ schedule: string; window_number: string; was: RunState }>`
    with due as (
      select id, state, case when error_code is null and exists (
          select from settled_runs where run_id = execution_runs.id
        ) then 'commit' end as go_on
      from execution_runs
      where resume_at <= ${now}::bigint and state in (${sql.join(STOPPED_STATES)})
      order by resume_at limit ${limit} for update skip locked
    ), resumed as (
      update execution_runs as run set state = 'queued', resume_at = null from due where run.id = due.id
      returning schedule, window_number, due.state as was, due.go_on
    ), enqueued as (${enqueued('resumed', { stage: 'go_on' })})
    select resumed.* from resumed, enqueued`.execute(database);
  return rows.map(({ schedule, window_number, was }) => ({ schedule, window: BigInt(window_number), was }));
}

/** Runs of a schedule, newest window first, below window `before`. */
export function listRuns(database: Db, schedule: string, before: bigint | undefined, limit: number): Promise<RunRow[]> {
  let runs = database.selectFrom('execution_runs').selectAll().where('schedule', '=', schedule);
  if (before !== undefined) runs = runs.where('window_number', '<', before.toString());
  return runs.orderBy('window_number', 'desc').limit(limit).execute();
}
