import { type Ledgers, sendToBase } from '@payouts/client';
import { lamports, type TransactionSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { getInitializeMint2Instruction, getMintSize, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

type MintInput = { readonly payer: TransactionSigner; readonly mint: TransactionSigner; readonly decimals: number };

/** Creates a token at `mint`, of which the payer may make more. */
export async function createMint(ledgers: Pick<Ledgers, 'base' | 'time'>, input: MintInput): Promise<void> {
  const { payer, mint, decimals } = input;
  const space = BigInt(getMintSize());
  const rent = await ledgers.base.getMinimumBalanceForRentExemption(space).send();
  const account = { payer, newAccount: mint, lamports: lamports(rent), space, programAddress: TOKEN_PROGRAM_ADDRESS };
  const initialize = { mint: mint.address, decimals, mintAuthority: payer.address };
  await sendToBase(ledgers, [getCreateAccountInstruction(account), getInitializeMint2Instruction(initialize)], payer);
}
