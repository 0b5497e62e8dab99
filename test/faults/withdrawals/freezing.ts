import { findTokenAddress, sendToBase } from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import {
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getFreezeAccountInstruction,
  getThawAccountInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { Stage } from './stage.ts';

/** Wallets that fit one transaction. */
const AT_A_TIME = 6;

/** The token's issuer freezes the wallets' token accounts, and creates those that don't exist: nothing can be paid to them. */
export async function freeze(stage: Stage, wallets: readonly Address[]): Promise<void> {
  const payer = stage.world.admin;
  const { mint } = stage.employer;
  await sendAll(stage, wallets, async (owner, account) => [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner, mint }),
    getFreezeAccountInstruction({ account, mint, owner: payer }),
  ]);
}

export async function thaw(stage: Stage, wallets: readonly Address[]): Promise<void> {
  const { mint } = stage.employer;
  await sendAll(stage, wallets, async (_, account) => [
    getThawAccountInstruction({ account, mint, owner: stage.world.admin }),
  ]);
}

async function sendAll(
  { world, employer }: Stage,
  wallets: readonly Address[],
  instructionsFor: (wallet: Address, account: Address) => Promise<Instruction[]>,
): Promise<void> {
  for (let start = 0; start < wallets.length; start += AT_A_TIME) {
    const some = wallets.slice(start, start + AT_A_TIME);
    const instructions = await Promise.all(
      some.map(async (wallet) =>
        instructionsFor(wallet, await findTokenAddress(wallet, employer.mint, TOKEN_PROGRAM_ADDRESS)),
      ),
    );
    await sendToBase(world.ledgers, instructions.flat(), world.admin);
  }
}
