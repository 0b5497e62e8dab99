import type { Time } from '@payouts/client';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { LIMIT_OUTCOMES } from '../../platform/metrics/http.ts';
import { type Metrics, secondsSince } from '../../platform/metrics.ts';
import { routeTemplate, UNMATCHED } from '../routeTemplate.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);
/** Answers whose first time must be seen as an increase. */
const COUNTED_FROM_THE_START = ['200', '500', '503'];

const methodOf = ({ method }: FastifyRequest): string => (METHODS.has(method) ? method : 'OTHER');

/** What requests are counted with. */
export type Counting = { readonly metrics: Metrics; readonly time: Time };

/** Counts every request and its time under its route's template. Before the routes are added. */
export function countRequests(app: FastifyInstance, counting: Counting): void {
  app.addHook('onRoute', (route) => countFromTheStart(route, counting.metrics));
  app.addHook('onRequest', async (request, reply) => countRequest(counting, request, reply));
}

/** Counts a request when it is over. */
export function countRequest({ metrics, time }: Counting, request: FastifyRequest, reply: FastifyReply): void {
  const began = time.monotonic();
  let isCounted = false;
  const count = (status: string) => {
    if (isCounted) return;
    isCounted = true;
    const labels = { method: methodOf(request), route: routeTemplate(request) };
    metrics.requests.inc({ ...labels, status });
    metrics.requestSeconds.observe(labels, secondsSince(time, began));
  };
  reply.raw.once('finish', () => count(String(reply.raw.statusCode)));
  // Without having finished: the client has gone.
  reply.raw.once('close', () => count('aborted'));
}

/** Counts what was no request, so that it has neither method nor route. */
export function countUnreadable(metrics: Metrics, status: number): void {
  metrics.requests.inc({ method: 'OTHER', route: UNMATCHED, status: String(status) });
}

function countFromTheStart({ url, method, config }: RouteOptions, metrics: Metrics): void {
  const limit = config?.limit ?? 'read';
  for (const each of [method].flat()) {
    metrics.requestSeconds.zero({ method: each, route: url });
    for (const status of COUNTED_FROM_THE_START) metrics.requests.inc({ method: each, route: url, status }, 0);
  }
  if (limit === 'none') return;
  for (const outcome of LIMIT_OUTCOMES) metrics.rateLimits.inc({ route: url, outcome }, 0);
  if (limit !== 'registration') return;
  for (const outcome of ['allowed', 'limited', 'would-limit']) {
    metrics.concurrencyLimits.inc({ route: url, outcome }, 0);
  }
}
