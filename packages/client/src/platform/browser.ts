import { hmac } from '@noble/hashes/hmac';
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import { latin1 } from '../bytes.ts';

const fresh = sha256.create();
const hasher = sha256.create();
const digest = new Uint8Array(sha256.outputLen);

/**
 * SHA-256 in one call, written to `target` at `offset`: what a browser offers itself has to be waited for, hash by hash. By one hasher
 * that is begun anew, since a new one for each hash takes twice the time.
 */
export function sha256Into(bytes: Uint8Array, target: Uint8Array, offset: number): void {
  fresh._cloneInto(hasher).update(bytes).digestInto(digest);
  target.set(digest, offset);
}

/** HMAC with SHA-256, 32 bytes. */
export const hmacSha256 = (key: Uint8Array, bytes: Uint8Array): Uint8Array => hmac(sha256, key, bytes);

const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.addEventListener('message', () => waiting.shift()?.());
port1.start();

/** A message to itself: a timer of a page in the background comes a second late. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(undefined);
  });

/** Bytes as hexadecimal digits. */
export const toHex = (bytes: Uint8Array): string => bytesToHex(bytes);

/** Bytes as base 64. */
export const toBase64 = (bytes: Uint8Array): string => btoa(latin1(bytes));

/** The bytes that hexadecimal digits stand for; the caller has seen that they are such digits. */
export const fromHex = (digits: string): Uint8Array => hexToBytes(digits);
