import type { FastifyInstance } from 'fastify';
import { CompactEncrypt, type CryptoKey } from 'jose';
import { sessionOf } from '../signatures/signer.ts';
import { isPrivateAnswer } from './filling.ts';

/** The media type of an encrypted answer (RFC 7515, 9.2.1). */
export const JOSE = 'application/jose';
/** The media type of lines of which each is a compact JWE: of what is too long to be encrypted at once. */
export const JOSE_LINES = 'application/x-jose-lines';

/**
 * Encrypts private answers to the session that asked, if it has a key for them: a compact JWE (RFC 7516), so that nobody between here and
 * the page reads them, whoever ends TLS. After they are filled: how long they are tells no more than before.
 */
export function encryptPrivateAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const key = sessionOf(request)?.answerKey;
    if (key === undefined || typeof payload !== 'string' || !isPrivateAnswer(request, reply)) return payload;
    reply.type(JOSE);
    return sealedFor(key, payload, 'json');
  });
}

/** A text that only whoever has a session's key can read: a compact JWE (RFC 7516); `content` is its media type, without "application/". */
export const sealedFor = (key: CryptoKey, text: string, content: string): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', cty: content })
    .encrypt(key);
