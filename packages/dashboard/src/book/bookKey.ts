import { addressToBytes, fromBase64Url, toBase64Url } from '@payouts/client/browser';
import type { SignText } from '@payouts/pages/session/session';
import { NamesError } from './namesError.ts';

/** What opens a book of names: a wallet's signature, or a passphrase. It stands in the book's head, for all to read. */
export type Lock =
  | { readonly kind: 'wallet'; readonly wallet: string }
  | { readonly kind: 'passphrase'; readonly salt: string; readonly iterations: number };

/** The secret behind a lock. It can derive keys and can't be taken out of the browser. */
export type BookKey = { readonly lock: Lock; readonly secret: CryptoKey };

/** The same for everybody and for ever: its signature is the key. Nothing else that a wallet is asked to sign begins like it. */
export const KEY_TEXT = [
  'Payout Coordinator: open my names (version 1)',
  '',
  'This signature is the key to the names and labels that you keep, encrypted, in your browser. It moves no money and signs you in nowhere.',
  '',
  'Sign it only on the page of your own coordinator: who has the signature and a copy of the names can read them.',
].join('\n');

/** Rounds of PBKDF2 with SHA-256 that OWASP asks for (2023), and the most that a file may ask of this browser. */
const ITERATIONS = 600_000;
const MOST_ITERATIONS = 10_000_000;
const SHORTEST_PASSPHRASE = 12;
const SALT_BYTES = 16;

/** The key to a book that this wallet locked. Throws `NamesError` if another account of the wallet signed. */
export async function walletKey(wallet: string, sign: SignText): Promise<BookKey> {
  const signature = await signatureBy(wallet, sign);
  return { lock: { kind: 'wallet', wallet }, secret: await secretOf(signature) };
}

/**
 * The key for a new book, of which the wallet signs the text twice: a wallet that signs otherwise each time could never open it again.
 * Throws `NamesError`.
 */
export async function newWalletKey(wallet: string, sign: SignText): Promise<BookKey> {
  const first = await signatureBy(wallet, sign);
  const second = await signatureBy(wallet, sign);
  if (first.some((byte, place) => byte !== second[place])) {
    throw new NamesError(
      'NAMES_WALLET_VARIES',
      'This wallet signs the same text differently each time, so it could not open the names again. Use a passphrase.',
    );
  }
  return { lock: { kind: 'wallet', wallet }, secret: await secretOf(first) };
}

async function signatureBy(wallet: string, sign: SignText): Promise<Uint8Array<ArrayBuffer>> {
  const text = new TextEncoder().encode(KEY_TEXT);
  const signature = new Uint8Array(await sign(text));
  const raw = new Uint8Array(addressToBytes(wallet));
  const key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
  if (await crypto.subtle.verify('Ed25519', key, signature, text)) return signature;
  throw new NamesError(
    'NAMES_WRONG_WALLET',
    `The text was not signed by ${wallet}, the wallet that is signed in here. Choose that account in the wallet and try again.`,
  );
}

/** The key for a new book behind a passphrase. Throws `NamesError` if that is too short. */
export async function newPassphraseKey(passphrase: string): Promise<BookKey> {
  if ([...passphrase].length < SHORTEST_PASSPHRASE) {
    throw new NamesError(
      'NAMES_PASSPHRASE_SHORT',
      `The passphrase needs at least ${SHORTEST_PASSPHRASE} characters. Four or more words that do not belong together are good.`,
    );
  }
  const salt = toBase64Url(crypto.getRandomValues(new Uint8Array(SALT_BYTES)));
  return passphraseKey(passphrase, { kind: 'passphrase', salt, iterations: ITERATIONS });
}

/** The key to a book that this passphrase locked. A wrong one shows when the book is opened. */
export async function passphraseKey(
  passphrase: string,
  lock: Extract<Lock, { readonly kind: 'passphrase' }>,
): Promise<BookKey> {
  // However a keyboard composes letters, they are the same passphrase.
  const typed = new TextEncoder().encode(passphrase.normalize('NFKC'));
  const key = await crypto.subtle.importKey('raw', typed, 'PBKDF2', false, ['deriveBits']);
  const salt = new Uint8Array(fromBase64Url(lock.salt) ?? []);
  const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: lock.iterations };
  return { lock, secret: await secretOf(new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256))) };
}

/** Whether what a file says is a lock that this page can open. */
export function isLock(value: unknown): value is Lock {
  const lock = value as Partial<Record<string, unknown>> | null;
  if (lock?.kind === 'wallet') return typeof lock.wallet === 'string';
  const { salt, iterations } = lock ?? {};
  const rounds = typeof iterations === 'number' ? iterations : 0;
  const isSalt = typeof salt === 'string' && fromBase64Url(salt)?.length === SALT_BYTES;
  return lock?.kind === 'passphrase' && isSalt && rounds >= ITERATIONS && rounds <= MOST_ITERATIONS;
}

async function secretOf(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey', 'deriveBits']);
  bytes.fill(0);
  return secret;
}
