import type { Time } from '@payouts/client';
import { withAdvisoryLock } from './advisoryLock.ts';
import { engineIsPending, migrateEngine } from './engineTables.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { type Database, kyselyOver } from './openDatabase.ts';
import { openServerPool } from './serverPool.ts';

/** The database lacks tables, and this process may not make them. */
export class MigrationsPending extends Error {
  override readonly name = 'MigrationsPending';
}

type Migrated = Pick<Database, 'pool' | 'query'>;

const UNLIMITED = { connectMs: 5_000, queryMs: 0 };
/** Name of the engine's own tables among the migrations. */
const ENGINE = '0000_engine';

/** What is to be migrated: the service's and the engine's migrations. Throws `DatabaseNewer`. Changes nothing. */
export async function whatIsPending({ query, pool }: Migrated): Promise<string[]> {
  const pending = await pendingMigrations(query);
  return (await engineIsPending(pool)) ? [...pending, ENGINE] : pending;
}

/**
 * Brings the service's and the engine's tables to this version, one process at a time; returns what was done. Throws
 * `DatabaseNewer`.
 */
export async function prepareDatabase(
  database: Migrated,
  databaseUrl: string | undefined,
  time: Time,
): Promise<string[]> {
  if ((await whatIsPending(database)).length === 0) return [];
  if (databaseUrl === undefined) return migrateBoth(database);
  // Without the limits of the service's own connections: a migration may take as long as it takes.
  const pool = openServerPool(databaseUrl, { size: 2, name: 'payouts migrations', patience: UNLIMITED }, () => {});
  try {
    return await withAdvisoryLock(databaseUrl, { name: 'migrations', time }, () =>
      migrateBoth({ pool, query: kyselyOver(pool) }),
    );
  } finally {
    await pool.end();
  }
}

/** Whoever was first has done it all when the others get the lock. */
async function migrateBoth(database: Migrated): Promise<string[]> {
  const pending = await whatIsPending(database);
  const done = await migrate(database.query);
  if (!pending.includes(ENGINE)) return done;
  await migrateEngine(database.pool);
  return [...done, ENGINE];
}

/** Throws `MigrationsPending` if tables are missing, `DatabaseNewer` if there are too many. */
async function refusePending(database: Migrated): Promise<void> {
  const pending = await whatIsPending(database);
  if (pending.length === 0) return;
  throw new MigrationsPending(
    `The database lacks the migrations ${pending.join(', ')}, and MIGRATE_ON_START is false: run npm run coordinator -- migrate.`,
  );
}

/** Brings the tables up to date if that may be done at start, else insists that they are; returns what was done. */
export async function readyDatabase(
  database: Database,
  settings: { readonly databaseUrl: string | undefined; readonly migrateOnStart: boolean },
  time: Time,
): Promise<string[]> {
  if (settings.migrateOnStart) return prepareDatabase(database, settings.databaseUrl, time);
  await refusePending(database);
  return [];
}
