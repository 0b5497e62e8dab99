import { sha256Into } from '#platform';

export { sha256Into } from '#platform';

/** Size of a SHA-256 hash in bytes. */
export const HASH_BYTES = 32;

/** SHA-256 in one call, without a stream object. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(HASH_BYTES);
  sha256Into(bytes, digest, 0);
  return digest;
}
