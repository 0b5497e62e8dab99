import { fetchTokenInfo, type Ledgers, type TokenInfo } from '@payouts/client';
import type { Address } from '@solana/kit';
import { Failure } from './failure.ts';

export type { TokenInfo } from '@payouts/client';

/** Reads a token from the base ledger. Throws `Failure` token-unknown. */
export async function readToken(ledgers: Pick<Ledgers, 'base'>, mint: Address): Promise<TokenInfo> {
  const token = await fetchTokenInfo(ledgers, mint);
  if (token === undefined) throw new Failure('token-unknown', `There is no token ${mint} on this ledger.`);
  return token;
}
