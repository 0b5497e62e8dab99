import { createHash, timingSafeEqual } from 'node:crypto';
import { Problem } from '../../domain/problems.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { problems, text } from '../answers.ts';
import type { Api } from '../httpServer.ts';

/** Who may read the metrics: everybody, or who has the token; with neither, nobody. */
export type MetricsAccess = { readonly token: string | undefined; readonly isPublic: boolean };

const BEARER = /^Bearer +(\S+) *$/i;

const schema = {
  operationId: 'readMetrics',
  tags: ['operation'],
  summary: 'Metrics of this process, for Prometheus',
  description: 'Open if METRICS_PUBLIC is true, else to whoever sends the token of METRICS_AUTH_TOKEN.',
  security: [{ metricsToken: [] }, {}],
  response: {
    ...problems('invalid-query', 'metrics-forbidden'),
    200: text("Prometheus' text format", 'text/plain', 'service_database_up 1\n'),
  },
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether a header carries the token. Digests are compared, so that the time says nothing of either text, nor of its length. */
function carries(authorization: string | undefined, token: string): boolean {
  const given = BEARER.exec(authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** GET /api/metrics */
export function metricsRoute(app: Api, metrics: Metrics, { token, isPublic }: MetricsAccess): void {
  app.get('/api/metrics', { schema, config: { limit: 'none' } }, async (request, reply) => {
    const isAllowed =
      isPublic || (token !== undefined && token !== '' && carries(request.headers.authorization, token));
    if (!isAllowed) {
      const remedy = 'Send the token of METRICS_AUTH_TOKEN as `Authorization: Bearer …`.';
      throw new Problem('metrics-forbidden', remedy);
    }
    reply.type(metrics.registry.contentType);
    return metrics.scrape();
  });
}
