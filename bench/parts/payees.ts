import { createHash, randomBytes } from 'node:crypto';
import { addressFromBytes, type Payee, SALT_BYTES } from '@payouts/client';
import type { Address } from '@solana/kit';

/** Made-up people, each with another amount. */
export const somePayees = (count: number): Payee[] =>
  Array.from({ length: count }, (_, line) => ({
    recipient: addressFromBytes(randomBytes(32)),
    amount: 1_000n + BigInt(line),
  }));

/** The same salt for the same recipient, so that several lists pay into the same balances. */
export const saltOf = (recipient: Address): Uint8Array =>
  new Uint8Array(createHash('sha256').update(recipient).digest().subarray(0, SALT_BYTES));
