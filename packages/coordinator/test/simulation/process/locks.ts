import type { LeaderRole, Locks } from '../../../src/platform/leadership.ts';
import type { Life } from './life.ts';

/** A process's connection to the database. */
type Session = { isOpen: boolean };

/** What processes have locked in the database they share, for as long as their connections last. */
export class SharedLocks {
  readonly #holders = new Map<LeaderRole, Session>();
  readonly #sessions = new Map<Life, Session>();

  /** The locks as one process takes them. */
  of(life: Life): Locks {
    return {
      holds: (role) =>
        life.call('database', () => {
          const session = this.#session(life);
          if (this.#holders.get(role)?.isOpen !== true) this.#holders.set(role, session);
          return this.#holders.get(role) === session;
        }),
      release: (role) =>
        life.call('database', () => {
          if (this.#holders.get(role) === this.#session(life)) this.#holders.delete(role);
        }),
    };
  }

  /** A process's connection is gone: others take what it had, whether it knows or not. */
  release(life: Life): void {
    const session = this.#sessions.get(life);
    if (session === undefined) return;
    session.isOpen = false;
    this.#sessions.delete(life);
  }

  #session(life: Life): Session {
    // The dead take nothing: their connections are closed.
    if (life.isDead) return { isOpen: false };
    const session = this.#sessions.get(life) ?? { isOpen: true };
    this.#sessions.set(life, session);
    return session;
  }
}
