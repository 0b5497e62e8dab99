import type { Address } from '@solana/kit';
import { Gate } from './gate.ts';

/**
 * What the processes that share a store agree on about a token. All of it may fail for a moment, so that two processes keep a tree or
 * one is not alone: the base ledger then refuses what does not fit, and it is only slower.
 */
export interface TokenLocks {
  /** Whether this process is the one that keeps the token's owed tree. Where nobody is, it becomes it, for as long as it lives. */
  isKeeper(mint: Address): Promise<boolean>;
  /** Works beside others who share, while nobody in any process is alone. */
  shared<T>(mint: Address, work: () => Promise<T>): Promise<T>;
  /** Works while nobody else in any process does; who waits for this is not kept waiting by those who come later. */
  alone<T>(mint: Address, work: () => Promise<T>): Promise<T>;
}

/** Of a process that shares its store with nobody. */
export class LocalLocks implements TokenLocks {
  readonly #gates = new Map<Address, Gate>();

  async isKeeper(): Promise<boolean> {
    return true;
  }

  shared<T>(mint: Address, work: () => Promise<T>): Promise<T> {
    return this.#of(mint).shared(work);
  }

  alone<T>(mint: Address, work: () => Promise<T>): Promise<T> {
    return this.#of(mint).alone(work);
  }

  #of(mint: Address): Gate {
    const gate = this.#gates.get(mint) ?? new Gate();
    this.#gates.set(mint, gate);
    return gate;
  }
}
