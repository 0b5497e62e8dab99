import { type RawBuilder, type Selectable, sql } from 'kysely';
import { newListKey } from '../crypto/cipher.ts';
import type { WrappedKey } from '../crypto/payloadKeys.ts';
import type { Db, Tables } from '../schema.ts';
import type { RunRow } from './runs.ts';

/** How many data keys a payload key has wrapped. */
export type PayloadKeyUse = {
  readonly keyId: string;
  readonly lists: number;
  readonly liabilityTrees: number;
  readonly serviceKeys: number;
};

/** Which payload keys are in use, by their names. */
export async function countKeyUse(database: Db): Promise<PayloadKeyUse[]> {
  const { rows } = await sql<PayloadKeyUse>`
    select key_id as "keyId", (count(*) filter (where kind = 'list'))::integer as lists,
      (count(*) filter (where kind = 'tree'))::integer as "liabilityTrees",
      (count(*) filter (where kind = 'service'))::integer as "serviceKeys"
    from (
      select key_id, 'list' as kind from recipient_lists
      union all select key_id, 'tree' from liability_trees
      union all select key_id, 'service' from service_keys
    ) as used
    group by key_id order by key_id collate "C"`.execute(database);
  return rows;
}

/**
 * Tables whose rows carry what a payload key has wrapped: a data key, or the reason why a run was abandoned itself. The service's own keys are
 * renewed otherwise.
 */
const WRAPPED = {
  recipient_lists: { id: 'id', content: 'wrapped_key' },
  liability_trees: { id: 'mint', content: 'wrapped_key' },
  auditor_grants: { id: 'id', content: 'wrapped_key' },
  webhook_endpoints: { id: 'id', content: 'wrapped_key' },
  abandoned_runs: { id: 'run_id', content: 'reason' },
} as const;
export type WrappedTable = keyof typeof WRAPPED;
/** Tables whose rows have a data key of their own, which encrypts more than the row itself. */
export type DataKeyTable = Exclude<WrappedTable, 'abandoned_runs'>;

/** A row as it is stored; that of an abandoned run with the name of the run. */
export type WrappedRow<T extends WrappedTable> = Selectable<Tables[T]> &
  (T extends 'abandoned_runs' ? Pick<RunRow, 'schedule' | 'window_number'> : unknown);

/** Every column that `WRAPPED` names, of which a table has its own, and `key_id`. */
type WrappedColumns = Readonly<
  Record<'id' | 'mint' | 'run_id', string | number> &
    Record<'wrapped_key' | 'reason', Uint8Array> &
    Record<'key_id', string>
>;

/** Rows read at a time; and contents, each of some kilobytes. */
const AT_ONCE = 100;
const CONTENTS_AT_ONCE = 16;

/** Rows of a table with something that another payload key than the present one has wrapped, as they are read one after the other. */
export async function* findToRotate<T extends WrappedTable>(
  database: Db,
  table: T,
  currentId: string,
): AsyncGenerator<{ readonly id: string | number; readonly row: WrappedRow<T>; readonly stored: WrappedKey }> {
  const { id: name, content } = WRAPPED[table];
  const id = sql.ref(`${table}.${name}`);
  const run = table === 'abandoned_runs' ? sql`join execution_runs on execution_runs.id = run_id` : sql``;
  const named = table === 'abandoned_runs' ? sql`, schedule, window_number` : sql``;
  for (let behind = sql``; ; ) {
    const { rows } = await sql<WrappedRow<T> & WrappedColumns>`
      select ${sql.table(table)}.* ${named} from ${sql.table(table)} ${run}
      where key_id <> ${currentId} ${behind} order by ${id} limit ${AT_ONCE}`.execute(database);
    for (const row of rows) yield { id: row[name], row, stored: { keyId: row.key_id, wrapped: row[content] } };
    const last = rows.at(-1);
    if (last === undefined) return;
    behind = sql`and ${id} > ${last[name]}`;
  }
}

