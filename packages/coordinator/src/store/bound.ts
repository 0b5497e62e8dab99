import type { Db } from './schema.ts';

type Query = (database: Db, ...rest: never[]) => unknown;
type Given<Q> = Q extends (database: Db, ...rest: infer Rest) => infer Answer ? (...rest: Rest) => Answer : never;

/** Queries as whoever is given them may call them: of a database that they know. */
export type Bound<Queries> = { readonly [Name in keyof Queries]: Given<Queries[Name]> };

/** Gives queries their database. */
export function bound<const Queries extends Readonly<Record<string, Query>>>(
  database: Db,
  queries: Queries,
): Bound<Queries> {
  const entries = Object.entries(queries).map(([name, query]) => [name, query.bind(undefined, database)]);
  return Object.fromEntries(entries) as Bound<Queries>;
}
