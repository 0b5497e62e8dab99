import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Migration, Migrator, sql } from 'kysely';
import { PACKAGE_FOLDER } from '../../platform/packageFolder.ts';
import type { Db } from '../schema.ts';

const FOLDER = new URL('migrations/', PACKAGE_FOLDER);

/** The statements of every migration by its name, in order of its number. One that has been released never changes. */
export const MIGRATIONS: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER)
    .sort()
    .map((file) => [basename(file, '.sql'), readFileSync(new URL(file, FOLDER), 'utf8')]),
);

/** The database has tables of a newer version of this service. */
export class DatabaseNewer extends Error {
  override readonly name = 'DatabaseNewer';
}

/**
 * Names of the migrations that this version's tables need and the database has not had. Throws `DatabaseNewer`. Asked without the
 * migrator: it looks at every table, and fails if another process's migration drops one at that moment.
 */
export async function pendingMigrations(database: Db, migrations = MIGRATIONS): Promise<string[]> {
  const { rows: tables } = await sql`select 1 from information_schema.tables
    where table_schema = current_schema() and table_name = 'kysely_migration'`.execute(database);
  if (tables.length === 0) return Object.keys(migrations);
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  const had = new Set(rows.map(({ name }) => name));
  const unknown = [...had].filter((name) => !(name in migrations));
  if (unknown.length === 0) return Object.keys(migrations).filter((name) => !had.has(name));
  throw new DatabaseNewer(
    `The database has been used by a newer version of this service (it has ${unknown.join(', ')}): start that version, ` +
      'or restore the backup from before.',
  );
}

/**
 * Brings the database to this version's tables, all of the way or not at all; returns the names of the migrations that were needed.
 * Throws `DatabaseNewer`.
 */
export async function migrate(database: Db, migrations = MIGRATIONS): Promise<string[]> {
  if ((await pendingMigrations(database, migrations)).length === 0) return [];
  const steps = Object.entries(migrations).map(([name, statements]): [string, Migration] => [
    name,
    { up: async (db) => void (await sql.raw(statements).execute(db)) },
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(steps) };
  const { error, results = [] } = await new Migrator({ db: database, provider }).migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => migrationName);
}
