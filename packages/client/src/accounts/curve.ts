import { FIELD_PRIME, jacobiSymbol } from './jacobi.ts';

/** The curve's d, −121665 / 121666 modulo the field's prime. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const Y_BITS = 255;

/**
 * Whether 32 bytes are a compressed point of ed25519, as the ledger's runtime decides it: a program address must not be one.
 * x² = (y² − 1) / (d·y² + 1) has a root when the product of numerator and denominator is a square.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const number =
    (view.getBigUint64(24, true) << 192n) |
    (view.getBigUint64(16, true) << 128n) |
    (view.getBigUint64(8, true) << 64n) |
    view.getBigUint64(0, true);
  const y = BigInt.asUintN(Y_BITS, number);
  const ySquared = (y * y) % FIELD_PRIME;
  const product = ((ySquared + FIELD_PRIME - 1n) * (D * ySquared + 1n)) % FIELD_PRIME;
  const symbol = jacobiSymbol(product);
  // x = 0 has no negative.
  return symbol === 0 ? (view.getUint8(31) & 128) === 0 : symbol === 1;
}
