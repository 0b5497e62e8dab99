import { type RawBuilder, sql } from 'kysely';
import type { Db, Tables } from './schema.ts';

/** How many rows of a table are so, all by default. */
export async function countRows(
  database: Db,
  table: keyof Tables,
  which: RawBuilder<boolean> = sql`true`,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from ${sql.table(table)} where ${which}`.execute(database);
  return rows[0]?.count ?? 0;
}
