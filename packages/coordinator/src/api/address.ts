import { isAddressText } from '@payouts/client';
import type { Address } from '@solana/kit';
import { Problem } from '../domain/problems.ts';

/** The schedule's address that a caller wrote. Throws `invalid-address`. */
export function scheduleAddress(text: string): Address {
  if (isAddressText(text)) return text;
  throw new Problem('invalid-address', 'The schedule address is not base-58 text of 32 bytes.');
}
