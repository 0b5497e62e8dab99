import { findTokenAddress, type Pool, whyTokensStay } from '@payouts/client';
import type { Address } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import type { BaseLedger } from './ledger.ts';

/**
 * What a refused move of tokens between pool and vault is thrown as: `token-stopped` where the token's issuer has stopped it, so that it is
 * looked at again until they let it through, else what the ledger said. Asked only then: a move that lands needs no look. Throws `RunError`
 * when the ledger can't be read.
 */
export async function refusedMove(
  base: BaseLedger,
  thrown: unknown,
  { mint, tokenProgram, tokenAccount }: Pick<Pool, 'mint' | 'tokenProgram' | 'tokenAccount'>,
  vault: Address,
): Promise<unknown> {
  if (!(thrown instanceof RunError) || thrown.code !== 'transaction-refused') return thrown;
  const ofVault = await findTokenAddress(vault, mint, tokenProgram);
  const { accounts } = await base.accounts([mint, tokenAccount, ofVault]);
  const [inMint, inPool, inVault] = accounts.map((account) => account?.data ?? new Uint8Array()) as Uint8Array[];
  const why = whyTokensStay(inMint as Uint8Array, [
    ['pool', inPool as Uint8Array],
    ['vault', inVault as Uint8Array],
  ]);
  return why === undefined ? thrown : new RunError('token-stopped', why, { cause: thrown });
}
