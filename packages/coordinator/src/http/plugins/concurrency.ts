import { finished } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problems.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { AdmissionQueue } from '../limits/admissionQueue.ts';
import { routeTemplate } from '../routeTemplate.ts';
import type { LimitDecisions } from './limitDecisions.ts';

/** Milliseconds that a registration waits for a place, its body unread: a few clients at once are no reason to refuse any. */
const WAIT_MS = 2_000;
/** Seconds after which one of those under way may be over. */
const RETRY_AFTER = 1;

declare module 'fastify' {
  interface FastifyRequest {
    /** The place that a registration has among those under way. */
    place: { isWorking: boolean; readonly leave: () => void } | undefined;
  }
}

/**
 * Limits how many registrations are under way at a time; one more waits a moment for a place. A place is free again when its answer is finished or its client has gone,
 * but never before the work for it has ended.
 */
export function limitConcurrency(
  app: FastifyInstance,
  slots: AdmissionQueue,
  decisions: LimitDecisions,
  metrics: Metrics,
): void {
  app.decorateRequest('place', undefined);
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.limit !== 'registration') return;
    const leave = await slots.wait(WAIT_MS);
    decisions.decide(metrics.concurrencyLimits, routeTemplate(request), leave !== undefined, () => {
      reply.header('retry-after', RETRY_AFTER);
      return new Problem('concurrency-limited', `${slots.limit} registrations are under way; try again in a moment.`);
    });
    const place = { isWorking: false, leave: leave ?? slots.take() };
    request.place = place;
    finished(reply.raw, () => {
      if (!place.isWorking) place.leave();
    });
  });
  app.addHook('onRoute', (route) => {
    if (route.config?.limit !== 'registration') return;
    const { handler } = route;
    route.handler = async function (request, reply) {
      const { place } = request;
      if (place === undefined) return handler.call(this, request, reply);
      place.isWorking = true;
      try {
        return await handler.call(this, request, reply);
      } finally {
        place.isWorking = false;
        if (reply.raw.destroyed) place.leave();
      }
    };
  });
}
