import { hash } from 'node:crypto';

/** Size of a SHA-256 hash in bytes. */
export const HASH_BYTES = 32;

/** SHA-256 in one call, without a stream object. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}
