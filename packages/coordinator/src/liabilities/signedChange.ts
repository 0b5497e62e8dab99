import { findPoolAddress } from '@payouts/client';
import type { Address, Instruction, TransactionPartialSigner } from '@solana/kit';
import type { FeeBidder } from '../ledger/feeBidder.ts';
import type { BaseLedger } from '../ledger/ledger.ts';

/** A transaction of the execution authority's for the base ledger, as it is kept before it is sent. */
export type SignedChange = {
  readonly signature: string;
  readonly wire: string;
  readonly last_valid_block_height: string;
};

export type SigningContext = {
  readonly authority: TransactionPartialSigner;
  readonly base: BaseLedger;
  readonly fees: FeeBidder;
  readonly program: Address;
};

/** Signs what changes a token's pool. Throws `RunError` where the base ledger does not answer. */
export async function signedChange(
  { authority, base, fees, program }: SigningContext,
  mint: Address,
  transaction: {
    readonly purpose: 'settle' | 'record';
    readonly instructions: readonly Instruction[];
    readonly computeUnits: number;
  },
): Promise<SignedChange> {
  const { purpose, instructions, computeUnits } = transaction;
  const lifetime = await base.lifetime();
  const { signature, wire } = await fees.sign({
    purpose,
    of: mint,
    contended: [authority.address, await findPoolAddress(mint, { programAddress: program })],
    feePayer: authority,
    instructions,
    lifetime,
    computeUnitLimit: computeUnits,
  });
  return { signature, wire, last_valid_block_height: lifetime.lastValidBlockHeight.toString() };
}
