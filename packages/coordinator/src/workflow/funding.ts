import { balanceRent, type Schedule } from '@payouts/client';
import { RunError } from '../domain/errors.ts';
import { vaultOf } from '../ledger/accounts.ts';
import type { LedgerAccount } from '../ledger/ledger.ts';
import type { StageContext } from './context.ts';

/** Rent of the base ledger: lamports per byte, and bytes counted for any account beside its data. */
const LAMPORTS_PER_BYTE = 6_960n;
const ACCOUNT_OVERHEAD_BYTES = 128n;
/** Lamports that stay in a batch beyond its rent and its new balances: two balances' worth. */
const BATCH_MARGIN = balanceRent(2);
/** Lamports an opening may cost the authority beside the top-up: fees and the rent of the delegation's own accounts. */
const OPENING_COST = 10_000_000n;

const rentOf = (bytes: number) => (BigInt(bytes) + ACCOUNT_OVERHEAD_BYTES) * LAMPORTS_PER_BYTE;

/** Lamports to send to a batch so that it can pay for so many new balances; what it has already counts. */
export function topUpFor(batch: LedgerAccount, newBalances: number): bigint {
  const needed = rentOf(batch.data.length) + balanceRent(newBalances) + BATCH_MARGIN;
  return needed > batch.lamports ? needed - batch.lamports : 0n;
}

/** Checks that the vault covers the window. Throws `RunError` saying how much is missing, in base units of the token. */
export function checkFunding(vaultAccount: LedgerAccount | null, schedule: Schedule, context: StageContext): void {
  const vault = vaultOf(vaultAccount, context.program);
  if (vault === undefined) throw new RunError('schedule-missing', "The schedule's vault is not on the base ledger.");
  if (vault.reserved < schedule.amount) {
    const missing = schedule.amount - vault.reserved;
    throw new RunError('funding-short', `The vault's reserve lacks ${missing} base units for this window.`);
  }
}

/** Checks that the authority can pay for an opening. Throws `RunError` saying how many lamports are missing. */
export function checkAuthority(authority: LedgerAccount | null, batch: LedgerAccount, topUp: bigint): void {
  // The batch's content is copied to a buffer for the moment of its delegation.
  const needed = topUp + rentOf(batch.data.length) + OPENING_COST;
  const lamports = authority?.lamports ?? 0n;
  if (lamports < needed) {
    throw new RunError(
      'authority-balance-low',
      `The execution authority lacks ${needed - lamports} lamports to open this window.`,
    );
  }
}
