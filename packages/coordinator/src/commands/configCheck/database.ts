import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Time } from '@payouts/client';
import type pg from 'pg';
import type { Settings } from '../../config/specs.ts';
import { databaseError } from '../../startupError.ts';
import { DatabaseNewer } from '../../store/db/migrate.ts';
import { type Database, kyselyOver } from '../../store/db/openDatabase.ts';
import { whatIsPending } from '../../store/db/prepare.ts';
import { openServerPool } from '../../store/db/serverPool.ts';
import { type CheckResult, checkWithin, failed, passed, warned } from './checkResult.ts';

const OLDEST_VERSION = 14;
const LEAST_BYTES = 1_000_000_000;
const PATIENCE = { connectMs: 4_000, queryMs: 4_000 };

/** Whether the database can be used as it is set. Changes nothing. */
export function checkDatabase(settings: Settings, time: Time): Promise<CheckResult[]> {
  const { databaseUrl } = settings;
  return databaseUrl === undefined ? checkFolder(settings.dataDir) : checkServer(settings, databaseUrl, time);
}

async function checkFolder(dataDir: string): Promise<CheckResult[]> {
  let existing = resolve(dataDir);
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
  } catch {
    return [failed(`embedded database: ${existing} can't be written: fix its permissions or set another DATA_DIR`)];
  }
  const { bavail, bsize } = statfsSync(existing);
  const isThere = existsSync(join(dataDir, 'postgres'));
  return [
    passed(`embedded database in ${dataDir}${isThere ? '' : ', which the first start creates'}; for one process`),
    ...(bavail * bsize < LEAST_BYTES ? [warned(`less than 1 GB is free where ${dataDir} is: make room`)] : []),
  ];
}

function checkServer(settings: Settings, databaseUrl: string, time: Time): Promise<CheckResult[]> {
  const check = async () => {
    const pool = openServerPool(databaseUrl, { size: 2, name: 'payouts config check', patience: PATIENCE }, () => {});
    try {
      return [
        ...(await checkVersion(pool)),
        ...(await checkConnections(pool, settings.databasePoolSize)),
        ...(await checkTables({ pool, query: kyselyOver(pool) }, settings.migrateOnStart)),
      ];
    } finally {
      await pool.end();
    }
  };
  return checkWithin(time, check, (error) => {
    const name = (error as { code?: string }).code ?? (error as Error).name;
    return `database: DATABASE_URL can't be used: ${databaseError(error) ?? `it answered ${name}`}`;
  });
}

async function checkVersion(pool: pg.Pool): Promise<CheckResult[]> {
  const { rows } = await pool.query<{ version: number; name: string; may_create: boolean }>(
    `select current_setting('server_version_num')::int / 10000 as version, current_database() as name,
      has_schema_privilege(current_schema(), 'create') and has_database_privilege(current_database(), 'create') as may_create`,
  );
  const { version = 0, name = '', may_create: mayCreate = false } = rows[0] ?? {};
  if (version < OLDEST_VERSION)
    return [failed(`database: PostgreSQL ${version} is too old: take ${OLDEST_VERSION} or newer`)];
  const answers = passed(`database: PostgreSQL ${version} answers, database ${name}`);
  const remedy =
    'database: the user may not create tables: grant CREATE on database and schema, or migrate as another user';
  return mayCreate ? [answers] : [answers, warned(remedy)];
}

async function checkConnections(pool: pg.Pool, size: number): Promise<CheckResult[]> {
  const { rows } = await pool.query<{ free: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as free`,
  );
  const { free = 0 } = rows[0] ?? {};
  // Beside the pool, the process's name is held on a connection of its own.
  return free >= size + 1
    ? []
    : [
        warned(
          `database: ${free} connections are free, ${size + 1} may be used: raise max_connections or lower DATABASE_POOL_SIZE`,
        ),
      ];
}

async function checkTables(database: Pick<Database, 'pool' | 'query'>, mayMigrate: boolean): Promise<CheckResult[]> {
  let pending: string[];
  try {
    pending = await whatIsPending(database);
  } catch (error) {
    if (error instanceof DatabaseNewer) return [failed(`database: ${error.message}`)];
    throw error;
  }
  if (pending.length === 0) return [passed('database: its tables are up to date')];
  const lacks = `database: it lacks ${pending.join(', ')}`;
  return mayMigrate
    ? [warned(`${lacks}, which the next start brings`)]
    : [failed(`${lacks}, and MIGRATE_ON_START is false: run npm run coordinator -- migrate`)];
}
