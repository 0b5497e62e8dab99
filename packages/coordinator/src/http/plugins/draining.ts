import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problems.ts';

/** Refuses new requests once the service is about to stop; those under way finish. Health and metrics are answered to the end. */
export function refuseWhileDraining(app: FastifyInstance, draining: AbortSignal): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!isClosing && !draining.aborted) return;
    reply.header('connection', 'close');
    if (request.routeOptions.config.limit === 'none') return;
    throw new Problem('service-stopping', 'The service is stopping; another instance or the next start answers.');
  });
}
