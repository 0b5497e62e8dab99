import type { Address } from '@solana/kit';
import pg from 'pg';
import type { TokenLocks } from '../owed/locks.ts';
import { lockNumber, tryLock } from './serverLock.ts';
import { connectionConfig } from './serverPool.ts';

/** Milliseconds until it is asked again whether a token's keeper is gone. */
const KEPT_MS = 500;
const ANSWER_MS = 5_000;

/** Agreement by a PostgreSQL server's advisory locks. They end with their sessions, so a dead process holds none. */
export class ServerLocks implements TokenLocks {
  readonly #databaseUrl: string;
  readonly #name: string;
  readonly #kept = new Set<Address>();
  /** Tokens that another process keeps, and when that is asked again. */
  readonly #others = new Map<Address, number>();
  #session: Promise<pg.Client> | undefined;
  #isClosed = false;

  /** `processName` stands in the sessions' names, by which those of a dead process are found and ended. */
  constructor({ databaseUrl, processName }: { readonly databaseUrl: string; readonly processName: string }) {
    this.#databaseUrl = databaseUrl;
    this.#name = `payouts ${processName} tokens`;
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

  /** Lets go of everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = await this.#session?.catch(() => undefined);
    await session?.end().catch(() => {});
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
