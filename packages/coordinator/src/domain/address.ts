import { isAddressText } from '@payouts/client';
import type { Address } from '@solana/kit';
import { Problem } from './problems.ts';

/** What every wrong address is told; what was sent is not repeated. */
export const INVALID_ADDRESS = 'An address is base-58 text of 32 bytes.';

/** The schedule's address that a caller wrote. Throws `invalid-address`. */
export function scheduleAddress(text: string): Address {
  if (isAddressText(text)) return text;
  throw new Problem('invalid-address', INVALID_ADDRESS);
}
