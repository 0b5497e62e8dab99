import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { parseDictionary } from 'structured-headers';
import type { Api } from '../httpServer.ts';
import { invalid } from './message.ts';

const digests = new WeakMap<FastifyRequest, Uint8Array>();

/** Has the bodies of the routes that follow in this scope be hashed as they arrive, so that their signatures can cover them. */
export function hashBodies(app: Api): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    digests.set(request, createHash('sha256').update(body).digest());
    return parse(request, body as string, done);
  });
}

/** Throws `signature-invalid` unless the request's Content-Digest (RFC 9530) has the SHA-256 of its body. */
export function checkDigest(request: FastifyRequest): void {
  const header = request.headers['content-digest'];
  const body = digests.get(request);
  let sent: unknown;
  try {
    [sent] = parseDictionary(String(header)).get('sha-256') ?? [];
  } catch {
    // Said below.
  }
  const isRight = sent instanceof ArrayBuffer && body !== undefined && Buffer.compare(new Uint8Array(sent), body) === 0;
  if (!isRight) throw invalid("Content-Digest does not have the body's sha-256");
}
