import { findTokenAddress, type Ledgers, sendToBase } from '@payouts/client';
import { type Address, lamports, type TransactionSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';

/** Decimals of the sample token, as of most stable coins. */
export const SAMPLE_DECIMALS = 6;

/** Creates a token at `mint` (a fresh key) and gives `holder` an amount of it, base units. */
export async function createSampleToken(
  ledgers: Ledgers,
  input: {
    readonly payer: TransactionSigner;
    readonly mint: TransactionSigner;
    readonly holder: Address;
    readonly amount: bigint;
    /** Who may freeze token accounts; left out: nobody. */
    readonly freezeAuthority?: Address;
  },
): Promise<void> {
  const { payer, mint, holder, amount, freezeAuthority = null } = input;
  const space = BigInt(getMintSize());
  const rent = await ledgers.base.getMinimumBalanceForRentExemption(space).send();
  await sendToBase(
    ledgers,
    [
      getCreateAccountInstruction({
        payer,
        newAccount: mint,
        lamports: lamports(rent),
        space,
        programAddress: TOKEN_PROGRAM_ADDRESS,
      }),
      getInitializeMint2Instruction({
        mint: mint.address,
        decimals: SAMPLE_DECIMALS,
        mintAuthority: payer.address,
        freezeAuthority,
      }),
      await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner: holder, mint: mint.address }),
      getMintToInstruction({
        mint: mint.address,
        token: await findTokenAddress(holder, mint.address, TOKEN_PROGRAM_ADDRESS),
        mintAuthority: payer,
        amount,
      }),
    ],
    payer,
  );
}
