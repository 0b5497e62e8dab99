import { type Kysely, Migrator, sql } from 'kysely';
import { MIGRATIONS } from '../migrations/index.ts';
import type { Tables } from '../schema.ts';

/** The database has tables of a newer version of this service. */
export class DatabaseNewer extends Error {
  override readonly name = 'DatabaseNewer';
}

const migratorOf = (database: Kysely<Tables>): Migrator =>
  new Migrator({ db: database, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });

/**
 * Names of the migrations that this version's tables need and the database has not had. Throws `DatabaseNewer`. Asked without the
 * migrator: it looks at every table, and fails if another process's migration drops one at that moment.
 */
export async function pendingMigrations(database: Kysely<Tables>): Promise<string[]> {
  const { rows: tables } = await sql`select 1 from information_schema.tables
    where table_schema = current_schema() and table_name = 'kysely_migration'`.execute(database);
  if (tables.length === 0) return Object.keys(MIGRATIONS);
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  const had = new Set(rows.map(({ name }) => name));
  const unknown = [...had].filter((name) => !(name in MIGRATIONS));
  if (unknown.length === 0) return Object.keys(MIGRATIONS).filter((name) => !had.has(name));
  throw new DatabaseNewer(
    `The database has been used by a newer version of this service (it has ${unknown.join(', ')}): start that version, ` +
      'or restore the backup from before.',
  );
}

/** Brings the database to this version's tables; returns the names of the migrations that were needed. Throws `DatabaseNewer`. */
export async function migrate(database: Kysely<Tables>): Promise<string[]> {
  if ((await pendingMigrations(database)).length === 0) return [];
  const { error, results = [] } = await migratorOf(database).migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => migrationName);
}
