import type { Address } from '@solana/kit';
import { hmacSha256 } from '#platform';
import { addressToBytes } from '../accounts/base58.ts';
import { concatenate } from '../bytes.ts';
import { SALT_BYTES } from './owner.ts';

const PURPOSE = new TextEncoder().encode('salt');

/**
 * The salt of one recipient of one token, from a secret of the employer: the first 16 bytes of HMAC-SHA-256(secret, "salt" ‖ mint
 * ‖ recipient). The same in each of the employer's lists, so that a recipient keeps one balance. Throws `INVALID_ADDRESS`.
 */
export const deriveSalt = (secret: Uint8Array, mint: Address, recipient: Address): Uint8Array =>
  hmacSha256(secret, concatenate([PURPOSE, addressToBytes(mint), addressToBytes(recipient)])).slice(0, SALT_BYTES);
