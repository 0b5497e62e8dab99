import type { Address } from '@solana/kit';
import { ClientError } from './clientError.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;
/** The longest text of 32 bytes. */
const MAX_DIGITS = 44;

/** For writing: five base-58 digits make a group, 45 digits hold 256 bits. Products of a group and 16 bits stay exact in a double. */
const GROUP_DIGITS = 5;
const GROUPS = 9;
const GROUP_BASE = 58 ** GROUP_DIGITS;
const LIMB_BASE = 65_536;

/** For reading: four digits at a time into limbs of 24 bits, which are three bytes each; the lowest comes first. */
const READ_DIGITS = 4;
const READ_LIMBS = 11;
const READ_BASE = 2 ** 24;

const DIGIT_OF_CODE = new Int8Array(256).fill(-1);
for (const [digit, character] of Array.from(ALPHABET).entries()) DIGIT_OF_CODE[character.charCodeAt(0)] = digit;

const ONE = 49;

const groups = new Float64Array(GROUPS);
const limbs = new Float64Array(READ_LIMBS);

function multiplyAdd(digits: Float64Array, base: number, factor: number, addend: number): void {
  let carry = addend;
  for (let place = digits.length - 1; place >= 0; place--) {
    const value = (digits[place] as number) * factor + carry;
    carry = Math.floor(value / base);
    digits[place] = value - carry * base;
  }
}

/** Base-58 text of 32 bytes; about fifty times as fast as kit's codec, which matters for lists of 80,000. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_BYTES) throw new ClientError('INVALID_ADDRESS', 'An address has 32 bytes.');
  groups.fill(0);
  for (let place = 0; place < ADDRESS_BYTES; place += 2) {
    const limb = (bytes[place] as number) * 256 + (bytes[place + 1] as number);
    multiplyAdd(groups, GROUP_BASE, LIMB_BASE, limb);
  }
  let text = '';
  for (const group of groups) {
    let rest = group;
    let digits = '';
    for (let digit = 0; digit < GROUP_DIGITS; digit++) {
      digits = ALPHABET.charAt(rest % 58) + digits;
      rest = Math.floor(rest / 58);
    }
    text += digits;
  }
  let zeroBytes = 0;
  while (zeroBytes < ADDRESS_BYTES && bytes[zeroBytes] === 0) zeroBytes++;
  let zeroDigits = 0;
  while (zeroDigits < text.length && text.charAt(zeroDigits) === '1') zeroDigits++;
  return ('1'.repeat(zeroBytes) + text.slice(zeroDigits)) as Address;
}

/** 58^4k in limbs, for each group k from the last: sums of eleven products with a group stay exact in a double. */
const POWERS = Array.from({ length: READ_LIMBS }, (_, group) =>
  Float64Array.from({ length: READ_LIMBS }, (_, limb) =>
    Number(((58n ** BigInt(READ_DIGITS * group)) >> BigInt(24 * limb)) & 0xff_ffffn),
  ),
);

/** Reads the digits from `from` to `to` into `limbs`; false if there is none such or they don't fit. */
function readDigits(ascii: Uint8Array, from: number, to: number): boolean {
  limbs.fill(0);
  let place = from;
  let group = Math.ceil((to - from) / READ_DIGITS);
  for (let end = to - (group - 1) * READ_DIGITS; end <= to; end += READ_DIGITS) {
    let value = 0;
    for (; place < end; place++) {
      const digit = DIGIT_OF_CODE[ascii[place] as number] as number;
      if (digit < 0) return false;
      value = value * 58 + digit;
    }
    // Carried only at the end, so that nothing here waits for the limb before.
    const power = POWERS[--group] as Float64Array;
    for (let limb = 0; limb <= group; limb++) {
      limbs[limb] = (limbs[limb] as number) + value * (power[limb] as number);
    }
  }
  let carry = 0;
  for (let limb = 0; limb < READ_LIMBS; limb++) {
    const value = (limbs[limb] as number) + carry;
    carry = Math.floor(value / READ_BASE);
    limbs[limb] = value - carry * READ_BASE;
  }
  // Ten limbs are 30 bytes, so the last one is to have 16 bits.
  return carry === 0 && (limbs[READ_LIMBS - 1] as number) < 65_536;
}

/**
 * Writes the 32 bytes of an address, whose text stands in `ascii` from `from` to `to`, to `target` at `offset`, without allocating
 * anything. False for what is not base-58 text of exactly 32 bytes; `target` may hold anything there then.
 */
export function writeAddress(ascii: Uint8Array, from: number, to: number, target: Uint8Array, offset: number): boolean {
  const length = to - from;
  if (length < ADDRESS_BYTES || length > MAX_DIGITS || !readDigits(ascii, from, to)) return false;
  let end = offset + ADDRESS_BYTES;
  for (let limb = 0; limb < READ_LIMBS - 1; limb++) {
    const value = limbs[limb] as number;
    target[--end] = value & 255;
    target[--end] = (value >> 8) & 255;
    target[--end] = value >> 16;
  }
  const top = limbs[READ_LIMBS - 1] as number;
  target[--end] = top & 255;
  target[--end] = top >> 8;
  // Each leading zero byte is one leading 1, no more and no fewer.
  for (let place = 0; ; place++) {
    const isZeroByte = place < ADDRESS_BYTES && target[offset + place] === 0;
    const isZeroDigit = place < length && ascii[from + place] === ONE;
    if (isZeroByte !== isZeroDigit) return false;
    if (!isZeroByte) return true;
  }
}

const typed = new Uint8Array(MAX_DIGITS);

function writeAddressText(text: string, target: Uint8Array): boolean {
  if (text.length > MAX_DIGITS) return false;
  // A character that is not of one byte becomes one that is no digit.
  for (let place = 0; place < text.length; place++) typed[place] = Math.min(text.charCodeAt(place), 255);
  return writeAddress(typed, 0, text.length, target, 0);
}

/** The 32 bytes of an address. Throws `INVALID_ADDRESS` for anything that is not base-58 text of exactly 32 bytes. */
export function addressToBytes(address: string): Uint8Array {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  if (!writeAddressText(address, bytes)) {
    throw new ClientError('INVALID_ADDRESS', 'An address is base-58 text of 32 bytes.');
  }
  return bytes;
}

const checked = new Uint8Array(ADDRESS_BYTES);

/** Whether a text is the address of 32 bytes. */
export function isAddressText(text: string): text is Address {
  return writeAddressText(text, checked);
}
