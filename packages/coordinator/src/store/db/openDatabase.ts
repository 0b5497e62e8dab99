import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import type { Db, Tables } from '../schema.ts';
import { poolBeside } from './databaseSocket.ts';
import { openEmbedded } from './embedded.ts';
import { DatabaseInUse } from './processLock.ts';
import { openServerPool } from './serverPool.ts';

/** The store's database. */
export type Database = {
  /** Connections of the engine, shared with `query`. */
  readonly pool: Pool;
  /** For runs and everything else in the background: an answer may take a while. */
  readonly query: Db;
  /** For the API: an answer comes within about two seconds, or an error. The embedded database makes no difference. */
  readonly api: Db;
  /** Connections of `api`. */
  readonly apiPool: Pool;
  readonly kind: 'embedded' | 'server';
  readonly close: () => Promise<void>;
};

const DEFAULT_CONNECTIONS = 20;
/** A run waits for a slow database rather than fail. */
const BACKGROUND = { connectMs: 5_000, queryMs: 15_000 };
/** Whoever asked over HTTP rather hears that the database is gone. */
const API = { connectMs: 2_000, queryMs: 2_000 };

type OpenOptions = {
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize?: number;
  /** Stands in the names of the database's sessions, so that those of a dead process can be ended; without a space. */
  readonly processName?: string;
  readonly dataDir: string;
  readonly onError: (error: Error) => void;
};

/** Opens Postgres at `databaseUrl`, or the embedded database under `dataDir`. Throws `DatabaseInUse`. */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { databaseUrl, databasePoolSize = DEFAULT_CONNECTIONS, processName = 'command', onError } = options;
  if (databaseUrl === undefined) {
    const { pool, close } = await openEmbedded(options.dataDir, onError);
    return embeddedOver(pool, close);
  }
  const apiSize = Math.floor(databasePoolSize / 2);
  const open = (size: number, part: string, patience: typeof API) => {
    const name = `payouts ${processName} ${part}`;
    return openServerPool(databaseUrl, { size, name, patience, arePlansKept: part === 'runs' }, onError);
  };
  // Two pools, so that requests and runs can't take each other's connections.
  const pool = open(databasePoolSize - apiSize, 'runs', BACKGROUND);
  const apiPool = open(apiSize, 'api', API);
  return {
    pool,
    query: kyselyOver(pool),
    api: kyselyOver(apiPool),
    apiPool,
    kind: 'server',
    close: async () => {
      await Promise.all([pool.end(), apiPool.end()]);
    },
  };
}

function embeddedOver(pool: Pool, close: () => Promise<void>): Database {
  const query = kyselyOver(pool);
  return { pool, query, api: query, apiPool: pool, kind: 'embedded', close };
}

/**
 * The same for an operator's command, which may work with an embedded database beside the process that has it. Throws `DatabaseInUse` if
 * that does not answer.
 */
export async function openDatabaseBeside(options: OpenOptions): Promise<Database> {
  try {
    return await openDatabase(options);
  } catch (error) {
    const pool = error instanceof DatabaseInUse ? await poolBeside(options.dataDir) : undefined;
    if (pool === undefined) throw error;
    return embeddedOver(pool, () => pool.end());
  }
}

/** Queries over a pool. */
export function kyselyOver(pool: Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
