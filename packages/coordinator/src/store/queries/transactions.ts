import { type Insertable, type Selectable, sql } from 'kysely';
import { grouped } from '../grouped.ts';
import { type Columns, recordset } from '../recordset.ts';
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

const NEW: Columns = {
  ...{ place: 'integer', signature: 'text', wire: 'text', last_valid_block_height: 'bigint', run_id: 'integer' },
  ...{ attempt_id: 'integer', ledger: 'text', purpose: 'text', created_at: 'bigint' },
};

/**
 * Keeps a transaction before it is sent for the first time, unless the run has one for the purpose whose end is not known: then that
 * one. The same bytes may be signed twice, within the moment that a blockhash is shared: they are one transaction, and its end is open
 * again.
 */
export const keepTransaction = grouped<NewTransaction, KeptTransaction>({
  keyOf: ({ run_id, purpose }) => `${run_id} ${purpose}`,
  async ask(database, transactions) {
    const { rows } = await sql<KeptTransaction & { readonly place: number }>`
      with new as materialized (
        ${recordset(
          NEW,
          transactions.map((transaction, place) => ({ ...transaction, place })),
        )}
      ), unsettled as materialized (
        select distinct on (new.place) new.place, sent.id, sent.signature, sent.wire, sent.last_valid_block_height
        from new join ledger_transactions as sent on sent.run_id = new.run_id and sent.purpose = new.purpose and sent.outcome = 'sent'
        order by new.place, sent.id desc
      ), kept as (
        insert into ledger_transactions
          (signature, wire, last_valid_block_height, run_id, attempt_id, ledger, purpose, outcome, created_at)
        select signature, wire, last_valid_block_height, run_id, attempt_id, ledger, purpose, 'sent', created_at
        from new where not exists (select from unsettled where unsettled.place = new.place)
        on conflict (signature) do update set outcome = 'sent'
        returning id, signature, wire, last_valid_block_height
      )
      select new.place, kept.*, true as "isNew" from kept join new on new.signature = kept.signature
      union all select *, false from unsettled`.execute(database);
    const answers: KeptTransaction[] = [];
    for (const { place, ...kept } of rows) answers[place] = kept;
    return answers;
  },
});

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
