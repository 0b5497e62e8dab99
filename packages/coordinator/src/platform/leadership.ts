import type { Address } from '@solana/kit';

/** What one process at a time does for all that share a store: it keeps a token's liabilities tree, or watches the base ledger. */
export type LeaderRole = `liabilities ${Address}` | 'subscriber';

/**
 * What the processes that share a store agree on. It may fail for a moment, so that two processes have a role: what they do must stand
 * that. Two leaders for a tree are only slower, for the base ledger refuses what does not fit; two subscribers see everything twice.
 */
export interface Locks {
  /** Whether this process has the role. Where nobody has, it takes it, for as long as it lives. */
  holds(role: LeaderRole): Promise<boolean>;
  /** Leaves the role to another process, if this one has it. */
  release(role: LeaderRole): Promise<void>;
}

/** Of a process that shares its store with nobody. */
export const ALONE: Locks = { holds: async () => true, release: async () => {} };
