import { sql } from 'kysely';
import type { Db } from '../schema.ts';
import { deleteRows } from './dataKeys.ts';
import { deleteUnneeded, findSettlingTransactions } from './transactions.ts';

/** Runs removed in one transaction. */
const AT_ONCE = 500;

/** What is older than a moment, and needed no more. */
export type Outdated = {
  readonly runs: number;
  readonly attempts: number;
  readonly transactions: number;
  readonly lists: number;
};

/**
 * Lists registered before a moment whose root was replaced and which no run that is kept has paid. While a schedule has an open
 * window or a run that is not over, all its lists stay; the newest one always does.
 */
const outdatedLists = (before: number) => sql`
  recipient_lists as list join schedules as schedule on schedule.address = list.schedule
  where list.registered_at < ${String(before)} and list.root <> schedule.root and schedule.phase = 'idle'
    and exists (select from recipient_lists as newer where newer.schedule = list.schedule and newer.id > list.id)
    and not exists (
      select from execution_runs as run where run.schedule = list.schedule and run.finished_at is null)
    and not exists (
      select from run_payments as payments join execution_runs as kept on kept.id = payments.run_id
      where payments.list_id = list.id and kept.finished_at >= ${String(before)})`;

/** How much there is to remove before a moment, in unix milliseconds. Changes nothing. */
export async function countOutdated(database: Db, before: number): Promise<Outdated> {
  const { rows } = await sql<Record<keyof Outdated, string>>`
    with old as (select id from execution_runs where finished_at < ${String(before)})
    select (select count(*) from old) as runs,
      (select count(*) from execution_attempts where run_id in (select id from old)) as attempts,
      (select count(*) from ledger_transactions as sent where run_id in (select id from old) or (
        exists (select from settled_runs where transaction_id = sent.id)
        and not exists (select from settled_runs where transaction_id = sent.id and run_id not in (select id from old))
      )) as transactions,
      (select count(*) from ${outdatedLists(before)}) as lists`.execute(database);
  const [row] = rows as [Record<keyof Outdated, string>];
  const { runs, attempts, transactions, lists } = row;
  return { runs: Number(runs), attempts: Number(attempts), transactions: Number(transactions), lists: Number(lists) };
}

/** Removes runs that were over before a moment (unix milliseconds) with all that belongs to them, some at a time. */
export async function removeOldRuns(database: Db, before: number): Promise<void> {
  for (;;) {
    const removed = await database.transaction().execute(async (transaction) => {
      const runs = await transaction
        .selectFrom('execution_runs')
        .select(['id', 'schedule', 'window_number'])
        .where('finished_at', '<', String(before))
        .orderBy('id')
        .limit(AT_ONCE)
        .execute();
      if (runs.length === 0) return 0;
      const ids = runs.map(({ id }) => id);
      const settling = await findSettlingTransactions(transaction, ids);
      // Nobody is to take them for lost.
      await sql`update reconciled_schedules set complete_from = greatest(complete_from, removed.last + 1)
        from (select schedule, max(window_number::bigint) as last
          from json_to_recordset(${JSON.stringify(runs)}::json) as run (schedule text, window_number text) group by schedule
        ) as removed where removed.schedule = reconciled_schedules.schedule`.execute(transaction);
      await transaction.deleteFrom('execution_runs').where('id', 'in', ids).execute();
      await deleteUnneeded(transaction, settling);
      return runs.length;
    });
    if (removed < AT_ONCE) return;
  }
}

/** Removes lists of replaced roots that nothing which is kept needs. */
export async function removeOldLists(database: Db, before: number): Promise<void> {
  await deleteRows(database, 'recipient_lists', sql<boolean>`id in (select list.id from ${outdatedLists(before)})`);
}
