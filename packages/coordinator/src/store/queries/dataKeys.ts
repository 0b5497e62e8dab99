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

/** Tables whose rows carry what a payload key has wrapped: a data key, or the reason why a run was abandoned itself. */
const WRAPPED = {
  recipient_lists: { id: 'id', content: 'wrapped_key' },
  liability_trees: { id: 'mint', content: 'wrapped_key' },
  service_keys: { id: 'name', content: 'wrapped_key' },
  auditor_grants: { id: 'id', content: 'wrapped_key' },
  webhook_endpoints: { id: 'id', content: 'wrapped_key' },
  abandoned_runs: { id: 'run_id', content: 'reason' },
} as const;
export type WrappedTable = keyof typeof WRAPPED;

/** A row as it is stored; that of an abandoned run with the name of the run. */
export type WrappedRow<T extends WrappedTable> = Selectable<Tables[T]> &
  (T extends 'abandoned_runs' ? Pick<RunRow, 'schedule' | 'window_number'> : unknown);

/** Every column that `WRAPPED` names, of which a table has its own, and `key_id`. */
type WrappedColumns = Readonly<
  Record<'id' | 'mint' | 'name' | 'run_id', string | number> &
    Record<'wrapped_key' | 'reason', Uint8Array> &
    Record<'key_id', string>
>;

/** Rows read at a time. */
const AT_ONCE = 100;

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

/** Keeps what a row carries as it is wrapped now; false if the row is gone, or somebody else has done it. */
export async function saveRotated(
  database: Db,
  table: WrappedTable,
  id: string | number,
  from: string,
  { keyId, wrapped }: WrappedKey,
): Promise<boolean> {
  const { id: name, content } = WRAPPED[table];
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set key_id = ${keyId}, ${sql.id(content)} = ${wrapped}
    where ${sql.id(name)} = ${id} and key_id = ${from}`.execute(database);
  return numAffectedRows > 0n;
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
