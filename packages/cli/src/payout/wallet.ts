import { type Address, isAddress } from '@solana/kit';
import { InvalidArgumentError } from 'commander';

/** The address of a wallet that somebody wrote. Throws commander's `InvalidArgumentError`. */
export function toWallet(text: string): Address {
  if (!isAddress(text)) throw new InvalidArgumentError("It is not a wallet's address (base 58 of 32 bytes).");
  return text;
}
