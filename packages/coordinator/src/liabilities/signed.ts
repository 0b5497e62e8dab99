import { buildTransaction } from '@payouts/client';
import type { Instruction, TransactionPartialSigner } from '@solana/kit';
import type { BaseLedger } from '../ledger/ledger.ts';

/** A transaction of the execution authority's for the base ledger, as it is kept before it is sent. */
export type Signed = { readonly signature: string; readonly wire: string; readonly last_valid_block_height: string };

/** Signs a transaction of the base ledger's. Throws `RunError` where that does not answer. */
export async function signed(
  { authority, base }: { readonly authority: TransactionPartialSigner; readonly base: BaseLedger },
  { instructions, computeUnits }: { readonly instructions: readonly Instruction[]; readonly computeUnits: number },
): Promise<Signed> {
  const lifetime = await base.lifetime();
  const options = { feePayer: authority, instructions, lifetime, computeUnitLimit: computeUnits };
  const { signature, wire } = await buildTransaction(options);
  return { signature, wire, last_valid_block_height: lifetime.lastValidBlockHeight.toString() };
}
