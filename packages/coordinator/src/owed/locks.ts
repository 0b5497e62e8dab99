import type { Address } from '@solana/kit';

/**
 * What the processes that share a store agree on about a token. It may fail for a moment, so that two processes keep a tree: the base
 * ledger then refuses what does not fit, and it is only slower.
 */
export interface TokenLocks {
  /** Whether this process is the one that keeps the token's owed tree. Where nobody is, it becomes it, for as long as it lives. */
  isKeeper(mint: Address): Promise<boolean>;
}

/** Of a process that shares its store with nobody. */
export const ALONE: TokenLocks = { isKeeper: async () => true };
