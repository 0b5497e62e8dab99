import { openDatabase } from '@payouts/coordinator/testing';
import { isRecording, recordPublic } from './record.ts';

/** Rows of a table at most: tests with a hundred thousand schedules repeat one. */
const ROWS = 10_000;

type Queryable = { query(text: string): Promise<{ rows: unknown[] }> };

/** Every value of every row of every table (of a very large one, of its first rows), the engine's among them, one after the other as it is stored. */
export async function dumpRows(pool: Queryable): Promise<Buffer> {
  const { rows: tables } = (await pool.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
  )) as { rows: { name: string }[] };
  const parts: Buffer[] = [];
  for (const { name } of tables) {
    const { rows } = (await pool.query(`select * from ${name} limit ${ROWS}`)) as { rows: Record<string, unknown>[] };
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(JSON.stringify(value) ?? '');
        parts.push(Buffer.from(`${name}.${column}: `), bytes, Buffer.from('\n'));
      }
    }
  }
  return Buffer.concat(parts);
}

/** Notes what stands in a database that is about to go away. */
export async function recordDatabase(pool: Queryable): Promise<void> {
  if (isRecording) recordPublic('database', await dumpRows(pool));
}

type Store = { readonly databaseUrl: string | undefined; readonly dataDir: string };

/** Every value of every row of a coordinator's database, which no coordinator may be using if it is embedded. */
export async function dumpStore(store: Store): Promise<Buffer> {
  const database = await openDatabase({ ...store, onError: () => {} });
  try {
    return await dumpRows(database.pool as unknown as Queryable);
  } finally {
    await database.close();
  }
}

/** Notes what stands in a coordinator's database that no coordinator uses any more. */
export async function recordStore(store: Store): Promise<void> {
  if (isRecording) recordPublic('database', await dumpStore(store));
}
