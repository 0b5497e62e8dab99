import type { FastifyInstance } from 'fastify';
import { clientKey } from '../limits/client.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is, as limits count it. */
    client: string;
  }
}

/** Notes whose each request is, before anything waits: of a connection that is gone nothing tells any more. Such a request is let go. */
export function nameClients(app: FastifyInstance): void {
  app.decorateRequest('client', '');
  app.addHook('onRequest', (request, reply, done) => {
    if (request.socket.remoteAddress === undefined) {
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    request.client = clientKey(request.ip);
    done();
  });
}
