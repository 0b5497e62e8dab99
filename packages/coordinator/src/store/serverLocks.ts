import type { Address } from '@solana/kit';
import pg from 'pg';
import type { TokenLocks } from '../owed/locks.ts';
import { lockNumber, tryLock } from './serverLock.ts';
import { connectionConfig, openServerPool } from './serverPool.ts';

/** Connections over which sections are locked: one for each token with somebody in a section or waiting for one. */
const CONNECTIONS = 10;
/** Milliseconds that somebody may wait for a section: longer than any transaction lives. */
const WAIT_MS = 180_000;
/** Milliseconds for which whoever comes joins those who share already; then one who waits to be alone has their turn. */
const JOIN_MS = 100;
/** Milliseconds until it is asked again whether a token's keeper is gone. */
const KEPT_MS = 500;
const ANSWER_MS = 5_000;

/** A shared lock and those who work under it. */
type Hold = { readonly opened: Promise<pg.PoolClient>; joinUntil: number; inside: number };

/** Agreement by a PostgreSQL server's advisory locks. They end with their sessions, so a dead process holds none. */
export class ServerLocks implements TokenLocks {
  readonly #databaseUrl: string;
  readonly #name: string;
  readonly #pool: pg.Pool;
  readonly #holds = new Map<Address, Hold>();
  readonly #kept = new Set<Address>();
  /** Tokens that another process keeps, and when that is asked again. */
  readonly #others = new Map<Address, number>();
  #session: Promise<pg.Client> | undefined;
  #isClosed = false;

  /** `processName` stands in the sessions' names, by which those of a dead process are found and ended. */
  constructor({ databaseUrl, processName }: { readonly databaseUrl: string; readonly processName: string }) {
    this.#databaseUrl = databaseUrl;
    this.#name = `payouts ${processName} tokens`;
    const patience = { connectMs: WAIT_MS, queryMs: WAIT_MS };
    this.#pool = openServerPool(databaseUrl, { size: CONNECTIONS, name: this.#name, patience }, () => {});
  }

  async isKeeper(mint: Address): Promise<boolean> {
    if (this.#kept.has(mint)) return true;
    const now = performance.now();
    if (now < (this.#others.get(mint) ?? 0)) return false;
    this.#others.set(mint, now + KEPT_MS);
    const session = await this.#connected();
    try {
      if (!(await tryLock(session, lockNumber(`keeper ${mint}`)))) return false;
    } catch (error) {
      // It may hang: a new one is asked the next time.
      this.#lost();
      session.end().catch(() => {});
      throw error;
    }
    this.#kept.add(mint);
    this.#others.delete(mint);
    return true;
  }

  async shared<T>(mint: Address, work: () => Promise<T>): Promise<T> {
    const hold = this.#join(mint);
    try {
      await hold.opened;
      return await work();
    } finally {
      hold.inside -= 1;
      if (hold.inside === 0) {
        if (this.#holds.get(mint) === hold) this.#holds.delete(mint);
        await hold.opened.then((client) => unlock(client, 'pg_advisory_unlock_shared', mint)).catch(() => {});
      }
    }
  }

  async alone<T>(mint: Address, work: () => Promise<T>): Promise<T> {
    const client = await this.#locked('pg_advisory_lock', mint);
    try {
      return await work();
    } finally {
      await unlock(client, 'pg_advisory_unlock', mint);
    }
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = await this.#session?.catch(() => undefined);
    await Promise.all([session?.end().catch(() => {}), this.#pool.end()]);
  }

  #join(mint: Address): Hold {
    const current = this.#holds.get(mint);
    if (current !== undefined && performance.now() < current.joinUntil) {
      current.inside += 1;
      return current;
    }
    // One that waits to be alone stands before this one in the server's line.
    const opened = this.#locked('pg_advisory_lock_shared', mint);
    const hold: Hold = { opened, joinUntil: Number.POSITIVE_INFINITY, inside: 1 };
    const begun = () => {
      hold.joinUntil = performance.now() + JOIN_MS;
    };
    opened.then(begun, begun);
    this.#holds.set(mint, hold);
    return hold;
  }

  async #locked(by: 'pg_advisory_lock' | 'pg_advisory_lock_shared', mint: Address): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    try {
      await client.query(`select ${by}($1)`, [lockNumber(`section ${mint}`)]);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** The session that holds the tokens kept here; they are lost with it. */
  #connected(): Promise<pg.Client> {
    this.#session ??= this.#connect().catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  #lost(): void {
    this.#session = undefined;
    this.#kept.clear();
  }

  async #connect(): Promise<pg.Client> {
    const session = new pg.Client({
      ...connectionConfig(this.#databaseUrl, this.#name),
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    session.on('error', () => {});
    session.once('end', () => this.#lost());
    try {
      await session.connect();
    } catch (error) {
      await session.end().catch(() => {});
      throw error;
    }
    if (this.#isClosed) await session.end();
    return session;
  }
}

async function unlock(
  client: pg.PoolClient,
  by: 'pg_advisory_unlock' | 'pg_advisory_unlock_shared',
  mint: Address,
): Promise<void> {
  try {
    await client.query(`select ${by}($1)`, [lockNumber(`section ${mint}`)]);
    client.release();
  } catch {
    // The lock goes with its session.
    client.release(true);
  }
}
