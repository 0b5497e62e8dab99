import pg from 'pg';
import { StatementNames } from './statementNames.ts';

/** SQLSTATE connection_failure: what happened to the query is not known. */
const CONNECTION_FAILURE = '08006';
const QUERY_TIMEOUT = 'Query read timeout';
/** What a prepared statement is answered when a migration has changed its table since: it must be prepared anew. */
const STALE_PLAN = 'cached plan must not change result type';

/** How a connection is made; `names` are shared by those of a pool: each prepares a statement when it makes it for the first time. */
export type BoundedConfig = pg.ClientConfig & { readonly names?: StatementNames };

type Callback = (error: (Error & { code?: string }) | null, result?: unknown) => void;

/**
 * A connection that prepares the statements it makes often, and that is given up when it does not answer in time: the server may be
 * frozen or gone, and whoever got this connection next would wait behind the same query.
 */
export class BoundedClient extends pg.Client {
  readonly #names: StatementNames;

  constructor(config?: BoundedConfig) {
    super(config);
    this.#names = config?.names ?? new StatementNames();
    // A connection in use that is lost fails its query; without a listener it would end the process as well.
    this.on('error', () => {});
  }

  // `pg` takes a query in several forms, with a callback or without.
  override query(...args: unknown[]): never {
    const last = args.at(-1);
    const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;
    if (typeof last === 'function') {
      const answer: Callback = (error, result) => (last as Callback)(error && this.#judged(error), result);
      return send.apply(this, [...this.#prepared(args.slice(0, -1)), answer]) as never;
    }
    const result = send.apply(this, this.#prepared(args));
    if (!(result instanceof Promise)) return result as never;
    return result.catch((error: Error) => {
      throw this.#judged(error);
    }) as never;
  }

  /** A query's arguments, with a name if it is one to be prepared. One without values may be several statements, as a migration's is. */
  #prepared(args: unknown[]): unknown[] {
    const [text, values] = args;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return args;
    const name = this.#names.nameOf(text);
    return name === undefined ? args : [{ name, text, values }];
  }

  #judged(error: Error & { code?: string }): Error {
    if (error.message !== QUERY_TIMEOUT && error.message !== STALE_PLAN) return error;
    // With a query under way this breaks the connection off, and the pool takes it for gone at once.
    this.end().catch(() => {});
    return Object.assign(error, { code: CONNECTION_FAILURE });
  }
}
