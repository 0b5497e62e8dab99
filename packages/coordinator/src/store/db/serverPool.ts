import pg from 'pg';
import { BoundedClient, type BoundedConfig } from './client.ts';
import { StatementNames } from './statementNames.ts';

/** How long a pool's users may wait; milliseconds. */
export type Patience = {
  /** For a connection, be it a new one or one that others use. */
  readonly connectMs: number;
  /** For the answer to a query. */
  readonly queryMs: number;
};

/** Milliseconds after which an unused connection is asked by TCP whether its other end is still there. */
const KEEP_ALIVE_MS = 10_000;
/** Milliseconds after which the server gives up a transaction whose process has gone silent, and with it the locks it holds. */
const ABANDONED_MS = 60_000;

/** How to connect to a server outside the pools: for a lock, or for migrations, which may take long. */
export const connectionConfig = (databaseUrl: string, name: string): pg.ClientConfig => ({
  connectionString: databaseUrl,
  application_name: name,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
});

/** Connections to a PostgreSQL server. */
export type ServerPoolOptions = {
  readonly size: number;
  readonly name: string;
  readonly patience: Patience;
  /**
   * Has the server keep one plan for each prepared statement, whatever its values. Left alone it makes a new one each time it takes that
   * for a little cheaper to carry out, and planning is half of what the statements of runs and their triggers take.
   */
  readonly arePlansKept?: boolean;
};

/** Opens connections to a PostgreSQL server; nobody waits longer than `patience` says. */
export function openServerPool(
  databaseUrl: string,
  options: ServerPoolOptions,
  onError: (error: Error) => void,
): pg.Pool {
  const { size, name, patience, arePlansKept = false } = options;
  const config: BoundedConfig = { ...connectionConfig(databaseUrl, name), names: new StatementNames() };
  const pool = new pg.Pool({
    ...config,
    Client: BoundedClient,
    max: size,
    connectionTimeoutMillis: patience.connectMs,
    query_timeout: patience.queryMs,
    idle_in_transaction_session_timeout: ABANDONED_MS,
    ...(arePlansKept && { options: '-c plan_cache_mode=force_generic_plan' }),
  });
  // Without a listener, an idle connection that the server closes would end the process.
  pool.on('error', onError);
  return pool;
}
