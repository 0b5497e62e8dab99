import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { DOCS_ASSETS } from './documents.ts';

/**
 * Headers that every answer has. Answers are data, so a browser may do nothing with them; the page of documents has rules of its
 * own. `Strict-Transport-Security` is for the proxy that ends TLS: this service speaks plain HTTP to it.
 */
export async function setHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    hsts: false,
    frameguard: { action: 'deny' },
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.routeOptions.url?.startsWith(DOCS_ASSETS) !== true) reply.header('cache-control', 'no-store');
  });
}
