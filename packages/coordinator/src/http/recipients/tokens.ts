import type { Address } from '@solana/kit';
import { type BaseLedger, readAccount } from '../../ledger/ledger.ts';
import { readSymbol } from '../../ledger/tokenSymbol.ts';
import type { ListSource } from '../../lists/listProofs.ts';
import { findTokens } from '../../store/queries/funds.ts';

/** What amounts of a token are shown with. */
export type TokenDisplay = { readonly symbol: string | null; readonly decimals: number };

/** Where a mint's account has its decimals. */
const DECIMALS_AT = 44;

/** Tokens as vaults were seen to have them, else as the base ledger shows them. Throws `RunError` when that can't be read. */
export async function readTokens(
  { base, database }: Pick<ListSource, 'database'> & { readonly base: BaseLedger },
  mints: readonly Address[],
): Promise<ReadonlyMap<Address, TokenDisplay>> {
  const tokens = new Map<Address, TokenDisplay>(await findTokens(database, mints));
  for (const mint of mints) {
    if (tokens.has(mint)) continue;
    const account = await readAccount(base, mint);
    tokens.set(mint, { symbol: await readSymbol(base, mint), decimals: account?.data[DECIMALS_AT] ?? 0 });
  }
  return tokens;
}
