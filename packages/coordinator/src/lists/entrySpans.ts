import { isAscii } from 'node:buffer';
import { HASH_BYTES, SALT_BYTES } from '@payouts/client';
import { isSpace } from './listScanner.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const ARRAY = 0x5b;
const ESCAPE = 0x5c;
const ARRAY_END = 0x5d;
const OBJECT_END = 0x7d;

/** Hashes of a proof in the largest list. */
export const MAX_PROOF_HASHES = 17;
const SALT_DIGITS = 2 * SALT_BYTES;
export const HASH_DIGITS = 2 * HASH_BYTES;
/** No index has more digits. */
const INDEX_DIGITS = 5;

/** Names with the quote that ends them, by their first letter, and a bit for each. */
const NAMES = ['index', 'recipient', 'amount', 'salt', 'delivery', 'proof'];
const NAME_OF_CODE: ({ readonly end: Buffer; readonly bit: number } | undefined)[] = Array(256).fill(undefined);
for (const [bit, name] of NAMES.entries()) {
  NAME_OF_CODE[name.charCodeAt(0)] = { end: Buffer.from(`${name}"`), bit: 1 << bit };
}
const [INDEX, RECIPIENT, AMOUNT, SALT, DELIVERY, PROOF] = [1, 2, 4, 8, 16, 32];
const REQUIRED = 15;
const BALANCE_TEXT = Buffer.from('balance"');
const WALLET_TEXT = Buffer.from('wallet"');

/** An entry's values, of the right types. */
export type EntryValues = {
  readonly index: number;
  readonly recipient: string;
  readonly amount: string;
  readonly salt: string;
  readonly isWallet: boolean;
  readonly proof: readonly string[] | undefined;
};

const NO_HASH = ' '.repeat(HASH_DIGITS);
const isHashText = (text: string): boolean => text.length === HASH_DIGITS && isAscii(Buffer.from(text));

/** Where the values of an entry stand, as text of ASCII; used again for each. */
export class EntrySpans {
  bytes: Uint8Array = new Uint8Array();
  index = 0;
  recipient = 0;
  recipientEnd = 0;
  amount = 0;
  amountEnd = 0;
  salt = 0;
  saltEnd = 0;
  isWallet = false;
  hasProof = false;
  hashes = 0;
  /** Where each of the proof's hashes begins: 64 digits. */
  readonly hash = new Int32Array(MAX_PROOF_HASHES);

  /** Takes values that were text already. A hash that has not 64 digits is none, and so is what takes its place. */
  set(values: EntryValues): void {
    const proof = values.proof?.map((hash) => (isHashText(hash) ? hash : NO_HASH)) ?? [];
    const texts = [values.recipient, values.amount, values.salt, ...proof].map((text) => Buffer.from(text));
    const starts = texts.map((_, place) => texts.slice(0, place).reduce((sum, { length }) => sum + length, 0));
    this.bytes = Buffer.concat(texts);
    this.index = values.index;
    [this.recipient, this.amount, this.salt] = starts as [number, number, number];
    this.recipientEnd = this.amount;
    this.amountEnd = this.salt;
    this.saltEnd = this.salt + (texts[2] as Buffer).length;
    this.isWallet = values.isWallet;
    this.hasProof = values.proof !== undefined;
    this.hashes = proof.length;
    this.hash.set(starts.slice(3));
  }

  /**
   * Finds the values of the entry that begins at `start`, if all of it is there and it is written without escapes and with nothing
   * in it that is wrong to look at. Returns the place after it, or −1: it is to be read as any JSON then.
   */
  find(bytes: Uint8Array, start: number): number {
    this.bytes = bytes;
    this.isWallet = false;
    this.hasProof = false;
    let seen = 0;
    let place = start;
    do {
      place = afterSpace(bytes, place + 1);
      if (bytes[place] !== QUOTE) return -1;
      const name = NAME_OF_CODE[bytes[place + 1] as number];
      if (name === undefined || (seen & name.bit) !== 0 || !stands(name.end, bytes, place + 1)) return -1;
      seen |= name.bit;
      place = afterSpace(bytes, place + 1 + name.end.length);
      if (bytes[place] !== COLON) return -1;
      place = this.#findValue(name.bit, bytes, afterSpace(bytes, place + 1));
      if (place < 0) return -1;
      place = afterSpace(bytes, place);
    } while (bytes[place] === COMMA);
    return bytes[place] === OBJECT_END && (seen & REQUIRED) === REQUIRED ? place + 1 : -1;
  }

  #findValue(field: number, bytes: Uint8Array, start: number): number {
    if (field === INDEX) return this.#findIndex(bytes, start);
    if (field === PROOF) return this.#findProof(bytes, start);
    if (bytes[start] !== QUOTE) return -1;
    const from = start + 1;
    if (field === DELIVERY) {
      this.isWallet = stands(WALLET_TEXT, bytes, from);
      if (this.isWallet) return from + WALLET_TEXT.length;
      return stands(BALANCE_TEXT, bytes, from) ? from + BALANCE_TEXT.length : -1;
    }
    const to =
      field === SALT ? from + SALT_DIGITS : field === RECIPIENT ? endOfAddress(bytes, from) : endOfText(bytes, from);
    if (bytes[to] !== QUOTE) return -1;
    if (field === RECIPIENT) {
      this.recipient = from;
      this.recipientEnd = to;
    } else if (field === AMOUNT) {
      this.amount = from;
      this.amountEnd = to;
    } else {
      this.salt = from;
      this.saltEnd = to;
    }
    return to + 1;
  }

  #findIndex(bytes: Uint8Array, start: number): number {
    let index = 0;
    let place = start;
    for (; isDigit(bytes[place]); place++) index = index * 10 + (bytes[place] as number) - ZERO;
    const digits = place - start;
    if (digits === 0 || digits > INDEX_DIGITS || (digits > 1 && bytes[start] === ZERO)) return -1;
    this.index = index;
    return place;
  }

  #findProof(bytes: Uint8Array, start: number): number {
    if (bytes[start] !== ARRAY) return -1;
    this.hasProof = true;
    this.hashes = 0;
    let place = afterSpace(bytes, start + 1);
    if (bytes[place] === ARRAY_END) return place + 1;
    for (; this.hashes < MAX_PROOF_HASHES; place = afterSpace(bytes, place + 1)) {
      const end = place + 1 + HASH_DIGITS;
      if (bytes[place] !== QUOTE || bytes[end] !== QUOTE) return -1;
      this.hash[this.hashes++] = place + 1;
      place = afterSpace(bytes, end + 1);
      if (bytes[place] === ARRAY_END) return place + 1;
      if (bytes[place] !== COMMA) return -1;
    }
    return -1;
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

function afterSpace(bytes: Uint8Array, start: number): number {
  let place = start;
  while (isSpace(bytes[place])) place++;
  return place;
}

function stands(text: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let place = 0; place < text.length; place++) if (bytes[start + place] !== text[place]) return false;
  return true;
}

/** Nearly all addresses have 43 or 44 digits. What is taken for one wrongly has a quote in it, and is refused when it is read. */
function endOfAddress(bytes: Uint8Array, start: number): number {
  if (bytes[start + 43] === QUOTE) return start + 43;
  return bytes[start + 44] === QUOTE && bytes[start + 42] !== QUOTE ? start + 44 : endOfText(bytes, start);
}

/** The place of the quote that ends a text without escapes; of what is no such text otherwise. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let place = start; ; place++) {
    const byte = bytes[place];
    if (byte === undefined || byte === QUOTE || byte === ESCAPE || byte < 0x20 || byte > 0x7e) return place;
  }
}
