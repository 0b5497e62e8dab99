import type { Address, Signature } from '@solana/kit';
import { latin1 } from '../bytes.ts';
import { ClientError } from '../http/clientError.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The longest text of 32 bytes. */
const MAX_DIGITS = 44;

/** For writing: five base-58 digits make a group. Sums of 32 products of a group and 16 bits stay exact in a double. */
const GROUP_DIGITS = 5;
const GROUP_BASE = 58 ** GROUP_DIGITS;
const PAIR_BASE = 58 ** 2;

/** For reading: four digits at a time into limbs of 24 bits, which are three bytes each; the lowest comes first. */
const READ_DIGITS = 4;
const READ_LIMBS = 11;
const READ_BASE = 2 ** 24;

const DIGIT_OF_CODE = new Int8Array(256).fill(-1);
for (const [digit, character] of Array.from(ALPHABET).entries()) DIGIT_OF_CODE[character.charCodeAt(0)] = digit;

const ONE = 49;

const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
/** Two digits at a time. */
const PAIRS = Uint8Array.from({ length: 2 * PAIR_BASE }, (_, place) => {
  const pair = place >> 1;
  return CODES[place % 2 === 0 ? Math.floor(pair / 58) : pair % 58] as number;
});
const limbs = new Float64Array(READ_LIMBS);

/** Writes the five digits of a group to `codes`. */
function writeGroup(value: number, codes: Uint8Array, at: number): void {
  const low = value % PAIR_BASE;
  const rest = (value - low) / PAIR_BASE;
  const middle = rest % PAIR_BASE;
  codes[at] = CODES[(rest - middle) / PAIR_BASE] as number;
  codes[at + 1] = PAIRS[2 * middle] as number;
  codes[at + 2] = PAIRS[2 * middle + 1] as number;
  codes[at + 3] = PAIRS[2 * low] as number;
  codes[at + 4] = PAIRS[2 * low + 1] as number;
}

/** Makes a function that writes so many bytes as text, an even number of at most 64. */
function textWriter(size: number): (bytes: Uint8Array) => string {
  const limbs = size / 2;
  const groupCount = Math.ceil((size * 8) / Math.log2(GROUP_BASE));
  /** 2^16k in groups, for each of the limbs from the first one on, whose weight is the largest. */
  const weights = Array.from({ length: limbs }, (_, limb) =>
    Float64Array.from({ length: groupCount }, (_, group) => {
      const weight = 1n << BigInt(16 * (limbs - 1 - limb));
      return Number((weight / BigInt(GROUP_BASE) ** BigInt(groupCount - 1 - group)) % BigInt(GROUP_BASE));
    }),
  );
  const groups = new Float64Array(groupCount);
  const codes = new Uint8Array(groupCount * GROUP_DIGITS);
  return (bytes) => {
    groups.fill(0);
    for (let limb = 0; limb < limbs; limb++) {
      const value = (bytes[2 * limb] as number) * 256 + (bytes[2 * limb + 1] as number);
      const weightsOfLimb = weights[limb] as Float64Array;
      // The groups before are 0: each limb's weight is more than half a group smaller than the one's before.
      for (let group = limb >> 1; group < groupCount; group++) {
        groups[group] = (groups[group] as number) + value * (weightsOfLimb[group] as number);
      }
    }
    let carry = 0;
    for (let group = groupCount - 1; group >= 0; group--) {
      const value = (groups[group] as number) + carry;
      carry = Math.floor(value / GROUP_BASE);
      writeGroup(value - carry * GROUP_BASE, codes, group * GROUP_DIGITS);
    }
    let zeroBytes = 0;
    while (zeroBytes < size && bytes[zeroBytes] === 0) zeroBytes++;
    let zeroDigits = 0;
    while (zeroDigits < codes.length && codes[zeroDigits] === ONE) zeroDigits++;
    return latin1(codes.subarray(zeroDigits - zeroBytes));
  };
}

const addressText = textWriter(ADDRESS_BYTES);
const signatureText = textWriter(SIGNATURE_BYTES);

/** Base-58 text of 32 bytes; some eight times as fast as the kit's codec, which matters for lists of 80,000. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_BYTES) throw new ClientError('INVALID_ADDRESS', 'An address has 32 bytes.');
  return addressText(bytes) as Address;
}

/** Base-58 text of the 64 bytes of a signature. Throws `SIGNATURE_MISSING` for another number of them. */
export function signatureFromBytes(bytes: Uint8Array): Signature {
  if (bytes.length !== SIGNATURE_BYTES)
    throw new ClientError('SIGNATURE_MISSING', 'A signature of 64 bytes is missing.');
  return signatureText(bytes) as Signature;
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
