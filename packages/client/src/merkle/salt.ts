import { createHmac } from 'node:crypto';
import type { Address } from '@solana/kit';
import { addressToBytes } from '../accounts/base58.ts';
import { SALT_BYTES } from './owner.ts';

/**
 * The salt of one recipient of one token, from a secret of the employer: the first 16 bytes of HMAC-SHA-256(secret, "salt" ‖ mint
 * ‖ recipient). The same in each of the employer's lists, so that a recipient keeps one balance. Throws `INVALID_ADDRESS`.
 */
export function deriveSalt(secret: Uint8Array, mint: Address, recipient: Address): Uint8Array {
  const mac = createHmac('sha256', secret)
    .update('salt')
    .update(addressToBytes(mint))
    .update(addressToBytes(recipient));
  return new Uint8Array(mac.digest().subarray(0, SALT_BYTES));
}
