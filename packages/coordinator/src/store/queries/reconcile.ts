import { sql } from 'kysely';
import type { RunState, UnpaidReasons } from '../../domain/run.ts';
import type { ScheduleStatusName } from '../../domain/schedule.ts';
import type { Db } from '../schema.ts';
import { NOT_AT_WORK, unpaidColumns } from './runs.ts';

/** A run as far as it is compared with the ledger. */
export type KnownRun = {
  readonly id: number;
  readonly window: bigint;
  readonly state: RunState;
  readonly isOver: boolean;
  readonly claimsPaid: number;
  /** Base units; null: not known. */
  readonly paidAmount: bigint | null;
};

/** What the database knows of a registered schedule. */
export type KnownSchedule = {
  readonly address: string;
  readonly status: ScheduleStatusName;
  readonly phase: 'idle' | 'open';
  /** Hexadecimal, of the registered lists. */
  readonly roots: readonly string[];
  /** The first window that has not been found to be as the ledger has it, and what had been paid before it: base units. */
  readonly from: bigint;
  readonly paidBefore: bigint;
  /** Windows before that one whose runs were there and are gone, the newest first. */
  readonly lost: readonly bigint[];
  /** Runs of that window and later ones, in order. */
  readonly runs: readonly KnownRun[];
};

type KnownRow = Pick<KnownSchedule, 'address' | 'status' | 'phase' | 'roots'> & {
  readonly from: string;
  readonly paid_before: string;
  readonly lost: readonly string[];
  readonly runs: readonly {
    readonly id: number;
    readonly window: string;
    readonly state: RunState;
    readonly over: boolean;
    readonly paid: number;
    readonly amount: string | null;
  }[];
};

/** Windows of a schedule that are named as lost at a time. */
const MOST_LOST = 1_000;

/** What the database knows of these schedules, as far as they are registered. */
export async function findKnown(database: Db, addresses: readonly string[]): Promise<KnownSchedule[]> {
  const { rows } = await sql<KnownRow>`
    select schedule.address, schedule.status, schedule.phase,
      coalesce(done.window_number, 0)::text as "from", coalesce(done.paid_total, '0') as paid_before,
      (select coalesce(json_agg(list.root), '[]') from recipient_lists as list
        where list.schedule = schedule.address) as roots,
      case when done.window_number - done.complete_from > (select count(*) from execution_runs as run
          where run.schedule = schedule.address and run.window_number between done.complete_from and done.window_number - 1)
        then (select json_agg(number::text) from (
          select number from generate_series(done.window_number - 1, done.complete_from, -1) as number
          where not exists (select from execution_runs as run
            where run.schedule = schedule.address and run.window_number = number)
          limit ${MOST_LOST}) as missing)
        else '[]' end as lost,
      (select coalesce(json_agg(json_build_object('id', run.id, 'window', run.window_number::text, 'state', run.state,
          'over', run.finished_at is not null, 'paid', run.claims_paid, 'amount', run.paid_amount)
          order by run.window_number), '[]')
        from execution_runs as run
        where run.schedule = schedule.address and run.window_number >= coalesce(done.window_number, 0)) as runs
    from schedules as schedule left join reconciled_schedules as done on done.schedule = schedule.address
    where schedule.address = any(${addresses})
    order by schedule.address`.execute(database);
  return rows.map(({ from, paid_before, lost, runs, ...row }) => ({
    ...row,
    from: BigInt(from),
    paidBefore: BigInt(paid_before),
    lost: lost.map(BigInt),
    runs: runs.map(({ id, window, state, over, paid, amount }) => ({
      id,
      window: BigInt(window),
      state,
      isOver: over,
      claimsPaid: paid,
      paidAmount: amount === null ? null : BigInt(amount),
    })),
  }));
}

/** Registered schedules, their vaults or their tokens, each once, the first beyond an address. */
export async function findKnownAfter(
  database: Db,
  column: 'address' | 'vault' | 'mint',
  beyond: string,
  limit: number,
): Promise<string[]> {
  // From one value to the next by the index: thousands of schedules may share a token.
  const name = sql.id(column);
  const { rows } = await sql<{ value: string }>`
    with recursive found as (
      (select ${name} as value from schedules where ${name} > ${beyond} order by ${name} limit 1)
      union all
      select (select ${name} from schedules where ${name} > found.value order by ${name} limit 1)
      from found where found.value is not null
    )
    select value from found where value is not null limit ${limit}`.execute(database);
  return rows.map(({ value }) => value);
}

/** Runs before `before` are as the ledger has them, which had paid `paidTotal` (base units) in those windows. */
export type Reconciled = {
  readonly schedule: string;
  readonly before: bigint;
  readonly paidTotal: bigint;
  /** Windows before this one may have no run; by default as before. */
  readonly completeFrom?: bigint;
};

