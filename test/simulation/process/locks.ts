import type { Address } from '@solana/kit';
import { Gate } from '../../../packages/coordinator/src/owed/gate.ts';
import type { TokenLocks } from '../../../packages/coordinator/src/owed/locks.ts';
import type { Life } from './life.ts';

/** A process's connection to the database, with what lets go of each lock that it holds or waits for. */
type Session = { isOpen: boolean; readonly leaves: Set<() => void> };

/** What processes have locked in the database they share, for as long as their connections last. */
export class SharedLocks {
  readonly #gates = new Map<Address, Gate>();
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
      shared: (mint, work) => this.#within(life, mint, 'shared', work),
      alone: (mint, work) => this.#within(life, mint, 'alone', work),
    };
  }

  /** A process's connection is gone: others take what it had, whether it knows or not. */
  release(life: Life): void {
    const session = this.#sessions.get(life);
    if (session === undefined) return;
    session.isOpen = false;
    this.#sessions.delete(life);
    for (const leave of session.leaves) leave();
  }

  #session(life: Life): Session {
    // The dead take nothing: their connections are closed.
    if (life.isDead) return { isOpen: false, leaves: new Set() };
    const session = this.#sessions.get(life) ?? { isOpen: true, leaves: new Set() };
    this.#sessions.set(life, session);
    return session;
  }

  async #within<T>(life: Life, mint: Address, how: 'shared' | 'alone', work: () => Promise<T>): Promise<T> {
    let leave = () => {};
    const enter = () => {
      const entered = this.#enter(this.#session(life), mint, how);
      leave = entered.leave;
      return entered.isInside;
    };
    try {
      await life.call('database', enter);
      return await work();
    } finally {
      // Also where the answer was lost: the connection that has the lock is given up.
      leave();
    }
  }

  /** Waits for a lock; `isInside` resolves once it has it, or once its connection is gone. */
  #enter(
    session: Session,
    mint: Address,
    how: 'shared' | 'alone',
  ): { readonly isInside: Promise<void>; readonly leave: () => void } {
    const gate = this.#gates.get(mint) ?? new Gate();
    this.#gates.set(mint, gate);
    let enter = () => {};
    let end = () => {};
    const isInside = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const isLeft = new Promise<void>((resolve) => {
      end = resolve;
    });
    const leave = () => {
      session.leaves.delete(leave);
      enter();
      end();
    };
    session.leaves.add(leave);
    if (!session.isOpen) leave();
    void gate[how](() => {
      enter();
      return isLeft;
    });
    return { isInside, leave };
  }
}
