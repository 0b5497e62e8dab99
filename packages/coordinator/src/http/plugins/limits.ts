import type { Time } from '@payouts/client';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problems.ts';
import type { Logger } from '../../platform/log/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Limits } from '../limits/limits.ts';
import type { RateLimit, Verdict } from '../limits/rateLimit.ts';
import { routeTemplate } from '../routeTemplate.ts';
import { nameClients } from './client.ts';
import { limitConcurrency } from './concurrency.ts';
import { LimitDecisions } from './limitDecisions.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which limit holds for a route; one that says nothing is limited as a read. */
    limit?: 'registration' | 'read' | 'private' | 'none';
  }
}

export type LimitsPlugin = {
  readonly limits: Limits;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly time: Time;
};

/** Limits requests as their routes say, before anything of a body is read. */
export function limitRequests(app: FastifyInstance, { limits, log, metrics, time }: LimitsPlugin): void {
  const decisions = new LimitDecisions(limits.isDryRun, { log, time });

  async function limitRate(limit: RateLimit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const route = routeTemplate(request);
    const verdict = await limit.count(request.client);
    if (verdict === undefined) {
      metrics.rateLimits.inc({ route, outcome: 'open' });
      return;
    }
    reply.headers(rateHeaders(limit, verdict));
    decisions.decide(metrics.rateLimits, route, verdict.isAllowed, () => {
      const seconds = wholeSeconds(verdict.resetMs);
      reply.header('retry-after', seconds);
      return new Problem('rate-limited', `Try again in ${seconds} s.`);
    });
  }

  nameClients(app);
  app.addHook('onRequest', async (request, reply) => {
    const kind = request.routeOptions.config.limit ?? 'read';
    if (kind !== 'none') await limitRate(kind === 'registration' ? limits.registrations : limits.reads, request, reply);
  });
  limitConcurrency(app, limits.registrationPlaces, decisions, metrics);
  app.addHook('onClose', async () => limits.close());
}

const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1_000));

function rateHeaders({ rate }: RateLimit, { remaining, resetMs }: Verdict): Record<string, string | number> {
  return {
    'ratelimit-policy': `${rate.points};w=${rate.seconds}`,
    'ratelimit-limit': rate.points,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': wholeSeconds(resetMs),
  };
}
