import type { Address, MessagePartialSigner } from '@solana/kit';
import { isAddressText } from '../accounts/base58.ts';
import { fromBase64Url, toBase64Url } from './base64.ts';
import { ClientError } from './clientError.ts';

/** The header of a request that a session's key has signed for a wallet; its signature covers it. */
export const DELEGATION_HEADER = 'payouts-delegation';
/** Seconds for which a wallet may let a session act, at most. */
export const LONGEST_DELEGATION_SECONDS = 3_600;

/** A point of P-256, uncompressed, begins so and is so long. */
const UNCOMPRESSED = 4;
const POINT_BYTES = 65;
const SIGNATURE_BYTES = 64;

/** What a wallet signs to let the key of a browser's session sign requests for it, for a while and at one place. */
export type Delegation = {
  /** The page's origin, such as `https://payouts.example.com`: requests to other hosts are none of the session's. */
  readonly origin: string;
  readonly wallet: Address;
  /** The session's own key. */
  readonly session: Address;
  /** P-256 point, 65 bytes, to which private answers are encrypted; null: they are not. */
  readonly encryption: Uint8Array | null;
  /** Unix seconds. */
  readonly expires: number;
};

const FIRST_LINE = 'payouts sign-in';
const NO_ENCRYPTION = 'none';
const NAMES = ['origin', 'wallet', 'session', 'encryption', 'expires'] as const;

/** The text that a wallet shows and signs. */
export function delegationText({ origin, wallet, session, encryption, expires }: Delegation): string {
  const time = new Date(expires * 1_000).toISOString().replace('.000Z', 'Z');
  const key = encryption === null ? NO_ENCRYPTION : toBase64Url(encryption);
  const values = [origin, wallet, session, key, time];
  return [FIRST_LINE, ...NAMES.map((name, place) => `${name}: ${values[place]}`)].join('\n');
}

/** Reads such a text. Throws `INVALID_DELEGATION`, which says what is wrong and repeats nothing of it. */
export function readDelegation(text: string): Delegation {
  const [first, ...lines] = text.split('\n');
  if (first !== FIRST_LINE || lines.length !== NAMES.length) {
    throw invalid(`It has not ${NAMES.length + 1} lines of which the first is "${FIRST_LINE}"`);
  }
  const [origin, wallet, session, key, time] = NAMES.map((name, place) => {
    const line = lines[place] as string;
    if (!line.startsWith(`${name}: `)) throw invalid(`Line ${place + 2} is not "${name}: …"`);
    return line.slice(name.length + 2);
  }) as [string, string, string, string, string];
  if (!isOrigin(origin)) throw invalid('Its origin is none, such as https://payouts.example.com');
  if (!isAddressText(wallet)) throw invalid('Its wallet is no address, base-58 text of 32 bytes');
  if (!isAddressText(session)) throw invalid('Its session is no address, base-58 text of 32 bytes');
  const expires = Date.parse(time) / 1_000;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time) || Number.isNaN(expires)) {
    throw invalid('Its expires is no time such as 2026-11-22T14:00:00Z');
  }
  return { origin, wallet, session, encryption: key === NO_ENCRYPTION ? null : pointOf(key), expires };
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function pointOf(text: string): Uint8Array {
  const point = fromBase64Url(text);
  if (point?.length === POINT_BYTES && point[0] === UNCOMPRESSED) return point;
  throw invalid('Its encryption is neither "none" nor a P-256 point, base 64 for addresses of 65 bytes');
}

const invalid = (what: string) => new ClientError('INVALID_DELEGATION', `${what}.`);

/** A delegation's text with the wallet's signature of it, as the header has them. */
export type SignedDelegation = { readonly text: string; readonly signature: Uint8Array };

/** The header's value. */
export function delegationHeader({ text, signature }: SignedDelegation): string {
  return `${toBase64Url(new TextEncoder().encode(text))}.${toBase64Url(signature)}`;
}

/** Reads the header's value; nothing of it is verified. Throws `INVALID_DELEGATION`. */
export function readDelegationHeader(value: string): SignedDelegation {
  const [text, signature, ...more] = value.split('.').map(fromBase64Url);
  if (text === undefined || signature?.length !== SIGNATURE_BYTES || more.length > 0) {
    throw invalid('The header is not text and signature, each in base 64 for addresses, with a dot between them');
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text), signature };
  } catch {
    throw invalid('Its text is not UTF-8');
  }
}

/** Has a wallet's key sign a delegation; returns the header's value. Throws `SIGNATURE_MISSING` when it does not sign. */
export async function signDelegation(signer: MessagePartialSigner, delegation: Delegation): Promise<string> {
  const text = delegationText(delegation);
  const [signatures] = await signer.signMessages([{ content: new TextEncoder().encode(text), signatures: {} }]);
  const signature = signatures?.[signer.address];
  if (signature === undefined) throw new ClientError('SIGNATURE_MISSING', 'The wallet did not sign in.');
  return delegationHeader({ text, signature });
}

/** What a page shows for `payout sign-in`: the session's keys in one word. */
export function sessionCode({ session, encryption }: Pick<Delegation, 'session' | 'encryption'>): string {
  return `${session}.${encryption === null ? NO_ENCRYPTION : toBase64Url(encryption)}`;
}

/** Reads such a code. Throws `INVALID_DELEGATION`. */
export function readSessionCode(code: string): Pick<Delegation, 'session' | 'encryption'> {
  const [session = '', key = '', ...more] = code.split('.');
  if (!isAddressText(session) || more.length > 0) throw invalid('The code is not one that the page shows');
  return { session, encryption: key === NO_ENCRYPTION ? null : pointOf(key) };
}
