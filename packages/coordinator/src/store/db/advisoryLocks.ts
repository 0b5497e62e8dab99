import type { Time } from '@payouts/client';
import pg from 'pg';
import type { LeaderRole, Locks } from '../../platform/leadership.ts';
import { lockNumber, tryLock } from './advisoryLock.ts';
import { connectionConfig } from './serverPool.ts';

/** Milliseconds until it is asked again whether the one that has a role is gone. */
const TAKEN_MS = 500;
const ANSWER_MS = 5_000;

/** A connection and the roles that are held by it, for as long as it lasts. */
type Session = {
  readonly client: pg.Client;
  readonly connected: Promise<unknown>;
  readonly held: Set<LeaderRole>;
};

/**
 * Agreement by a PostgreSQL server's advisory locks. They end with their sessions, so a dead process holds none. For the same reason every
 * session but the current one is ended: what it holds nobody else could take, and nobody here would know of it.
 */
export class ServerLocks implements Locks {
  readonly #databaseUrl: string;
  readonly #name: string;
  readonly #time: Pick<Time, 'monotonic'>;
  /** Roles that another process has, and when that is asked again. */
  readonly #others = new Map<LeaderRole, number>();
  #current: Session | undefined;
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
    if (this.#isClosed) return false;
    if (this.#current?.held.has(role)) return true;
    const now = this.#time.monotonic();
    if (now < (this.#others.get(role) ?? 0)) return false;
    this.#others.set(role, now + TAKEN_MS);
    this.#current ??= this.#connect();
    const session = this.#current;
    const isTaken = await this.#ask(session, ({ client }) => tryLock(client, lockNumber(role)));
    // Another question's failure may have ended the session meanwhile, and the lock with it.
    if (!isTaken || session !== this.#current) return false;
    session.held.add(role);
    this.#others.delete(role);
    return true;
  }

  async release(role: LeaderRole): Promise<void> {
    const session = this.#current;
    if (!session?.held.delete(role)) return;
    this.#others.set(role, this.#time.monotonic() + TAKEN_MS);
    // In vain if the session is gone: then so is the lock.
    const unlock = ({ client }: Session) => client.query('select pg_advisory_unlock($1)', [lockNumber(role)]);
    await this.#ask(session, unlock).catch(() => {});
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = this.#current;
    await session?.connected.catch(() => {});
    await session?.client.end().catch(() => {});
  }

  /** A question that fails ends its session: it may hang, and what became of a lock is not known. A new one is asked the next time. */
  async #ask<T>(session: Session, question: (session: Session) => Promise<T>): Promise<T> {
    try {
      await session.connected;
      return await question(session);
    } catch (error) {
      this.#end(session);
      throw error;
    }
  }

  #end(session: Session): void {
    if (session === this.#current) this.#current = undefined;
    session.client.end().catch(() => {});
  }

  #connect(): Session {
    const client = new pg.Client({
      ...connectionConfig(this.#databaseUrl, this.#name),
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    const session = { client, connected: client.connect(), held: new Set<LeaderRole>() };
    client.on('error', () => {});
    client.once('end', () => this.#end(session));
    return session;
  }
}
