import { sendToBase } from '@payouts/client';
import type { World } from '@payouts/testing/world';
import { type Address, lamports } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';

/** Sends lamports to an address of the layer on the base ledger, which keeps an account from being created there. */
export async function beFirstAt({ ledgers, admin }: World, destination: Address): Promise<void> {
  const transfer = getTransferSolInstruction({ source: admin, destination, amount: lamports(1_000_000n) });
  await sendToBase(ledgers, [transfer], admin);
}
