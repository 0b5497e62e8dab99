import { type Kysely, Migrator } from 'kysely';
import { MIGRATIONS } from './migrations/index.ts';
import type { Tables } from './schema.ts';

/** Brings the database to this version's tables; returns the names of the migrations that were needed. */
export async function migrate(database: Kysely<Tables>): Promise<string[]> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => migrationName);
}
