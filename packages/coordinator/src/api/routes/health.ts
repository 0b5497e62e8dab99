import type { Kysely } from 'kysely';
import { countSchedules } from '../../store/queries/schedules.ts';
import type { Tables } from '../../store/schema.ts';
import { HealthView } from '../schemas.ts';
import type { Api } from '../server.ts';

/** Milliseconds for the database's answer: health never hangs. */
const WITHIN_MS = 2_000;

/** GET /api/health */
export function healthRoute(app: Api, database: Kysely<Tables>): void {
  // While the database is gone, the last known number is better than none.
  let schedulesRegistered = 0;
  const schema = { summary: 'Whether the service can work', response: { 200: HealthView, 503: HealthView } };
  app.get('/api/health', { schema }, async (_, reply) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The database does not answer.')), WITHIN_MS);
    });
    try {
      schedulesRegistered = await Promise.race([countSchedules(database), late]);
      return { status: 'healthy', database: 'connected', timestamp: Date.now(), schedulesRegistered } as const;
    } catch {
      reply.status(503);
      return { status: 'unhealthy', database: 'disconnected', timestamp: Date.now(), schedulesRegistered } as const;
    } finally {
      clearTimeout(timer);
    }
  });
}
