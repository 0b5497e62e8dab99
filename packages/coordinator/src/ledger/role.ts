import { findRolePda, RoleKind } from '@payouts/client';
import type { Address } from '@solana/kit';
import { roleOf } from './accounts.ts';
import { type Ledger, readAccount } from './ledger.ts';

/** What somebody is to an employer. */
export type Standing = 'employer' | 'clerk' | 'viewer' | 'none';

/**
 * What a key is to an employer, by the role that they have given it on the ledger. It is looked up each time: who has lost a role reads nothing
 * from then on. Throws `RunError` ledger-unavailable.
 */
export async function standingOf(
  { base, program }: { readonly base: Ledger; readonly program: Address },
  employer: Address,
  key: Address,
): Promise<Standing> {
  if (key === employer) return 'employer';
  const [address] = await findRolePda({ employer, holder: key }, { programAddress: program });
  switch (roleOf(await readAccount(base, address), program)?.given) {
    case RoleKind.Clerk:
      return 'clerk';
    case RoleKind.Viewer:
      return 'viewer';
    default:
      return 'none';
  }
}
