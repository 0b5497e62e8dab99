import { findTokenDescription, tokenSymbol } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type BaseLedger, readAccount } from './ledger.ts';

/** What a token calls itself; null if it doesn't, or by nothing that can be shown. Throws `RunError` when the ledger can't be read. */
export async function readSymbol(base: BaseLedger, mint: Address): Promise<string | null> {
  return tokenSymbol(await readAccount(base, mint), await readAccount(base, await findTokenDescription(mint)));
}
