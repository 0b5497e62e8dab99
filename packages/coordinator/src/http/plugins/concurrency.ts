import { finished } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problems.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { AdmissionQueue } from '../limits/admissionQueue.ts';
import type { ReceivingPlaces } from '../limits/receivingPlaces.ts';
import { routeTemplate } from '../routeTemplate.ts';
import type { LimitDecisions } from './limitDecisions.ts';

/** Milliseconds that a registration waits for a place: a few clients at once are no reason to refuse any. */
const WAIT_MS = 2_000;
/** Seconds after which one of those under way may be over. */
const RETRY_AFTER = 1;

/** Where registrations are received, and where they are worked on. */
export type RegistrationPlaces = { readonly receiving: ReceivingPlaces; readonly working: AdmissionQueue };

const uploads = new WeakMap<FastifyRequest, () => void>();

/**
 * Limits how many registrations are under way at a time; one more waits a moment for a place. A client has places of its own to send in,
 * so that slow ones keep nobody else waiting; a place to be worked on is taken once a body is here, and free again when the work has ended.
 */
export function limitConcurrency(
  app: FastifyInstance,
  { receiving, working }: RegistrationPlaces,
  decisions: LimitDecisions,
  metrics: Metrics,
): void {
  const decide = (request: FastifyRequest, reply: FastifyReply, isAllowed: boolean, detail: string) =>
    decisions.decide(metrics.concurrencyLimits, routeTemplate(request), isAllowed, () => {
      reply.header('retry-after', RETRY_AFTER);
      return new Problem('concurrency-limited', `${detail}; try again in a moment.`);
    });
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.limit !== 'registration') return;
    const leave = await receiving.wait(request.client, WAIT_MS);
    if (leave === undefined) return decide(request, reply, false, 'Too many registrations are being received');
    uploads.set(request, leave);
    finished(reply.raw, leave);
  });
  app.addHook('onRoute', (route) => {
    if (route.config?.limit !== 'registration') return;
    const { handler } = route;
    route.handler = async function (request, reply) {
      uploads.get(request)?.();
      const leave = await working.wait(WAIT_MS);
      decide(request, reply, leave !== undefined, `${working.limit} registrations are under way`);
      const leaveInAnyCase = leave ?? working.take();
      try {
        return await handler.call(this, request, reply);
      } finally {
        leaveInAnyCase();
      }
    };
  });
}
