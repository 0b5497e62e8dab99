import type { Time, Timer } from '@payouts/client/browser';
import { computed, signal } from '@preact/signals';
import { makeKeys, type SessionKeys } from './keys.ts';

/** Whoever is signed in to the coordinator, until `expiresAt` in unix milliseconds. */
export type SignedInSession = { readonly wallet: string; readonly isOperator: boolean; readonly expiresAt: number };

/** What requests are signed with. It stands in this tab's memory only: a reload forgets it, and everything private with it. */
type Signing = {
  readonly keys: SessionKeys;
  readonly delegation: string;
  readonly time: Time;
  readonly signText?: SignText | undefined;
};

/** Has the session's wallet sign a text. */
export type SignText = (text: Uint8Array) => Promise<Uint8Array>;

const session = signal<SignedInSession | undefined>(undefined);
let using: Signing | undefined;
let end: Timer | undefined;

export const signedIn = computed((): SignedInSession | undefined => session.value);
export const isSignedIn = computed(() => session.value !== undefined);

let keys: Promise<SessionKeys> | undefined;
/** The keys that this page signs with, made when they are first needed. Throws `KeysUnsupported`. */
export const pageKeys = (): Promise<SessionKeys> => {
  keys ??= makeKeys();
  return keys;
};

/** Signs with this delegation from now on; shown as signed in only once `confirm` was told who that is. */
export function begin(delegation: string, mine: SessionKeys, time: Time, signText?: SignText): void {
  using = { keys: mine, delegation, time, signText };
}

/** The session's wallet, if it is one of this browser; undefined if its owner signed in by command. */
export const walletOfSession = (): SignText | undefined => using?.signText;

/** The coordinator has taken the delegation: whoever it is for is signed in until it ends. */
export function confirm(view: SignedInSession): void {
  const { time } = present();
  end?.cancel();
  end = time.after(Math.max(0, view.expiresAt - time.now()), signOut);
  session.value = view;
}

/** Forgets the session and its keys. */
export function signOut(): void {
  end?.cancel();
  session.value = undefined;
  using = undefined;
  keys = undefined;
}

/** Headers that sign a request in the wallet's name. Throws when nobody is signed in. */
export async function signatureFor(method: string, path: string, body?: string): Promise<Record<string, string>> {
  const { keys: mine, delegation, time } = present();
  // Whoever only looks loads nothing of it.
  const { signRequest, signRequestWithBody } = await import('./signing.ts');
  const request = { signer: mine.signer, time, method, url: new URL(path, location.origin), delegation };
  return body === undefined ? signRequest(request) : signRequestWithBody({ ...request, body });
}

/** What an answer says that was sealed for this session's key alone (JWE, ECDH-ES with A256GCM). */
export async function openSealed(sealed: string): Promise<string> {
  const { compactDecrypt } = await import('jose');
  const { plaintext } = await compactDecrypt(sealed.trim(), present().keys.decryption);
  return new TextDecoder().decode(plaintext);
}

function present(): Signing {
  if (using === undefined) throw new Error('Nobody is signed in.');
  return using;
}
