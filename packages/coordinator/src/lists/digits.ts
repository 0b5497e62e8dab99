import { MAX_U64 } from '@payouts/client';

// Values are read where they stand, as bytes of ASCII from `from` to `to`: text of its own for each would cost more than all the rest.

const ZERO = 0x30;
const NIBBLE_OF_CODE = new Int8Array(256).fill(-1);
for (const [nibble, digit] of Array.from('0123456789abcdef').entries()) {
  NIBBLE_OF_CODE[digit.charCodeAt(0)] = nibble;
  NIBBLE_OF_CODE[digit.toUpperCase().charCodeAt(0)] = nibble;
}

/** Writes so many bytes to `target` at `offset`; false if there are not exactly their hexadecimal digits. */
export function writeHex(
  ascii: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  offset: number,
  bytes: number,
): boolean {
  if (to - from !== 2 * bytes) return false;
  for (let place = 0; place < bytes; place++) {
    const high = NIBBLE_OF_CODE[ascii[from + 2 * place] as number] as number;
    const low = NIBBLE_OF_CODE[ascii[from + 2 * place + 1] as number] as number;
    if (high < 0 || low < 0) return false;
    target[offset + place] = (high << 4) | low;
  }
  return true;
}

/** So many digits are exact as a number; 64 bits have no more than the most. */
const EXACT_DIGITS = 15;
const MOST_DIGITS = 20;
const EXACT = 10 ** EXACT_DIGITS;
const HALF = 2 ** 32;

function writeHalf(value: number, target: Uint8Array, offset: number): void {
  target[offset] = value;
  target[offset + 1] = value >>> 8;
  target[offset + 2] = value >>> 16;
  target[offset + 3] = value >>> 24;
}

/** The number that some digits make, which must be no more than are exact; −1 if one is none. */
function readNumber(ascii: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let place = from; place < to; place++) {
    const digit = (ascii[place] as number) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/**
 * Writes an amount of base units as u64, little-endian, to `target` at `offset` and returns it; a bigint only where a number would
 * not be exact. Undefined for what is no decimal number from 1 to 64 bits without sign or leading zeros.
 */
export function writeAmount(
  ascii: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  offset: number,
): number | bigint | undefined {
  const digits = to - from;
  if (digits === 0 || digits > MOST_DIGITS || ascii[from] === ZERO) return undefined;
  const middle = Math.max(from, to - EXACT_DIGITS);
  const high = readNumber(ascii, from, middle);
  const low = readNumber(ascii, middle, to);
  if (high < 0 || low < 0) return undefined;
  if (high === 0) {
    writeHalf(low % HALF, target, offset);
    writeHalf(low / HALF, target, offset + 4);
    return low;
  }
  const amount = BigInt(high) * BigInt(EXACT) + BigInt(low);
  if (amount > MAX_U64) return undefined;
  writeHalf(Number(amount & 0xffff_ffffn), target, offset);
  writeHalf(Number(amount >> 32n), target, offset + 4);
  return amount;
}

/** A sum of amounts that stays exact at any size. */
export class Total {
  #small = 0;
  #large = 0n;

  add(amount: number | bigint): void {
    if (typeof amount === 'bigint') {
      this.#large += amount;
      return;
    }
    this.#small += amount;
    // Another exact amount still fits.
    if (this.#small > Number.MAX_SAFE_INTEGER - EXACT) {
      this.#large += BigInt(this.#small);
      this.#small = 0;
    }
  }

  get value(): bigint {
    return this.#large + BigInt(this.#small);
  }
}
