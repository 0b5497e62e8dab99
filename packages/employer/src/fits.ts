import { bytesOf, MOST_BYTES } from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { Failure } from './failure.ts';

/** What is to stand together or not at all goes into one transaction. Throws `Failure` transaction-too-large where it doesn't fit. */
export function checkFits(instructions: readonly Instruction[], payer: Address): void {
  const bytes = bytesOf(instructions, payer);
  if (bytes <= MOST_BYTES) return;
  throw new Failure(
    'transaction-too-large',
    `All of it goes into one transaction, so that it holds together or not at all. It takes ${bytes} bytes, and the ledger takes ${MOST_BYTES}. Do it in parts: fewer tokens or schedules at a time, or fewer dates.`,
  );
}
