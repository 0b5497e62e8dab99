import type { GrantedWindows } from '../../domain/grant.ts';
import type { Db } from '../schema.ts';
import type { ListRow } from './lists.ts';

function windowsOf(database: Db, schedule: string) {
  return (
    database
      .selectFrom('execution_runs as run')
      .leftJoin('run_payments as payments', 'payments.run_id', 'run.id')
      .leftJoin('recipient_lists as list', 'list.id', 'payments.list_id')
      .leftJoinLateral(
        (query) =>
          query
            .selectFrom('settled_runs as settled')
            .innerJoin('ledger_transactions as sent', 'sent.id', 'settled.transaction_id')
            .select(['sent.signature', 'sent.wire'])
            .whereRef('settled.run_id', '=', 'run.id')
            .where('sent.outcome', '=', 'landed')
            .orderBy('sent.id', 'desc')
            .limit(1)
            .as('settlement'),
        (join) => join.onTrue(),
      )
      .select([
        'run.id as run_id',
        'run.window_number',
        'run.state',
        'run.finished_at',
        'run.settled_at',
        'run.paid_amount',
      ])
      .select(['run.unpaid', 'run.unpaid_reasons', 'payments.paid', 'payments.is_confirmed'])
      .select(['list.id', 'list.root', 'list.recipients', 'list.wrapped_key', 'list.key_id', 'list.places'])
      // The bytes in base 64 are empty for a settlement that was found in the ledger's history.
      .select(['settlement.signature', 'settlement.wire'])
      .where('run.schedule', '=', schedule)
  );
}

type Joined = Awaited<ReturnType<ReturnType<typeof windowsOf>['execute']>>[number];

/** A window's run with the list that it paid, who of it was paid, and its settlement; null: not known, or not settled. */
export type WindowRow = ReturnType<typeof rowOf>;

function rowOf(schedule: string, joined: Joined) {
  const { id, root, recipients, wrapped_key, key_id, places, paid, is_confirmed, unpaid_reasons, ...row } = joined;
  // Of a joined row all columns are there, or none.
  const list = id === null ? undefined : ({ id, schedule, root, recipients, wrapped_key, key_id, places } as ListRow);
  return {
    ...row,
    /** Of those that were not paid. */
    held: unpaid_reasons.held ?? 0,
    list,
    /** Encrypted with the list's own key; only if the ledger settled the window with it. */
    paid: is_confirmed === true && paid !== null ? paid : undefined,
  };
}

/** The run of a window; undefined if there is none. */
export async function findWindow(database: Db, schedule: string, window: bigint): Promise<WindowRow | undefined> {
  const row = await windowsOf(database, schedule).where('run.window_number', '=', window.toString()).executeTakeFirst();
  return row && rowOf(schedule, row);
}

/** Settled windows of a schedule that are in one of these ranges, newest first, below window `before`. */
export async function listSettledWindows(
  database: Db,
  schedule: string,
  ranges: readonly GrantedWindows[],
  { before, limit }: { readonly before: bigint | undefined; readonly limit: number },
): Promise<WindowRow[]> {
  let windows = windowsOf(database, schedule)
    .where('run.state', '=', 'settled')
    .where(({ eb, or, and }) => {
      const number = 'run.window_number';
      return or(
        ranges.map(({ from, to }) =>
          and([
            ...(from === null ? [] : [eb(number, '>=', from.toString())]),
            ...(to === null ? [] : [eb(number, '<=', to.toString())]),
          ]),
        ),
      );
    });
  if (before !== undefined) windows = windows.where('run.window_number', '<', before.toString());
  const rows = await windows.orderBy('run.window_number', 'desc').limit(limit).execute();
  return rows.map((row) => rowOf(schedule, row));
}
