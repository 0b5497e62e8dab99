import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { openEmbedded } from './embedded.ts';
import type { Tables } from './schema.ts';

/** The store's database: one pool, shared by the engine and by queries. */
export type Database = {
  readonly pool: Pool;
  readonly query: Kysely<Tables>;
  readonly kind: 'embedded' | 'server';
  readonly close: () => Promise<void>;
};

/** Connections to a server: the engine's polling, runs and the API. */
const SERVER_CONNECTIONS = 20;
/** Milliseconds until an attempt to reach the server counts as failed. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Opens Postgres at `databaseUrl`, or the embedded database under `dataDir`. Throws `DatabaseInUse`. */
export async function openDatabase(settings: {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly onError: (error: Error) => void;
}): Promise<Database> {
  if (settings.databaseUrl === undefined) {
    const { pool, close } = await openEmbedded(settings.dataDir);
    const shared = pool.asPgPool();
    return { pool: shared, query: kyselyOver(shared), kind: 'embedded', close };
  }
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: settings.databaseUrl,
    max: SERVER_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // Without a listener, an idle connection that the server closes would end the process.
  pool.on('error', settings.onError);
  return { pool, query: kyselyOver(pool), kind: 'server', close: () => pool.end() };
}

function kyselyOver(pool: Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
