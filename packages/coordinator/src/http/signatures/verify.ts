import { createHash } from 'node:crypto';
import { addressToBytes, isAddressText, signatureBase } from '@payouts/client';
import type { Address } from '@solana/kit';
import { Problem } from '../../domain/problems.ts';
import { componentValue, type RequestParts } from './components.ts';
import { verifyEd25519 } from './ed25519.ts';
import { invalid, type SignatureMessage } from './message.ts';

/** Seconds by which a client's clock may be ahead of this one's. */
const AHEAD_SECONDS = 30;
const NONCE = /^[\x21-\x7e]{16,256}$/;

/** Who signed a request, and what must not be used again. */
export type VerifiedSignature = {
  readonly signer: Address;
  /** SHA-256 over key and nonce. */
  readonly nonceDigest: Uint8Array;
  /** Unix milliseconds after which the signature is refused for its age anyway. */
  readonly goodUntil: number;
};

/** `now` in unix milliseconds. */
export type VerifyPolicy = { readonly now: number; readonly maxAgeSeconds: number };

/**
 * Verifies that a signature covers the request, is of our kind and in its time, and was made by the key that it names. Whether it
 * was used before is for the store to say. Throws `signature-invalid` or `signature-expired`.
 */
export function verifySignature(
  request: RequestParts,
  message: SignatureMessage,
  policy: VerifyPolicy,
  hasBody = false,
): VerifiedSignature {
  const { keyid, alg, nonce } = Object.fromEntries(message.parameters);
  if (typeof keyid !== 'string' || !isAddressText(keyid))
    throw invalid('keyid is not an address, base-58 text of 32 bytes');
  if (alg !== undefined && alg !== 'ed25519') throw invalid('alg is not "ed25519"');
  if (typeof nonce !== 'string' || !NONCE.test(nonce))
    throw invalid('nonce is not a text of 16 to 256 visible characters');
  checkCoverage(message.covered);
  if (hasBody && !message.covered.includes('content-digest')) {
    throw invalid('The signature of a request with a body must cover "content-digest"');
  }
  const goodUntil = checkTime(message, policy);
  const components = message.covered.map((name) => [`"${name}"`, componentValue(request, name)] as const);
  const key = addressToBytes(keyid);
  if (!verifyEd25519(key, signatureBase(components, message.signedParameters), message.signature)) {
    throw invalid('The signature does not verify: another key made it, or the request is not the one that was signed');
  }
  return { signer: keyid, nonceDigest: createHash('sha256').update(key).update(nonce).digest(), goodUntil };
}

/** Whatever decides what is answered must be covered. */
function checkCoverage(covered: readonly string[]): void {
  const has = (name: string) => covered.includes(name);
  if (has('@method') && (has('@target-uri') || (has('@authority') && has('@path') && has('@query')))) return;
  throw invalid(
    'The signature must cover "@method", "@authority", "@path" and "@query" ("@target-uri" may stand for the last three)',
  );
}

function checkTime({ parameters }: SignatureMessage, { now, maxAgeSeconds }: VerifyPolicy): number {
  const created = parameters.get('created');
  const expires = parameters.get('expires');
  if (!Number.isInteger(created)) throw invalid('created is not a whole number of unix seconds');
  if (expires !== undefined && !Number.isInteger(expires))
    throw invalid('expires is not a whole number of unix seconds');
  const from = (created as number) * 1_000;
  const goodUntil = Math.min(from + maxAgeSeconds * 1_000, ((expires as number | undefined) ?? Infinity) * 1_000);
  if (from > now + AHEAD_SECONDS * 1_000)
    throw new Problem('signature-expired', `created is more than ${AHEAD_SECONDS} s in the future.`);
  if (now > goodUntil) throw tooOld(maxAgeSeconds);
  return goodUntil;
}

/** A signature whose time has passed. */
export const tooOld = (maxAgeSeconds: number): Problem =>
  new Problem('signature-expired', `The signature is older than ${maxAgeSeconds} s, or its expires has passed.`);
