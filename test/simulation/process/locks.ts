import type { Address } from '@solana/kit';
import type { TokenLocks } from '../../../packages/coordinator/src/owed/locks.ts';
import type { Life } from './life.ts';

/** A process's connection to the database. */
type Session = { isOpen: boolean };

/** What processes have locked in the database they share, for as long as their connections last. */
export class SharedLocks {
  readonly #keepers = new Map<Address, Session>();
  readonly #sessions = new Map<Life, Session>();

  /** The locks as one process takes them. */
  of(life: Life): TokenLocks {
    return {
      isKeeper: (mint) =>
        life.call('database', () => {
          const session = this.#session(life);
          const keeper = this.#keepers.get(mint);
          if (keeper?.isOpen !== true) this.#keepers.set(mint, session);
          return this.#keepers.get(mint) === session;
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
