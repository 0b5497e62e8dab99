import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, LedgerTransactionsTable } from '../schema.ts';

/** A transaction kept before its first send. */
export type TransactionRow = Selectable<LedgerTransactionsTable>;

/** A run's transaction that is to be kept. */
export type NewTransaction = Omit<Insertable<LedgerTransactionsTable>, 'outcome' | 'run_id' | 'attempt_id'> & {
  readonly run_id: number;
  readonly attempt_id: number;
};

/** A transaction whose bytes stand in the store; `isNew`: they have never been sent. */
export type KeptTransaction = Pick<TransactionRow, 'id' | 'signature' | 'wire' | 'last_valid_block_height'> & {
  readonly isNew: boolean;
};

/**
 * Keeps a transaction before it is sent for the first time, unless the run has one for the purpose whose end is not known: then that
 * one. The same bytes may be signed twice, within the moment that a blockhash is shared: they are one transaction, and its end is open
 * again.
 */
export async function keepTransaction(database: Db, transaction: NewTransaction): Promise<KeptTransaction> {
  const { signature, wire, last_valid_block_height, run_id, attempt_id, ledger, purpose, created_at } = transaction;
  const { rows } = await sql<KeptTransaction>`
    with unsettled as materialized (
      select id, signature, wire, last_valid_block_height from ledger_transactions
      where run_id = ${run_id}::integer and purpose = ${purpose} and outcome = 'sent'
      order by id desc limit 1
    ), kept as (
      insert into ledger_transactions
        (signature, wire, last_valid_block_height, run_id, attempt_id, ledger, purpose, outcome, created_at)
      select ${signature}, ${wire}, ${last_valid_block_height}::bigint, ${run_id}::integer, ${attempt_id}::integer,
        ${ledger}, ${purpose}, 'sent', ${created_at}::bigint
      where not exists (select from unsettled)
      on conflict (signature) do update set outcome = 'sent'
      returning id, signature, wire, last_valid_block_height
    )
    select *, true as "isNew" from kept union all select *, false from unsettled`.execute(database);
  return rows[0] as KeptTransaction;
}

/** Keeps how a transaction ended. */
export async function settleTransaction(
  database: Db,
  id: number,
  outcome: Exclude<TransactionRow['outcome'], 'sent'>,
): Promise<void> {
  await database.updateTable('ledger_transactions').set({ outcome }).where('id', '=', id).execute();
}

/** Forgets those of these transactions that nothing has any more: no run, and no recording of a liabilities tree. */
export async function deleteUnneeded(database: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from ledger_transactions where id = any(${ids}::integer[]) and run_id is null
    and not exists (select from settled_runs where transaction_id = ledger_transactions.id)
    and not exists (select from liability_recordings where transaction_id = ledger_transactions.id)`.execute(database);
}

/** Transactions that settled windows of these runs. */
export async function findSettlingTransactions(database: Db, runIds: readonly number[]): Promise<number[]> {
  if (runIds.length === 0) return [];
  const rows = await database
    .selectFrom('settled_runs')
    .select('transaction_id')
    .distinct()
    .where('run_id', 'in', runIds)
    .execute();
  return rows.map(({ transaction_id }) => transaction_id);
}
