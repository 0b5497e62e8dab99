import type { Address } from '@solana/kit';
import type { Ledger } from '../ledger/ledger.ts';
import { standingOf } from '../ledger/role.ts';
import { findEmployer } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';

export type OwnerReadsInput = { readonly database: Db; readonly base: Ledger; readonly program: Address };

/** Whether somebody may still be told of a vault's payrolls. */
export type OwnerReads = (vault: string, owner: string) => Promise<boolean>;

/**
 * Whether whoever has asked for a payroll's notices is its employer or has a role with them: notices are reading, too, and end with it. Throws
 * `RunError` ledger-unavailable.
 */
export const ownerReads =
  (input: OwnerReadsInput): OwnerReads =>
  async (vault, owner) => {
    const employer = await findEmployer(input.database, vault);
    if (employer === undefined) return false;
    return (await standingOf(input, employer as Address, owner as Address)) !== 'none';
  };