/** Keeps up to where schedules need not be compared again. */
export async function saveReconciled(database: Db, reconciled: readonly Reconciled[]): Promise<void> {
  if (reconciled.length === 0) return;
  const rows = reconciled.map(({ schedule, before, paidTotal, completeFrom = 0n }) => ({
    schedule,
    window_number: before.toString(),
    paid_total: paidTotal.toString(),
    complete_from: completeFrom.toString(),
  }));
  // A schedule may have been deleted meanwhile.
  await sql`insert into reconciled_schedules (schedule, window_number, paid_total, complete_from)
    select done.schedule, done.window_number, done.paid_total, done.complete_from
    from json_to_recordset(${JSON.stringify(rows)}::json)
        as done (schedule text, window_number bigint, paid_total text, complete_from bigint)
      join schedules on schedules.address = done.schedule
    order by done.schedule
    on conflict (schedule) do update set window_number = excluded.window_number, paid_total = excluded.paid_total,
        complete_from = greatest(reconciled_schedules.complete_from, excluded.complete_from)
      where reconciled_schedules.window_number <= excluded.window_number`.execute(database);
}

/** How a window ended by the base ledger, as its run is to say it; undefined: the ledger does not tell. */
export type LedgerEnding = {
  readonly window: bigint;
  readonly claimsPaid: number | undefined;
  /** Base units. */
  readonly paidAmount: bigint | undefined;
  /** Unix milliseconds. */
  readonly at: number;
  /** The execution layer was lost with the window. */
  readonly isReclaimed?: true;
};

/** Has a run be over as the ledger says, whatever it said before. */
export async function endRunAs(
  database: Db,
  runId: number,
  { claimsPaid, paidAmount, at }: LedgerEnding,
  reasons: UnpaidReasons,
): Promise<void> {
  await database
    .updateTable('execution_runs')
    .set((set) => ({
      state: 'settled',
      ...NOT_AT_WORK,
      finished_at: set.fn.coalesce('finished_at', set.val(String(at))),
      settled_at: set.fn.coalesce('settled_at', set.val(String(at))),
      ...unpaidColumns(reasons),
      ...(claimsPaid !== undefined && { claims_paid: claimsPaid }),
      ...(paidAmount !== undefined && { paid_amount: paidAmount.toString() }),
    }))
    .where('id', '=', runId)
    .execute();
}

/** A run that the database has lost; `transactions` are those that opened and settled its window, times in unix milliseconds. */
export type LostRun = {
  readonly schedule: string;
  readonly ending: LedgerEnding;
  readonly recipients: number;
  readonly reasons: UnpaidReasons;
  readonly openedAt: number;
  readonly transactions: readonly {
    readonly purpose: 'delegate' | 'settle';
    readonly signature: string;
    readonly at: number;
  }[];
};

/** Records a run that was lost, with an attempt for each of its transactions; undefined if it is there already. */
export function saveLostRun(database: Db, lost: LostRun): Promise<number | undefined> {
  const { schedule, ending, recipients, reasons, openedAt } = lost;
  const window = ending.window.toString();
  return database.transaction().execute(async (transaction) => {
    // Locked first, as for every new run.
    await sql`select from schedules where address = ${schedule} for no key update`.execute(transaction);
    const run = await transaction
      .insertInto('execution_runs')
      .values({
        schedule,
        window_number: window,
        state: 'settled',
        claims_paid: ending.claimsPaid ?? 0,
        claims_total: recipients,
        ...unpaidColumns(reasons),
        paid_amount: ending.paidAmount?.toString() ?? null,
        created_at: openedAt,
        started_at: openedAt,
        finished_at: ending.at,
        settled_at: ending.at,
        is_rebuilt: true,
      })
      .onConflict((conflict) => conflict.columns(['schedule', 'window_number']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (run === undefined) return undefined;
    await sql`update schedules set run_window = greatest(coalesce(run_window, 0), ${window}::bigint)
      where address = ${schedule}`.execute(transaction);
    for (const { purpose, signature, at } of lost.transactions) {
      const stage = purpose === 'delegate' ? 'delegate' : 'commit';
      const attempt = await transaction
        .insertInto('execution_attempts')
        .values({ run_id: run.id, stage, number: 1, outcome: 'succeeded', started_at: at, ended_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      const isSettlement = purpose === 'settle';
      const { id } = await transaction
        .insertInto('ledger_transactions')
        .values({
          run_id: isSettlement ? null : run.id,
          attempt_id: isSettlement ? null : attempt.id,
          ledger: 'base',
          purpose,
          signature,
          // It landed long ago: nobody sends it again.
          wire: '',
          last_valid_block_height: 0,
          outcome: 'landed',
          created_at: at,
        })
        // A transaction may have settled windows of several runs.
        .onConflict((conflict) => conflict.column('signature').doUpdateSet({ signature }))
        .returning('id')
        .executeTakeFirstOrThrow();
      if (!isSettlement) continue;
      await transaction
        .insertInto('settled_runs')
        .values({ transaction_id: id, run_id: run.id, attempt_id: attempt.id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    return run.id;
  });
}

/** Which of these signatures are of transactions that the schedule's runs of other windows than these have sent. */
export async function signaturesOfOthers(
  database: Db,
  schedule: string,
  windows: readonly bigint[],
  signatures: readonly string[],
): Promise<ReadonlySet<string>> {
  if (signatures.length === 0) return new Set();
  const { rows } = await sql<{ signature: string }>`
    with others as (
      select id from execution_runs
      where schedule = ${schedule} and window_number <> all(${windows.map(String)}::bigint[])
    )
    select signature from ledger_transactions as sent where signature = any(${signatures}) and (
      run_id in (select id from others)
      or exists (select from settled_runs where transaction_id = sent.id and run_id in (select id from others))
    )`.execute(database);
  return new Set(rows.map(({ signature }) => signature));
}
