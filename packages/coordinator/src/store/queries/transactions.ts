import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { LedgerTransactionsTable, Tables } from '../schema.ts';

/** A transaction kept before its first send. */
export type TransactionRow = Selectable<LedgerTransactionsTable>;

/** A transaction that is to be kept. */
export type NewTransaction = Omit<Insertable<LedgerTransactionsTable>, 'outcome'>;

/**
 * Keeps a transaction before it is sent for the first time. The same bytes may be signed twice, within the moment that a blockhash is
 * shared: they are one transaction, and its end is open again.
 */
export async function keepTransaction(database: Kysely<Tables>, transaction: NewTransaction): Promise<number> {
  const { id } = await database
    .insertInto('ledger_transactions')
    .values({ ...transaction, outcome: 'sent' })
    .onConflict((conflict) => conflict.column('signature').doUpdateSet({ outcome: 'sent' }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The last transaction of a run for a purpose whose end is not known. */
export function findUnsettledTransaction(
  database: Kysely<Tables>,
  runId: number,
  purpose: TransactionRow['purpose'],
): Promise<TransactionRow | undefined> {
  return database
    .selectFrom('ledger_transactions')
    .selectAll()
    .where('run_id', '=', runId)
    .where('purpose', '=', purpose)
    .where('outcome', '=', 'sent')
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/** Keeps how a transaction ended. */
export async function settleTransaction(
  database: Kysely<Tables>,
  id: number,
  outcome: Exclude<TransactionRow['outcome'], 'sent'>,
): Promise<void> {
  await database.updateTable('ledger_transactions').set({ outcome }).where('id', '=', id).execute();
}

/** Forgets those of these transactions that nothing has any more: no run, and no recording of an owed tree. */
export async function forgetUnneeded(database: Kysely<Tables>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from ledger_transactions where id = any(${ids}::integer[]) and run_id is null
    and not exists (select from settled_runs where transaction_id = ledger_transactions.id)
    and not exists (select from owed_recordings where transaction_id = ledger_transactions.id)`.execute(database);
}

/** Transactions that settled windows of these runs. */
export async function findSettlingTransactions(database: Kysely<Tables>, runIds: readonly number[]): Promise<number[]> {
  if (runIds.length === 0) return [];
  const rows = await database
    .selectFrom('settled_runs')
    .select('transaction_id')
    .distinct()
    .where('run_id', 'in', runIds)
    .execute();
  return rows.map(({ transaction_id }) => transaction_id);
}
