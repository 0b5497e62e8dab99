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
  'executeTransfer.page not writable': 'h',
  'executeTransfer.destination not writable': 'h',
};

/**
 * Substitutions that make another right call, which the same sender may well send: `instruction.account label`. The authority may record
 * another pool, pay from another open batch, or serve another balance; governance and guardian may speak of another pool. The authority opens personal
 * accounts, too. Who may recover a balance may recover another that names them. A recipient who has a place in a page of another token may
 * have that shown.
 */
export const RIGHT_CALLS: ReadonlySet<string> = new Set([
  'recordLiabilities.pool twin',
  'setLeastOpening.pool twin',
  'openPages.batch twin',
  'fundCounter.batch twin',
  'confirmWithdrawal.personal twin',
  'confirmWithdrawal, pages there.personal twin',
  'openPersonal.signer executionAuthority',
  'requestRecovery.personal twin',
  'completeRecovery.personal twin',
  'showBalance.page twin',
]);
