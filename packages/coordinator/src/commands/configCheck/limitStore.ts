import type { Time } from '@payouts/client';
import { Redis } from 'ioredis';
import type { Settings } from '../../config/specs.ts';
import { type CheckResult, checkWithin, passed, warned } from './checkResult.ts';

const CONNECT_MS = 3_000;

/** Whether the limiter's store answers. The service starts without it, so nothing here keeps it from starting. */
export async function checkLimitStore({ rateLimitStoreUrl }: Settings, time: Time): Promise<CheckResult[]> {
  if (rateLimitStoreUrl === undefined) return [passed('rate limits: counted in this process alone')];
  const check = async () => {
    const store = new Redis(rateLimitStoreUrl, {
      lazyConnect: true,
      connectTimeout: CONNECT_MS,
      commandTimeout: CONNECT_MS,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    store.on('error', () => {});
    try {
      await store.connect();
      await store.ping();
      return [passed('rate limits: their store answers')];
    } finally {
      store.disconnect();
    }
  };
  const found = await checkWithin(
    time,
    check,
    () => "rate limits: RATE_LIMIT_STORE_URL can't be used: check address and password, and that it is running",
  );
  return found.map((finding) =>
    finding.mark === '✖' ? warned(`${finding.text}; until then each process counts alone`) : finding,
  );
}
