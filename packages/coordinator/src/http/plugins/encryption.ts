import type { FastifyInstance } from 'fastify';
import { CompactEncrypt } from 'jose';
import { sessionOf } from '../signatures/signer.ts';
import { isPrivateAnswer } from './filling.ts';

/** The media type of an encrypted answer (RFC 7515, 9.2.1). */
export const JOSE = 'application/jose';

/**
 * Encrypts private answers to the session that asked, if it has a key for them: a compact JWE (RFC 7516), so that nobody between here and
 * the page reads them, whoever ends TLS. After they are filled: how long they are tells no more than before.
 */
export function encryptPrivateAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const key = sessionOf(request)?.answerKey;
    if (key === undefined || typeof payload !== 'string' || !isPrivateAnswer(request, reply)) return payload;
    const encrypt = new CompactEncrypt(new TextEncoder().encode(payload));
    encrypt.setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', cty: 'json' });
    reply.type(JOSE);
    return encrypt.encrypt(key);
  });
}
