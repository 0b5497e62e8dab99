import { createPublicKey, verify } from 'node:crypto';

/** The field's prime, 2^255 − 19: a point's y below it is written in one way only. */
const PRIME = 2n ** 255n - 19n;
/** The y of half the points of order 8; the other half have its negative. */
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/** The y of all points whose order is 8 or less. Under such a key anybody can make signatures that verify. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, 1n, PRIME - 1n, ORDER_8, PRIME - ORDER_8]);
const SIGNATURE_BYTES = 64;

function yOf(key: Uint8Array): bigint {
  const bigEndian = Buffer.from(key).reverse();
  bigEndian[0] = (bigEndian[0] as number) & 127;
  return BigInt(`0x${bigEndian.toString('hex')}`);
}

/**
 * Whether a signature of 64 bytes by a key of 32 verifies. OpenSSL, which does it, refuses a scalar that is not reduced, and takes
 * keys of small order (the system program's address is one) and keys written in a second way; those are refused here.
 */
export function verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const y = yOf(key);
  if (y >= PRIME || SMALL_ORDER.has(y) || signature.length !== SIGNATURE_BYTES) return false;
  const x = Buffer.from(key).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, publicKey, signature);
}
