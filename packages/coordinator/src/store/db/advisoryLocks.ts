import type { Time } from '@payouts/client';
import pg from 'pg';
import type { LeaderRole, Locks } from '../../platform/leadership.ts';
import { lockNumber, tryLock } from './advisoryLock.ts';
import { connectionConfig } from './serverPool.ts';

/** Milliseconds until it is asked again whether the one that has a role is gone. */
const TAKEN_MS = 500;
const ANSWER_MS = 5_000;

/** Agreement by a PostgreSQL server's advisory locks. They end with their sessions, so a dead process holds none. */
export class ServerLocks implements Locks {
  readonly #databaseUrl: string;
  readonly #name: string;
  readonly #time: Pick<Time, 'monotonic'>;
  readonly #held = new Set<LeaderRole>();
  /** Roles that another process has, and when that is asked again. */
  readonly #others = new Map<LeaderRole, number>();
  #session: Promise<pg.Client> | undefined;
  #isClosed = false;

  /** `processName` stands in the sessions' names, by which those of a dead process are found and ended. */
  constructor({
    databaseUrl,
    processName,
    time,
  }: {
    readonly databaseUrl: string;
    readonly processName: string;
    readonly time: Pick<Time, 'monotonic'>;
  }) {
    this.#databaseUrl = databaseUrl;
    this.#time = time;
    this.#name = `payouts ${processName} roles`;
  }

  async holds(role: LeaderRole): Promise<boolean> {
    if (this.#held.has(role)) return true;
    const now = this.#time.monotonic();
    if (now < (this.#others.get(role) ?? 0)) return false;
    this.#others.set(role, now + TAKEN_MS);
    const session = await this.#connected();
    try {
      if (!(await tryLock(session, lockNumber(role)))) return false;
    } catch (error) {
      // It may hang: a new one is asked the next time.
      this.#lost();
      session.end().catch(() => {});
      throw error;
    }
    this.#held.add(role);
    this.#others.delete(role);
    return true;
  }

  async release(role: LeaderRole): Promise<void> {
    if (!this.#held.delete(role)) return;
    this.#others.set(role, this.#time.monotonic() + TAKEN_MS);
    // In vain if the session is gone: then so is the lock.
    await (await this.#session)?.query('select pg_advisory_unlock($1)', [lockNumber(role)]).catch(() => {});
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = await this.#session?.catch(() => undefined);
    await session?.end().catch(() => {});
  }

  /** The session that holds the roles taken here; they are lost with it. */
  #connected(): Promise<pg.Client> {
    this.#session ??= this.#connect().catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  #lost(): void {
    this.#session = undefined;
    this.#held.clear();
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
