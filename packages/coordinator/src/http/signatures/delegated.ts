import {
  addressToBytes,
  ClientError,
  type Delegation,
  LONGEST_DELEGATION_SECONDS,
  readDelegation,
  readDelegationHeader,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { type CryptoKey, importJWK } from 'jose';
import { Problem } from '../../domain/problems.ts';
import { verifyEd25519 } from './ed25519.ts';

/** Seconds by which a wallet's clock may be ahead of this one's. */
const AHEAD_SECONDS = 30;

/** A session that a wallet lets act for it. */
export type DelegatedSession = Delegation & {
  /** To which private answers are encrypted; undefined: they are not. */
  readonly answerKey: CryptoKey | undefined;
};

/**
 * The session of a header, if it is this one's: `signer` is the key that made the request's signature, `origin` what the request
 * addresses, `now` unix milliseconds. Throws `delegation-invalid`.
 */
export async function verifyDelegation(
  header: string,
  at: { readonly signer: Address; readonly origin: string; readonly now: number },
): Promise<DelegatedSession> {
  const { text, signature, delegation } = read(header);
  const { origin, wallet, session, encryption, expires } = delegation;
  const now = at.now / 1_000;
  if (session !== at.signer) throw invalid('It is for another session than the key that signed the request');
  if (origin !== at.origin) throw invalid("It is for a page at another origin than this request's");
  if (expires <= now) throw invalid('It has expired: sign in again');
  if (expires > now + LONGEST_DELEGATION_SECONDS + AHEAD_SECONDS) {
    throw invalid(`It is good for longer than ${LONGEST_DELEGATION_SECONDS} s; look at the clock`);
  }
  if (!verifyEd25519(addressToBytes(wallet), new TextEncoder().encode(text), signature)) {
    throw invalid("Its signature does not verify: another key than the wallet's made it, or the text was changed");
  }
  return { ...delegation, answerKey: encryption === null ? undefined : await answerKey(encryption) };
}

function read(header: string) {
  try {
    const { text, signature } = readDelegationHeader(header);
    return { text, signature, delegation: readDelegation(text) };
  } catch (error) {
    if (error instanceof ClientError) throw new Problem('delegation-invalid', error.message);
    throw error;
  }
}

/** A key of an uncompressed point. */
async function answerKey(point: Uint8Array): Promise<CryptoKey> {
  const coordinate = (from: number) => Buffer.from(point.subarray(from, from + 32)).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) };
  try {
    return (await importJWK(jwk, 'ECDH-ES')) as CryptoKey;
  } catch {
    throw invalid('Its encryption is no point of P-256');
  }
}

/** `delegation-invalid` with a sentence that repeats nothing of what was sent. */
export const invalid = (what: string): Problem => new Problem('delegation-invalid', `${what}.`);
