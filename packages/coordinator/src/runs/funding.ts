import { balanceRent, dueAt, permissionRent, type Schedule } from '@payouts/client';
import { RunError } from '../domain/errors.ts';
import { coverageText, openingsCovered, solText } from '../domain/forecast.ts';
import { vaultOf } from '../ledger/accounts.ts';
import type { LedgerAccount } from '../ledger/ledger.ts';
import { readSymbol } from '../ledger/tokenSymbol.ts';
import type { StageContext } from './context.ts';

/** Rent of the base ledger: lamports per byte, and bytes counted for any account beside its data. */
const LAMPORTS_PER_BYTE = 6_960n;
const ACCOUNT_OVERHEAD_BYTES = 128n;
/** Lamports that stay in a batch beyond its rent and its new balances: two balances' worth. */
const BATCH_MARGIN = balanceRent(2);
/** Lamports that must be there for an opening beside the loan: fees and the rent of the delegation's own accounts. */
const OPENING_NEEDS = 10_000_000n;
/** What a window comes to cost of that, since the rent comes back: the fee of the delegation and two transactions'. */
const WINDOW_SPENDS = 310_000n;

const rentOf = (bytes: number) => (BigInt(bytes) + ACCOUNT_OVERHEAD_BYTES) * LAMPORTS_PER_BYTE;

/** How many windows without new recipients so many lamports of the authority are enough for. */
export const openingsLeft = (lamports: bigint): number => openingsCovered(lamports, OPENING_NEEDS, WINDOW_SPENDS);

/**
 * Lamports to lend to a batch so that it can pay for so many new balances, and for read permissions of so many, where the layer has
 * them; what it has already counts.
 */
export function loanFor(batch: LedgerAccount, newBalances: number, permissions: number | undefined): bigint {
  const readable = permissions === undefined ? 0n : permissionRent(permissions);
  const needed = rentOf(batch.data.length) + balanceRent(newBalances) + readable + BATCH_MARGIN;
  return needed > batch.lamports ? needed - batch.lamports : 0n;
}

/** Checks that the vault covers the window. Throws `RunError` saying how much is missing, in the token's own decimals. */
export async function checkFunding(
  vaultAccount: LedgerAccount | null,
  schedule: Schedule,
  { base, clock, program }: StageContext,
): Promise<void> {
  const vault = vaultOf(vaultAccount, program);
  if (vault === undefined) throw new RunError('schedule-missing', "The schedule's vault is not on the base ledger.");
  if (vault.reserved >= schedule.amount) return;
  const symbol = await readSymbol(base, schedule.mint).catch(() => null);
  const token = { mint: schedule.mint, symbol, decimals: vault.decimals };
  const short = { amount: schedule.amount - vault.reserved, at: dueAt(schedule) };
  throw new RunError('funding-short', `The vault ${coverageText({ windows: 0, short }, token, clock.now(), 1)}.`);
}

/** Checks that the authority can pay for an opening. Throws `RunError` saying how much is missing. */
export function checkAuthority(authority: LedgerAccount | null, batch: LedgerAccount, loan: bigint): void {
  // The batch's content is copied to a buffer for the moment of its delegation.
  const needed = loan + rentOf(batch.data.length) + OPENING_NEEDS;
  const lamports = authority?.lamports ?? 0n;
  if (lamports < needed) {
    throw new RunError(
      'authority-balance-low',
      `The execution authority lacks ${solText(needed - lamports)} to open this window; its ${solText(lamports)} last for about ` +
        `${openingsLeft(lamports)} openings without new recipients.`,
    );
  }
}
