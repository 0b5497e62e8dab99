import { sql } from 'kysely';
import type { Db } from '../schema.ts';
import { deleteRows } from './dataKeys.ts';
import { deleteUnneeded, findSettlingTransactions } from './transactions.ts';

/** What is stored of a schedule. */
export type StoredSchedule = {
  readonly lists: number;
  readonly runs: number;
  /** Runs that are not over, or an open window on the ledger. */
  readonly isAtWork: boolean;
};

/** What is stored of a schedule; undefined if it is not registered. */
export async function findStored(database: Db, schedule: string): Promise<StoredSchedule | undefined> {
  const { rows } = await sql<{ lists: string; runs: string; at_work: boolean }>`
    select (select count(*) from recipient_lists where schedule = address) as lists,
      (select count(*) from execution_runs where schedule = address) as runs,
      phase = 'open' or exists (
        select from execution_runs where schedule = address and finished_at is null) as at_work
    from schedules where address = ${schedule}`.execute(database);
  const [row] = rows;
  return row && { lists: Number(row.lists), runs: Number(row.runs), isAtWork: row.at_work };
}

/** Forgets the lists of a schedule for good, with what they were paid; returns how many. */
export const deleteListsOf = (database: Db, schedule: string): Promise<number> =>
  deleteRows(database, 'recipient_lists', sql<boolean>`schedule = ${schedule}`);

/** Forgets a schedule without lists, with its runs. */
export function deleteHistory(database: Db, schedule: string): Promise<void> {
  return database.transaction().execute(async (transaction) => {
    const runs = await transaction.selectFrom('execution_runs').select('id').where('schedule', '=', schedule).execute();
    const ids = runs.map(({ id }) => id);
    const settling = await findSettlingTransactions(transaction, ids);
    await transaction.deleteFrom('schedules').where('address', '=', schedule).execute();
    await deleteUnneeded(transaction, settling);
  });
}

/** Gives the space of deleted rows back, so that their bytes are overwritten in time. */
export async function vacuumLists(database: Db): Promise<void> {
  const lists = ['recipient_lists', 'recipient_list_chunks', 'recipient_tags', 'run_payments'];
  for (const table of [...lists, 'auditor_grants', 'grant_uses', 'webhook_endpoints', 'webhook_messages']) {
    await sql`vacuum ${sql.table(table)}`.execute(database);
  }
}
