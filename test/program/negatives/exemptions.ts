import type { Reason } from './kinds.ts';

/** `instruction.account kind`, or `*.account kind`: where a wrong call is no wrong, and why. */
export const EXEMPTIONS: Readonly<Record<string, Reason>> = {
  '*.payer wrong address': 'e',
  '*.payer duplicate': 'e',
  '*.destinationToken wrong address': 'e',
  'deposit.sourceToken wrong address': 'e',
  'payOut.pool not writable': 'f',
  'payOut.escrowAuthority not writable': 'f',
  'payOut.escrow not writable': 'f',
  'payOut, pages there.pool not writable': 'f',
  'payOut, pages there.escrowAuthority not writable': 'f',
  'payOut, pages there.escrow not writable': 'f',
  'redeem, pages there.payer not writable': 'g',
};

/**
 * Substitutions that make another right call, which the same sender may well send: `instruction.account label`. The authority may
 * record another pool, pay from another open batch, or serve another balance; governance may speak of another pool. A claim whose entry names an account where no
 * balance can be created leaves that entry out.
 */
export const RIGHT_CALLS: ReadonlySet<string> = new Set([
  'recordLiabilities.pool twin',
  'setLeastOpening.pool twin',
  'claimPayment.batch twin',
  'commit.batch twin',
  'confirmWithdrawal.balance twin',
  'confirmWithdrawal, pages there.balance twin',
  'executeOrder.balance twin',
  '*.balance authority',
  '*.balance ephemeralVault',
]);
