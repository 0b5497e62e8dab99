import { systemTime } from '@payouts/client';
import Fastify, { type FastifyInstance } from 'fastify';
import { onTestFinished, vi } from 'vitest';
import { answerErrors } from '../../src/http/errors.ts';
import { createLimits, type LimitsInput } from '../../src/http/limits/limits.ts';
import { limitRequests } from '../../src/http/plugins/limits.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { countOf } from './counted.ts';
import { deferred } from './deferred.ts';
import { keptLog } from './log.ts';

const DEFAULTS = {
  registrationsPerMinute: 3,
  registrationsAtATime: 100,
  readsPerMinute: 5,
  rateLimitStoreUrl: undefined,
  rateLimitDryRun: false,
};

/** A server whose routes are limited as the API's are, and do nothing else. */
export type Limited = Awaited<ReturnType<typeof limitedServer>>;

/** Starts one; it ends with the test. Registrations take until `goOn` if `isWaiting`. */
export async function limitedServer(
  input: Partial<LimitsInput> = {},
  { isWaiting = false, trustedProxies = [] as string[] } = {},
) {
  const metrics = createMetrics();
  const { log, logged } = keptLog();
  const app: FastifyInstance = Fastify({ trustProxy: trustedProxies.length > 0 && trustedProxies });
  answerErrors(app, log);
  const limits = createLimits({ ...DEFAULTS, ...input }, { log, metrics, time: systemTime });
  limitRequests(app, { limits, log, metrics, time: systemTime });
  const gate = deferred();
  if (!isWaiting) gate.resolve();
  await app.register(async (scope) => {
    scope.post('/register', { config: { limit: 'registration' } }, async () => {
      await gate.promise;
      return { done: true };
    });
    scope.get('/read', async () => ({ done: true }));
    scope.get('/free', { config: { limit: 'none' } }, async () => ({ done: true }));
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    gate.resolve();
    await app.close();
  });
  return {
    url,
    register: (headers: Record<string, string> = {}) =>
      fetch(`${url}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      }),
    read: () => fetch(`${url}/read`),
    counted: (name: string, labels: Readonly<Record<string, string>>) => countOf(metrics, name, labels),
    logged,
    /** Lets registrations that wait go on. */
    goOn: gate.resolve,
  };
}

/** Waits until something holds. Throws after `withinMs`. */
export const until = (holds: () => boolean | Promise<boolean>, withinMs = 60_000) =>
  vi.waitUntil(holds, { timeout: withinMs, interval: 20 });
