import { EventEmitter } from 'node:events';
import { type PGlite, types } from '@electric-sql/pglite';
import type { Pool } from 'pg';

/** A query as `pg` takes it. */
type Query = string | { readonly text: string; readonly values?: readonly unknown[] };
/** A query's result, as far as `pg` and PGlite share it. */
type Result = { rows: unknown[]; rowCount: number; command: string; fields: { name: string; dataTypeID: number }[] };

/** `pg` returns 64-bit integers as text; PGlite would return numbers. */
const PARSERS = {
  [types.INT8]: (text: string) => text,
  [types.BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex'),
};
/** PGlite's own reading and writing of bytes goes byte by byte: seconds for a list of 80,000. */
const SERIALIZERS = { [types.BYTEA]: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}` };
/** Leases that wait or are out; beyond it something leaks leases. Also what the engine takes for the pool's size. */
const LEASES = 10;

/** Answers in a row so that only one holder at a time touches the single session that PGlite has. */
class Turnstile {
  #last: Promise<void> = Promise.resolve();
  /** Who holds the session and who waits for it. */
  count = 0;

  /** Resolves to a function that lets the next one in. */
  async enter(): Promise<() => void> {
    const before = this.#last;
    let leave = (): void => {};
    this.count += 1;
    this.#last = new Promise((resolve) => {
      leave = () => {
        this.count -= 1;
        resolve();
      };
    });
    await before;
    return leave;
  }
}

async function run(database: PGlite, query: Query, values?: readonly unknown[]): Promise<Result> {
  const text = typeof query === 'string' ? query : query.text;
  const parameters = values ?? (typeof query === 'string' ? [] : query.values) ?? [];
  const { rows, fields, command, rowCount, affectedRows } = await database.query(text, [...parameters], {
    parsers: PARSERS,
    serializers: SERIALIZERS,
  });
  return { rows, fields, command: command ?? '', rowCount: rowCount ?? affectedRows ?? rows.length };
}

/** PGlite's session, held by one borrower until `release`. */
class Lease extends EventEmitter {
  readonly #database: PGlite;
  #leave: (() => void) | undefined;
  #inTransaction = false;

  constructor(database: PGlite, leave: () => void) {
    super();
    this.#database = database;
    this.#leave = leave;
  }

  async query(query: Query, values?: readonly unknown[]): Promise<Result> {
    if (this.#leave === undefined) throw new Error('This database connection has been released.');
    const text = (typeof query === 'string' ? query : query.text).trimStart();
    if (/^(begin|start transaction)\b/i.test(text)) this.#inTransaction = true;
    const result = await run(this.#database, query, values);
    if (/^(commit|rollback(?! to)|abort)\b/i.test(text)) this.#inTransaction = false;
    return result;
  }

  /** Gives the session back. A transaction that its borrower left open is rolled back first: the next one must not inherit it. */
  release(): void {
    const leave = this.#leave;
    this.#leave = undefined;
    if (leave === undefined) return;
    if (this.#inTransaction) {
      this.#database.exec('ROLLBACK').then(leave, leave);
    } else {
      leave();
    }
  }
}

/**
 * A `pg.Pool` look-alike over one PGlite: each `connect()` has the single session to itself until it is released, so statements of
 * different borrowers never interleave. Shared by the engine and by Kysely. Never wait for a second lease while holding one.
 */
export class PglitePool extends EventEmitter {
  readonly options = { max: LEASES };
  readonly #database: PGlite;
  readonly #turnstile = new Turnstile();
  #ended = false;

  constructor(database: PGlite) {
    super();
    this.#database = database;
  }

  /** Connections, as `pg` counts its own: there is one. */
  get totalCount(): number {
    return 1;
  }

  get idleCount(): number {
    return this.#turnstile.count === 0 ? 1 : 0;
  }

  get waitingCount(): number {
    return Math.max(0, this.#turnstile.count - 1);
  }

  async connect(): Promise<Lease> {
    this.#refuseWhenEnded();
    const leave = await this.#turnstile.enter();
    if (this.#ended) {
      leave();
      this.#refuseWhenEnded();
    }
    return new Lease(this.#database, leave);
  }

  async query(query: Query, values?: readonly unknown[]): Promise<Result> {
    const lease = await this.connect();
    try {
      return await lease.query(query, values);
    } finally {
      lease.release();
    }
  }

  /** Gives the database itself to `work`, between the statements and transactions of others. */
  async alone<T>(work: (database: PGlite) => Promise<T>): Promise<T> {
    const lease = await this.connect();
    try {
      return await work(this.#database);
    } finally {
      lease.release();
    }
  }

  /** Waits for the borrower at work and closes the database; later borrowers are refused. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const leave = await this.#turnstile.enter();
    await this.#database.close();
    leave();
  }

  /** This pool under `pg`'s type, for libraries that use no more of it than stands here. */
  asPgPool(): Pool {
    return this as unknown as Pool;
  }

  #refuseWhenEnded(): void {
    if (this.#ended) throw new Error('The database has been closed.');
  }
}
