import { Logger, runMigrations } from 'graphile-worker';
import type { Pool } from 'pg';
import { isDatabaseOutage } from './outage.ts';

/** The schema of the engine's tables. */
export const ENGINE_SCHEMA = 'graphile_worker';
/** The last migration of the engine's library. */
const ENGINE_REVISION = 19;
/** What goes wrong is thrown. */
const SILENT = new Logger(() => () => {});
/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = '42P01';

/** Whether the engine's tables are missing or of an older version. */
export async function engineIsPending(pool: Pool): Promise<boolean> {
  try {
    const { rows } = await pool.query(`select max(id) as revision from ${ENGINE_SCHEMA}.migrations`);
    return rows[0].revision < ENGINE_REVISION;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return true;
    throw error;
  }
}

/** Brings the engine's tables to the version of its library. */
export async function migrateEngine(pool: Pool): Promise<void> {
  await runMigrations({ pgPool: poolForEngine(pool), schema: ENGINE_SCHEMA, logger: SILENT });
}

/**
 * A pool as the engine uses it; `onLost` is called when it is not known what became of a statement, since the database was lost. The engine
 * would keep one connection to listen on; the embedded database has no other. It asks for that one with a callback, which is never called: it
 * looks for jobs by itself instead.
 */
export function poolForEngine(pool: Pool, onLost: () => void = () => {}): Pool {
  // The engine insists on handlers for the errors of connections; ours handle their own.
  if (pool.listenerCount('connect') === 0) pool.on('connect', () => {});
  const watched = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      if (isDatabaseOutage(error)) onLost();
      throw error;
    });
  const connect = async () => {
    const client = await watched(pool.connect());
    const query = (statement: string, values?: unknown[]) => watched(client.query(statement, values));
    return { query, release: () => client.release() };
  };
  return Object.create(pool, {
    connect: { value: (callback?: unknown) => (callback === undefined ? connect() : undefined) },
  });
}
