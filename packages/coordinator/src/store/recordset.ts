import { type RawBuilder, sql } from 'kysely';

/** Columns of a set of records, with their types in the database. */
export type Columns = Readonly<Record<string, string>>;

/**
 * Records that a statement is given as JSON. The planner takes JSON for a hundred rows, for which it reads small tables as a whole; a limit, of
 * which there are only few so that the statement is prepared, tells it better.
 */
export function recordset(columns: Columns, records: readonly object[]): RawBuilder<unknown> {
  const most = sql.raw(String(2 ** Math.ceil(Math.log2(records.length))));
  const types = Object.entries(columns).map(([name, type]) => sql`${sql.id(name)} ${sql.raw(type)}`);
  return sql`select * from json_to_recordset(${JSON.stringify(records)}::json) as records (${sql.join(types)}) limit ${most}`;
}
