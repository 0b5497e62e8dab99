import type { Time } from '@payouts/client';
import type { Silences } from '../../ledger/silence.ts';
import { json, problems } from '../answers.ts';
import type { HealthProbe } from '../healthProbe.ts';
import type { Api } from '../httpServer.ts';
import { HealthView } from '../schemas.ts';

const EXAMPLE = { timestamp: 1_795_276_766_253, schedulesRegistered: 42, silent: [] };

const LEDGERS = ['base', 'layer'] as const;

const schema = {
  operationId: 'readHealth',
  tags: ['operation'],
  summary: 'Whether the service can work',
  description: 'Answers within two seconds. For load balancers: take requests elsewhere while this is not 200.',
  response: {
    ...problems('invalid-query'),
    200: json('It can', HealthView, { status: 'healthy', database: 'connected', ...EXAMPLE }),
    503: json('The database is gone, or the service is stopping', HealthView, {
      status: 'unhealthy',
      database: 'disconnected',
      ...EXAMPLE,
    }),
  },
};

export type HealthInput = {
  readonly probe: HealthProbe;
  readonly silences: Silences;
  readonly time: Pick<Time, 'now'>;
  readonly draining: AbortSignal;
};

/** GET /api/health. `draining` is aborted when the service is about to stop. */
export function healthRoute(app: Api, { probe, silences, time, draining }: HealthInput): void {
  app.get('/api/health', { schema, config: { limit: 'none' } }, async (_, reply) => {
    const { isConnected, schedulesRegistered } = await probe.check();
    const isHealthy = isConnected && !draining.aborted;
    reply.status(isHealthy ? 200 : 503);
    return {
      status: isHealthy ? ('healthy' as const) : ('unhealthy' as const),
      database: isConnected ? ('connected' as const) : ('disconnected' as const),
      timestamp: time.now(),
      schedulesRegistered,
      silent: LEDGERS.filter((ledger) => silences[ledger].isSilent),
    };
  });
}