/** Keeps what a payload key has wrapped itself as it is wrapped now; false if the row is gone, or somebody else has done it. */
export async function saveReason(
  database: Db,
  runId: string | number,
  from: string,
  wrapped: WrappedKey,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('abandoned_runs')
    .set({ key_id: wrapped.keyId, reason: wrapped.wrapped })
    .where('run_id', '=', Number(runId))
    .where('key_id', '=', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** A row's data key as it is to be stored, and what of the row itself it encrypts, by column. */
export type RenewedKey = WrappedKey & {
  readonly formerMark: Uint8Array;
  readonly own: Readonly<Record<string, Uint8Array>>;
};

/**
 * A row as it is now, within a transaction that gives it another data key; undefined if it is gone, or has another key by now. Until the end of
 * the transaction others wait who keep something under the former key.
 */
export async function lockKeyed<T extends DataKeyTable>(
  transaction: Db,
  table: T,
  id: string | number,
  from: Uint8Array,
): Promise<WrappedRow<T> | undefined> {
  const { rows } = await sql<WrappedRow<T>>`select * from ${sql.table(table)}
    where ${sql.ref(WRAPPED[table].id)} = ${id} and wrapped_key = ${from} for update`.execute(transaction);
  return rows[0];
}

/** Gives a row another data key. */
export async function replaceKey(
  transaction: Db,
  table: DataKeyTable,
  id: string | number,
  { keyId, wrapped, formerMark, own }: RenewedKey,
): Promise<void> {
  const columns = Object.entries({ key_id: keyId, wrapped_key: wrapped, ...own });
  const changes = sql.join(columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
  await sql`update ${sql.table(table)} set former_marks = array_append(former_marks, ${formerMark}::bytea), ${changes}
    where ${sql.ref(WRAPPED[table].id)} = ${id}`.execute(transaction);
}

/** Rows with a primary key of these columns, some at a time, each with another content once it was given back. */
export type Content = {
  readonly table:
    | 'recipient_list_chunks'
    | 'balance_pages'
    | 'balance_owners'
    | 'run_payments'
    | 'liability_chunks'
    | 'grant_uses'
    | 'webhook_messages';
  /** Of the rows' key, in the order of which they are read. */
  readonly key: readonly string[];
  readonly content: 'content' | 'paid' | 'subject' | 'sealed';
  /** The column that says whose they are, and whose. */
  readonly of: readonly [column: string, id: string | number];
};

/** Encrypts every content anew, some rows at a time. */
export async function resealContents(
  transaction: Db,
  { table, key, content, of: [column, id] }: Content,
  reseal: (row: Readonly<Record<string, string>>, sealed: Uint8Array) => Uint8Array,
): Promise<void> {
  const columns = sql.join(key.map((name) => sql.ref(`${table}.${name}`)));
  const isPaid = table === 'run_payments';
  const run = isPaid ? sql`join execution_runs on execution_runs.id = run_id` : sql``;
  const window = isPaid ? sql`, window_number` : sql``;
  for (let behind = sql``; ; ) {
    const { rows } = await sql<Record<string, string> & { sealed: Uint8Array }>`
      select ${columns} ${window}, ${sql.ref(`${table}.${content}`)} as sealed from ${sql.table(table)} ${run}
      where ${sql.ref(column)} = ${id} and ${sql.ref(`${table}.${content}`)} is not null ${behind}
      order by ${columns} limit ${CONTENTS_AT_ONCE}`.execute(transaction);
    for (const { sealed, ...row } of rows) {
      const same = sql.join(
        key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
        sql` and `,
      );
      await sql`update ${sql.table(table)} set ${sql.ref(content)} = ${reseal(row, sealed)}
        where ${sql.ref(column)} = ${id} and ${same}`.execute(transaction);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    behind = sql`and (${columns}) > (${sql.join(key.map((name) => last[name]))})`;
  }
}

/** Forgets rows for good: first their keys, without which nothing of them can be read again, then the rows; returns how many. */
export async function deleteRows(
  database: Db,
  table: 'recipient_lists' | 'auditor_grants' | 'webhook_endpoints',
  which: RawBuilder<boolean>,
): Promise<number> {
  const { rows } = await sql<{ id: string | number }>`
    update ${sql.table(table)} set wrapped_key = ${newListKey()}, key_id = 'forgotten' where ${which}
    returning id`.execute(database);
  // Exactly those whose keys are gone, whatever others have changed meanwhile.
  await sql`delete from ${sql.table(table)} where id = any(${rows.map(({ id }) => id)})`.execute(database);
  return rows.length;
}

/** How many keys, and reasons, a rotation has before it: those that another payload key than the present one has wrapped. */
export async function countToRotate(database: Db, currentId: string): Promise<number> {
  const tables = [...Object.keys(WRAPPED), 'service_keys'];
  const counts = tables.map((table) => sql`(select count(*) from ${sql.table(table)} where key_id <> ${currentId})`);
  const { rows } = await sql<{ count: string }>`select (${sql.join(counts, sql` + `)}) as count`.execute(database);
  return Number(rows[0]?.count ?? 0);
}
