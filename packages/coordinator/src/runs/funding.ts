import { availableOf, bitmapRent, dueAt, pageRent, permissionRent, type Schedule, type Vault } from '@payouts/client';
import { RunError } from '../domain/errors.ts';
import { coverageText, NO_FEES, openingsCovered, solText } from '../domain/forecast.ts';
import { vaultOf } from '../ledger/accounts.ts';
import type { LedgerAccount } from '../ledger/ledger.ts';
import { readSymbol } from '../ledger/tokenSymbol.ts';
import type { StageContext } from './context.ts';

/** Rent of the base ledger: lamports per byte, and bytes counted for any account beside its data. */
const LAMPORTS_PER_BYTE = 6_960n;
const ACCOUNT_OVERHEAD_BYTES = 128n;
/** Lamports that stay in a batch beyond its rent and its new pages. */
const BATCH_MARGIN = 16_000n;
/** Rent in the layer of an account with room for 16 withdrawals of a recipient's (1,336 bytes), and of its read permission (101). */
const PERSONAL_RENT = 49_824n;
/** The same of one by which money goes on to a wallet: two withdrawals (440 bytes). */
const DELIVERY_RENT = 21_152n;
/** Bytes of a counter, whose own rent stays in it. */
const COUNTER_BYTES = 64;
/** Personal accounts for which a window gives a token's counter lamports: for one in a hundred of its list, and for so many at least. */
const FUNDED_SHARE = 100;
const LEAST_FUNDED = 400;
/** It gives some where less than a tenth of them is left. */
const LEFT_SHARE = 10n;

/** Lamports that must be there for an opening beside the loan: fees and the rent of the delegation's own accounts. */
const OPENING_NEEDS = 10_000_000n;
/** What a window comes to cost of that, since the rent comes back: the fee of the delegation and two transactions'. */
const WINDOW_SPENDS = 310_000n;

const rentOf = (bytes: number) => (BigInt(bytes) + ACCOUNT_OVERHEAD_BYTES) * LAMPORTS_PER_BYTE;

/** A window's list: all of it, and those to whose wallets money is to go on who lack the account for it. */
export type CounterDemand = { readonly recipients: number; readonly deliveries: number };

/** Lamports that a window is to give a token's counter, which has so many: enough for a while of what its recipients ask for. */
export function counterFunding(lamports: bigint, { recipients, deliveries }: CounterDemand): bigint {
  const kept = rentOf(COUNTER_BYTES) + BigInt(deliveries) * DELIVERY_RENT;
  const asked = BigInt(Math.max(LEAST_FUNDED, Math.ceil(recipients / FUNDED_SHARE))) * PERSONAL_RENT;
  if (lamports >= kept + asked / LEFT_SHARE) return 0n;
  return kept + asked - lamports;
}

/** How many windows without new recipients so many lamports of the authority are enough for. */
export const openingsLeft = (lamports: bigint): number => openingsCovered(lamports, OPENING_NEEDS, WINDOW_SPENDS);

/** What the layer lacks for a list of so many recipients: pages, whether they get read permissions, and lamports of the token's counter. */
export type Lacking = {
  readonly recipients: number;
  readonly pages: number;
  readonly isPrivate: boolean;
  readonly counter: bigint;
};

/**
 * Lamports to lend to a batch so that it can pay for its bitmap, for so many new pages, for their read permissions where the layer has them,
 * and for what the token's counter lacks; what it has already counts.
 */
export function loanFor(batch: LedgerAccount, { recipients, pages, isPrivate, counter }: Lacking): bigint {
  const readable = isPrivate ? permissionRent(pages) : 0n;
  const needed =
    rentOf(batch.data.length) + bitmapRent(recipients) + pageRent(pages) + readable + counter + BATCH_MARGIN;
  return needed > batch.lamports ? needed - batch.lamports : 0n;
}

/** Base units that a vault lacks for a schedule's next window: NO_FEES if its fees are not prepaid; undefined: it can open. */
function lackingFor(schedule: Schedule, vault: Vault): bigint | undefined {
  const { amount, kept, keptReserved, executionsLeft } = schedule;
  if (kept > 0 && executionsLeft === 0) return NO_FEES;
  // Without an end, the opening itself reserves what is available.
  const own = kept === 0 || keptReserved > 0;
  const covered = own ? vault.reserved : availableOf(vault);
  return covered >= amount ? undefined : amount - covered;
}

/** Checks that the vault covers the window. Throws `RunError` saying how much is missing, in the token's own decimals. */
export async function checkFunding(
  vaultAccount: LedgerAccount | null,
  schedule: Schedule,
  { base, clock, program }: StageContext,
): Promise<void> {
  const vault = vaultOf(vaultAccount, program);
  if (vault === undefined) throw new RunError('schedule-missing', "The schedule's vault is not on the base ledger.");
  const amount = lackingFor(schedule, vault);
  if (amount === undefined) return;
  const symbol = await readSymbol(base, schedule.mint).catch(() => null);
  const token = { mint: schedule.mint, symbol, decimals: vault.decimals };
  const short = { amount, at: dueAt(schedule) };
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
