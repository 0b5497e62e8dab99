import { type Kysely, Migrator, sql } from 'kysely';
import { MIGRATIONS } from './migrations/index.ts';
import type { Tables } from './schema.ts';

/** The database has tables of a newer version of this service. */
export class DatabaseNewer extends Error {
  override readonly name = 'DatabaseNewer';
}

const migratorOf = (database: Kysely<Tables>): Migrator =>
  new Migrator({ db: database, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });

/** Throws `DatabaseNewer` if the database had migrations that this version does not know. */
async function refuseNewer(database: Kysely<Tables>): Promise<void> {
  const { rows: tables } = await sql`select 1 from information_schema.tables
    where table_schema = current_schema() and table_name = 'kysely_migration'`.execute(database);
  if (tables.length === 0) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  const unknown = rows.filter(({ name }) => !(name in MIGRATIONS)).map(({ name }) => name);
  if (unknown.length === 0) return;
  throw new DatabaseNewer(
    `The database has been used by a newer version of this service (it has ${unknown.join(', ')}): start that version, ` +
      'or restore the backup from before.',
  );
}

/** Names of the migrations that this version's tables need and the database has not had. Throws `DatabaseNewer`. */
export async function pendingMigrations(database: Kysely<Tables>): Promise<string[]> {
  await refuseNewer(database);
  const migrations = await migratorOf(database).getMigrations();
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

/** Brings the database to this version's tables; returns the names of the migrations that were needed. Throws `DatabaseNewer`. */
export async function migrate(database: Kysely<Tables>): Promise<string[]> {
  await refuseNewer(database);
  const { error, results = [] } = await migratorOf(database).migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => migrationName);
}
