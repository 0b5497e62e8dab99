/** Digits that an amount has at most. */
const DIGITS = 20;
/** Bytes: whatever else differs between two people is hidden by it, mostly. */
const BLOCK = 1_024;
const AMOUNT = /"amount":"(\d+)"/g;

/** A JSON text with spaces at its end: as long as if every amount had all digits, and then a whole number of blocks. */
export function paddedToBlock(body: string): string {
  let missing = 0;
  for (const [, digits = ''] of body.matchAll(AMOUNT)) missing += DIGITS - digits.length;
  const over = (Buffer.byteLength(body) + missing) % BLOCK;
  return body + ' '.repeat(missing + (over === 0 ? 0 : BLOCK - over));
}
