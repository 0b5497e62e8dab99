import { sql } from 'kysely';
import { grouped } from '../grouped.ts';
import type { Db } from '../schema.ts';
import type { ListRow } from './lists.ts';

/** Who is paid in a run's window, encrypted with the list's own key; null: not known. */
export type PaymentsRow = { readonly paid: Uint8Array | null; readonly list: Omit<ListRow, 'places'> };

/** What is kept of a run's payments; with `isConfirmed`, only what the ledger settled. */
export const findPayments = (
  database: Db,
  runId: number,
  { isConfirmed = false }: { readonly isConfirmed?: boolean } = {},
): Promise<PaymentsRow | undefined> => findTogether(database, { runId, isConfirmed });

type Wanted = { readonly runId: number; readonly isConfirmed: boolean };

const findTogether = grouped<Wanted, PaymentsRow | undefined>({
  keyOf: ({ runId }) => String(runId),
  shapeOf: ({ isConfirmed }) => String(isConfirmed),
  async ask(database, wanted) {
    let payments = database
      .selectFrom('run_payments')
      .innerJoin('recipient_lists as list', 'list.id', 'run_payments.list_id')
      .select([
        'run_payments.run_id',
        'run_payments.paid',
        'list.id',
        'list.schedule',
        'list.root',
        'list.recipients',
        'list.wrapped_key',
        'list.key_id',
      ])
      .where('run_id', '=', sql<number>`any(${wanted.map(({ runId }) => runId)}::integer[])`);
    if (wanted[0]?.isConfirmed) payments = payments.where('is_confirmed', '=', true);
    const rows = await payments.execute();
    const found = new Map(rows.map(({ run_id, paid, ...list }) => [run_id, { paid, list }]));
    return wanted.map(({ runId }) => found.get(runId));
  },
});

/** Which list a run pays and who is paid so far, sealed; `paid` null: not known. */
export type Payments = { readonly listId: number; readonly paid: Uint8Array | null };

/** Keeps a run's payments, unless they are confirmed already; where it is not known who is paid, what is kept stands. */
export async function savePayments(database: Db, runId: number, { listId, paid }: Payments): Promise<void> {
  await database
    .insertInto('run_payments')
    .values({ run_id: runId, list_id: listId, paid })
    .onConflict((conflict) => {
      const known = conflict.column('run_id');
      if (paid === null) return known.doNothing();
      return known.doUpdateSet({ list_id: listId, paid }).where('run_payments.is_confirmed', '=', false);
    })
    .execute();
}

/** Notes whether what is kept of a run's payments is what the ledger settled. */
export async function confirmPayments(database: Db, runId: number, isRight: boolean): Promise<void> {
  await database.updateTable('run_payments').set({ is_confirmed: isRight }).where('run_id', '=', runId).execute();
}

/** When the ledger settled the run's window; where that is not known, when the run was over. */
const SETTLED_AT = sql<string>`coalesce(run.settled_at, run.finished_at)`;

/** Settled runs that paid one of these lists, with the signature of the settlement. */
function settledRuns(database: Db, listIds: readonly number[]) {
  return database
    .selectFrom('run_payments as payments')
    .innerJoin('execution_runs as run', 'run.id', 'payments.run_id')
    .innerJoin('recipient_lists as list', 'list.id', 'payments.list_id')
    .select(['run.id', 'run.window_number', SETTLED_AT.as('settled_at'), 'list.root'])
    .select(['list.wrapped_key', 'list.key_id'])
    .select(['payments.list_id', 'payments.paid', 'payments.is_confirmed'])
    .select((select) =>
      select
        .selectFrom('settled_runs as settled')
        .innerJoin('ledger_transactions as sent', 'sent.id', 'settled.transaction_id')
        .select('sent.signature')
        .whereRef('settled.run_id', '=', 'run.id')
        .where('sent.outcome', '=', 'landed')
        .orderBy('sent.id', 'desc')
        .limit(1)
        .as('signature'),
    )
    .where('payments.list_id', 'in', listIds)
    .where('run.state', '=', 'settled');
}

/** A settled run as a receipt shows it. */
export type SettledRun = Awaited<ReturnType<ReturnType<typeof settledRuns>['execute']>>[number];

/** Settled runs of a schedule that paid one of these lists, newest window first, below window `before`. */
export function listSettledRuns(
  database: Db,
  listIds: readonly number[],
  before: bigint | undefined,
  limit: number,
): Promise<SettledRun[]> {
  let runs = settledRuns(database, listIds);
  if (before !== undefined) runs = runs.where('run.window_number', '<', before.toString());
  return runs.orderBy('run.window_number', 'desc').limit(limit).execute();
}

/** A place in the order in which payments are shown: when the window was settled, unix milliseconds, and the run's id. */
export type RunPlace = { readonly at: number; readonly id: number };

/** Settled runs of any schedule that paid one of these lists, latest first, behind a place. */
export function listLatestSettledRuns(
  database: Db,
  listIds: readonly number[],
  behind: RunPlace,
  limit: number,
): Promise<SettledRun[]> {
  return settledRuns(database, listIds)
    .where(sql<boolean>`(${SETTLED_AT}, run.id) < (${behind.at}::bigint, ${behind.id}::bigint)`)
    .orderBy(SETTLED_AT, 'desc')
    .orderBy('run.id', 'desc')
    .limit(limit)
    .execute();
}
