import { DELEGATION_HEADER, SIGNATURE_TAG, SIGNED_COMPONENTS, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problems.ts';
import { takeNonce } from '../../store/queries/nonces.ts';
import type { Db } from '../../store/schema.ts';
import { checkDigest } from './bodyDigest.ts';
import type { RequestParts } from './components.ts';
import { type DelegatedSession, invalid, verifyDelegation } from './delegated.ts';
import { readSignature } from './message.ts';
import { type Origin, type Origins, originOf } from './origins.ts';
import { tooOld, verifySignature } from './verify.ts';

/** What a signature is checked against. */
export type SignerInput = {
  readonly database: Db;
  readonly signatureMaxAgeSeconds: number;
  readonly origins: Origins;
  readonly time: Time;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a session that a wallet has signed in is enough for a route. It is made to read with: what outlasts a session needs the
     * key itself.
     */
    session?: true;
  }
}

const sessions = new WeakMap<FastifyRequest, DelegatedSession>();

/** The session that has signed a request, once `signerOf` was asked; undefined: the key itself has. */
export const sessionOf = (request: FastifyRequest): DelegatedSession | undefined => sessions.get(request);

/** What to sign, as RFC 9421 (5.1) asks for it. */
const ACCEPTED = `sig=(${SIGNED_COMPONENTS.map((name) => `"${name}"`).join(' ')});created;alg="ed25519";tag="${SIGNATURE_TAG}"`;

/**
 * Who signed a request, or whose session did, which is answered once; a body must be covered by its Content-Digest. Throws
 * `signature-missing`, `signature-invalid`, `signature-expired`, `signature-replayed` or `delegation-invalid`; then the answer says what
 * to sign; `public-origins-…` for what addresses somebody else.
 */
export async function signerOf(request: FastifyRequest, reply: FastifyReply, input: SignerInput): Promise<Address> {
  try {
    const message = readSignature({
      input: headerText(request.headers['signature-input']),
      signature: headerText(request.headers.signature),
    });
    const origin = originOf(request, input.origins);
    const policy = { now: input.time.now(), maxAgeSeconds: input.signatureMaxAgeSeconds };
    const hasBody = request.body !== undefined && request.body !== null;
    const { signer, nonceDigest, goodUntil } = verifySignature(partsOf(request, origin), message, policy, hasBody);
    if (hasBody) checkDigest(request);
    const session = await delegatedBy(request, message.covered, { signer, origin: origin.text, now: policy.now });
    if (session !== undefined) sessions.set(request, session);
    const use = await takeNonce(input.database, nonceDigest, goodUntil);
    if (use === 'taken') return session?.wallet ?? signer;
    if (use === 'expired') throw tooOld(input.signatureMaxAgeSeconds);
    throw new Problem('signature-replayed', 'A signed request is good once: sign each with a nonce of its own.');
  } catch (error) {
    if (error instanceof Problem && error.status === 401)
      reply.headers({ 'www-authenticate': 'Signature', 'accept-signature': ACCEPTED });
    throw error;
  }
}

async function delegatedBy(
  request: FastifyRequest,
  covered: readonly string[],
  at: { readonly signer: Address; readonly origin: string; readonly now: number },
): Promise<DelegatedSession | undefined> {
  const header = headerText(request.headers[DELEGATION_HEADER]);
  if (header === undefined) return undefined;
  if (!covered.includes(DELEGATION_HEADER))
    throw invalid(`The request's signature does not cover "${DELEGATION_HEADER}"`);
  if (request.routeOptions.config.session !== true) throw invalid('No session may do this: sign with the key itself');
  return verifyDelegation(header, at);
}

function partsOf(request: FastifyRequest, { scheme, authority }: Origin): RequestParts {
  return {
    method: request.method,
    scheme,
    host: authority,
    target: request.raw.url ?? '/',
    rawHeaders: request.raw.rawHeaders,
  };
}

/** Several lines of a header are one list. */
const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
