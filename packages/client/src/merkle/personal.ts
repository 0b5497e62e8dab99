import { HASH_BYTES, sha256 } from './hash.ts';

/** Bytes of a page's nonce, of a balance's key, and of a personal account's nonce. */
const HALF_BYTES = 16;
const KEY = 9;
const NONCE = 10;
/** In what a page notes of a personal account: it is there. */
const IS_THERE = 0x8000;

/** The greatest number of a personal account among those of its balance, from 1 on. */
export const MOST_PERSONAL_NUMBER = IS_THERE - 1;

/** Personal accounts whose addresses are tried, one after the other: somebody may have sent lamports to one ahead. */
export const PERSONAL_NUMBERS_TRIED = 3;

/** What a page notes of a balance's personal accounts: the number of the last one, 0: there was none; and whether it is there. */
export type NotedPersonal = { readonly number: number; readonly isThere: boolean };

/**
 * H(0x09 ‖ page's nonce 16 ‖ owner 32), the first 16 bytes: the addresses of a balance's personal accounts follow from it. Secret: whoever may
 * read the page knows it, and the recipient, whom the layer shows it.
 */
export function personalKey(pageNonce: Uint8Array, owner: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + HALF_BYTES + HASH_BYTES);
  bytes[0] = KEY;
  bytes.set(pageNonce, 1);
  bytes.set(owner, 1 + HALF_BYTES);
  return sha256(bytes).slice(0, HALF_BYTES);
}

/** H(0x0a ‖ key 16 ‖ number u16), the first 16 bytes: the nonce in the address of a balance's personal account with this number. */
export function personalNonce(key: Uint8Array, number: number): Uint8Array {
  return sha256(Uint8Array.of(NONCE, ...key, number & 0xff, number >> 8)).slice(0, HALF_BYTES);
}

/** Reads what a page notes of a balance's personal accounts, 16 bits. */
export const readNotedPersonal = (noted: number): NotedPersonal => ({
  number: noted & MOST_PERSONAL_NUMBER,
  isThere: noted >= IS_THERE,
});

/**
 * The number of the personal account to be made of a balance after this one, the `further`th that is tried: somebody may have sent lamports
 * to an address ahead. After the greatest comes 1.
 */
export const nextPersonalNumber = (last: number, further = 0): number => ((last + further) % MOST_PERSONAL_NUMBER) + 1;
