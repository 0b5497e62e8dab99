import { systemTime } from '@payouts/client';
import { startValkey, type Valkey } from '@payouts/testing/services';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Limited, limitedServer, until } from '../../packages/coordinator/test/support/limited.ts';

const RATE = 'service_api_rate_limit_decisions_total';
const BACKEND = 'service_api_rate_limit_backend_events_total';

/** What requests were answered that are sent at once, in the order of the numbers: any of them may be the first. */
const statuses = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map((one) => one.status).sort();
/** What a busy machine may take for an answer of the store; a service waits for it 200 ms. */
const PATIENT = { rateLimitAnswerMs: 10_000 };
const times = (count: number, send: () => Promise<Response>) => Array.from({ length: count }, send);

describe('a shared store', () => {
  let valkey: Valkey;
  beforeAll(async () => {
    valkey = await startValkey(systemTime);
  });

  /** Servers on the store, which this waits for; they share no counters with those of other tests. */
  async function sharing(
    input: Parameters<typeof limitedServer>[0] = {},
    count = 1,
    patience: typeof input = PATIENT,
  ): Promise<Limited[]> {
    const servers = await Promise.all(
      Array.from({ length: count }, () => limitedServer({ rateLimitStoreUrl: valkey.url, ...patience, ...input })),
    );
    for (const server of servers) await until(async () => (await server.counted(BACKEND, { event: 'connected' })) > 0);
    return servers;
  }
  /** Empties the counters by a restart. */
  async function restart(): Promise<void> {
    await valkey.stop();
    await valkey.start();
  }

  it('limits two processes as one', async () => {
    await restart();
    const [one, other] = (await sharing({ registrationsPerMinute: 4 }, 2)) as [Limited, Limited];
    expect(await statuses([one.register(), other.register(), one.register(), other.register()])).toEqual(
      Array(4).fill(200),
    );
    expect((await one.register()).status).toBe(429);
    expect((await other.register()).status).toBe(429);
  });

  it('keeps no address of a client', async () => {
    await restart();
    const [server] = (await sharing()) as [Limited];
    await server.register();
    const { Redis } = await import('ioredis');
    const client = new Redis(valkey.url);
    const keys = await client.keys('*');
    client.disconnect();
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toContain('127.0.0.1');
  });

  it('stopped: registrations are limited by memory, reads are answered; started again: limits are shared again', async () => {
    await restart();
    const [one, other] = (await sharing({ registrationsPerMinute: 4, readsPerMinute: 2 }, 2)) as [Limited, Limited];
    await valkey.stop();
    await until(async () => (await one.counted(BACKEND, { event: 'disconnected' })) === 1);

    expect(await statuses(times(6, () => one.register()))).toEqual([200, 200, 200, 200, 429, 429]);
    expect(await one.counted(BACKEND, { event: 'memory-fallback' })).toBe(6);
    const reads = await Promise.all(times(6, () => one.read()));
    expect(reads.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(reads[0]?.headers.has('ratelimit-limit')).toBe(false);
    expect(await one.counted(RATE, { route: '/read', outcome: 'open' })).toBe(6);

    await valkey.start();
    for (const server of [one, other]) {
      await until(async () => (await server.counted(BACKEND, { event: 'recovered' })) === 1);
    }
    expect(await statuses([one.register(), one.register(), other.register(), other.register()])).toEqual(
      Array(4).fill(200),
    );
    expect((await one.register()).status).toBe(429);
    expect((await other.register()).status).toBe(429);
    expect(await one.counted(BACKEND, { event: 'memory-fallback' })).toBe(6);
    expect(one.logged().split('"event":"disconnected"')).toHaveLength(2);
    expect(one.logged().split('"event":"recovered"')).toHaveLength(2);
  });

  it('that takes no writes, as after a failover: the same, until it does', async () => {
    await restart();
    const [server] = (await sharing({ registrationsPerMinute: 2, readsPerMinute: 2 })) as [Limited];
    const { Redis } = await import('ioredis');
    const client = new Redis(valkey.url);
    await client.replicaof('127.0.0.1', 9);
    expect(await statuses(times(4, () => server.register()))).toEqual([200, 200, 429, 429]);
    expect(await statuses(times(4, () => server.read()))).toEqual(Array(4).fill(200));
    expect(await server.counted(BACKEND, { event: 'memory-fallback' })).toBe(4);
    expect(await server.counted(RATE, { route: '/read', outcome: 'open' })).toBe(4);
    await client.replicaof('NO', 'ONE');
    client.disconnect();
    expect(await statuses(times(3, () => server.read()))).toEqual([200, 200, 429]);
  });

  it('frozen: no answer takes long, and it comes back when it thaws', async () => {
    await restart();
    const [server] = (await sharing({ registrationsPerMinute: 1_000_000, readsPerMinute: 1_000_000 }, 1, {})) as [
      Limited,
    ];
    await server.register();
    valkey.freeze();
    const took: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const began = performance.now();
      expect(await statuses([server.register(), server.read(), server.register()])).toEqual([200, 200, 200]);
      took.push(performance.now() - began);
    }
    // The store is waited for 200 ms. A machine may stand still for seconds in one round.
    took.sort((one, other) => one - other);
    expect(took[took.length / 2]).toBeLessThan(500);
    expect(took.at(-2)).toBeLessThan(5_000);
    expect(await server.counted(BACKEND, { event: 'memory-fallback' })).toBeGreaterThan(0);
    expect(await server.counted(RATE, { route: '/read', outcome: 'open' })).toBeGreaterThan(0);
    valkey.thaw();
    const fallbacks = () => server.counted(BACKEND, { event: 'memory-fallback' });
    await until(async () => {
      const before = await fallbacks();
      expect((await server.register()).status).toBe(200);
      return (await fallbacks()) === before;
    });
    expect(await server.counted(BACKEND, { event: 'recovered' })).toBeGreaterThan(0);
  });

  it('unreachable at the start: limits by memory at once, and shares when the store is there', async () => {
    await restart();
    await valkey.stop();
    const server = await limitedServer({ rateLimitStoreUrl: valkey.url, ...PATIENT });
    expect(await statuses(times(4, () => server.register()))).toEqual([200, 200, 200, 429]);
    await until(() => server.logged().includes('"event":"disconnected"'));
    await valkey.start();
    await until(async () => (await server.counted(BACKEND, { event: 'recovered' })) === 1);
    expect(await statuses(times(4, () => server.register()))).toEqual([200, 200, 200, 429]);
  });
});
