import pg from 'pg';
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
/** SQLSTATE connection_failure: what happened to the query is not known. */
const CONNECTION_FAILURE = '08006';
const QUERY_TIMEOUT = 'Query read timeout';
/** What a prepared statement is answered when a migration has changed its table since: it must be prepared anew. */
const STALE_PLAN = 'cached plan must not change result type';

/** Shared by all connections: each prepares a statement when it makes it for the first time. */
const names = new StatementNames();

/** A query's arguments, with a name if it is one to be prepared. */
function prepared(args: unknown[]): unknown[] {
  const [text, values] = args;
  const name = typeof text === 'string' && Array.isArray(values) ? names.nameOf(text) : undefined;
  return name === undefined ? args : [{ name, text, values }];
}

type Callback = (error: (Error & { code?: string }) | null, result?: unknown) => void;

/**
 * A connection that prepares the statements it makes often, and that is given up when it does not answer in time: the server may be
 * frozen or gone, and whoever got this connection next would wait behind the same query.
 */
class BoundedClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    // A connection in use that is lost fails its query; without a listener it would end the process as well.
    this.on('error', () => {});
  }

  // `pg` takes a query in several forms, with a callback or without.
  override query(...args: unknown[]): never {
    const last = args.at(-1);
    const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;
    if (typeof last === 'function') {
      const answer: Callback = (error, result) => (last as Callback)(error && this.#judged(error), result);
      return send.apply(this, [...prepared(args.slice(0, -1)), answer]) as never;
    }
    const result = send.apply(this, prepared(args));
    if (!(result instanceof Promise)) return result as never;
    return result.catch((error: Error) => {
      throw this.#judged(error);
    }) as never;
  }

  #judged(error: Error & { code?: string }): Error {
    if (error.message !== QUERY_TIMEOUT && error.message !== STALE_PLAN) return error;
    // With a query under way this breaks the connection off, and the pool takes it for gone at once.
    this.end().catch(() => {});
    return Object.assign(error, { code: CONNECTION_FAILURE });
  }
}

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
  const pool = new pg.Pool({
    ...connectionConfig(databaseUrl, name),
    Client: BoundedClient as unknown as new () => pg.Client,
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
