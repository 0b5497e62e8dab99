/** Digits behind the point that sums of a file may have. */
const PLACES = 17;
const DECIMAL = /^\+?(\d{1,18})(?:\.(\d{0,17}))?$/;

/** A decimal number of a file as a whole one, exactly, so that it can be added to others; undefined for what is none. */
export function decimalOf(text: string): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(PLACES, '0'));
}
