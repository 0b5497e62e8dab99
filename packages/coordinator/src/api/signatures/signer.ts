import { SIGNATURE_TAG, SIGNED_COMPONENTS } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import { takeNonce } from '../../store/queries/nonces.ts';
import type { Tables } from '../../store/schema.ts';
import { checkDigest } from './bodyDigest.ts';
import type { RequestParts } from './components.ts';
import { readSignature } from './message.ts';
import { verifySignature } from './verify.ts';

/** What a signature is checked against. */
export type SignerInput = { readonly database: Kysely<Tables>; readonly signatureMaxAgeSeconds: number };

/** What to sign, as RFC 9421 (5.1) asks for it. */
const ACCEPTED = `sig=(${SIGNED_COMPONENTS.map((name) => `"${name}"`).join(' ')});created;alg="ed25519";tag="${SIGNATURE_TAG}"`;

/**
 * Who signed a request, which is answered once; a body must be covered by its Content-Digest. Throws `signature-missing`,
 * `signature-invalid`, `signature-expired` or `signature-replayed`; then the answer says what to sign.
 */
export async function signerOf(request: FastifyRequest, reply: FastifyReply, input: SignerInput): Promise<Address> {
  try {
    const message = readSignature({
      input: headerText(request.headers['signature-input']),
      signature: headerText(request.headers.signature),
    });
    const policy = { now: Date.now(), maxAgeSeconds: input.signatureMaxAgeSeconds };
    const hasBody = request.body !== undefined && request.body !== null;
    const { signer, nonceDigest, goodUntil } = verifySignature(partsOf(request), message, policy, hasBody);
    if (hasBody) checkDigest(request);
    if (await takeNonce(input.database, nonceDigest, { goodUntil, now: policy.now })) return signer;
    throw new Problem('signature-replayed', 'A signed request is good once: sign each with a nonce of its own.');
  } catch (error) {
    if (error instanceof Problem) reply.headers({ 'www-authenticate': 'Signature', 'accept-signature': ACCEPTED });
    throw error;
  }
}

function partsOf(request: FastifyRequest): RequestParts {
  return {
    method: request.method,
    scheme: request.protocol,
    host: request.host,
    target: request.raw.url ?? '/',
    rawHeaders: request.raw.rawHeaders,
  };
}

/** Several lines of a header are one list. */
const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
