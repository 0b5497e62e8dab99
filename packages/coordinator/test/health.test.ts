import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { manualTime } from '@payouts/testing/manualTime';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealthProbe } from '../src/http/healthProbe.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import type { Tables } from '../src/store/schema.ts';
import { type TestApi, testApi, useApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { registerMany } from './support/manySchedules.ts';
import { randomAddress } from './support/promised.ts';
import { usePostgres } from './support/servers.ts';
import { useStore } from './support/stores.ts';

/** Milliseconds in which health answers, whatever the database does. */
const HEALTH_WITHIN = 2_000;
/** Milliseconds in which everything else answers: a connection, then a query. */
const READ_WITHIN = 5_000;
/** More than an answer is good for. */
const STALE = 600;

describe('GET /api/health', () => {
  const store = useStore();
  const time = manualTime();
  const ledger = useLedger();
  const service = useApi(store, { ledger, time });

  it('is 200 and says how many schedules are registered', async () => {
    const before = time.now();
    const answer = await service.api.inject('/api/health');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    const schedulesRegistered = 0;
    expect(answer.json()).toEqual({
      status: 'healthy',
      database: 'connected',
      timestamp: before,
      schedulesRegistered,
      silent: [],
    });

    await registerMany(store.query, { count: 3, due: 0, now: 1_700_000_000 });
    await time.advance(STALE);
    expect((await service.api.inject('/api/health')).json()).toMatchObject({ schedulesRegistered: 3 });
  });

  it('asks the database once for however many ask at a time', async () => {
    let asked = 0;
    const counted = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: store.database.pool }),
      log: () => {
        asked += 1;
      },
    });
    const probe = new HealthProbe(counted, time);
    const answers = await Promise.all(Array.from({ length: 200 }, () => probe.check()));
    expect(answers.every(({ isConnected }) => isConnected)).toBe(true);
    expect(asked).toBe(1);
    await probe.check();
    expect(asked).toBe(1);
    await time.advance(STALE);
    await probe.check();
    expect(asked).toBe(2);
  });

  it('counts 100,000 schedules right', async () => {
    await store.query.deleteFrom('schedules').execute();
    await registerMany(store.query, { count: 100_000, due: 0, now: 1_700_000_000 });
    await time.advance(STALE);
    expect((await service.api.inject('/api/health')).json()).toMatchObject({ schedulesRegistered: 100_000 });
  });
});

describe('PostgreSQL gone', () => {
  const postgres = usePostgres();
  let database: Database;
  const ledger = useLedger();
  let service: TestApi;
  beforeAll(async () => {
    database = await openDatabase({
      databaseUrl: await postgres.createDatabase(),
      dataDir: 'unused',
      onError: () => {},
    });
    await migrate(database.query);
    service = await testApi(database, ledger.url);
    await registerMany(database.query, { count: 7, due: 0, now: 1_700_000_000 });
  });
  afterAll(async () => {
    await service.api.close();
    await database.close();
  });

  /** How long this very process stood still at most, for whatever else the machine does: that is not the service's answer. */
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const standstill = () => delay.max / 1e6;

  async function timed(url: string) {
    const began = performance.now();
    const { statusCode: status, headers, body } = await service.api.inject(url);
    return { status, headers, body: JSON.parse(body) as Record<string, unknown>, after: performance.now() - began };
  }

  /** Asks for health all the time; returns how long it took to be as wanted. */
  async function becomes(status: number): Promise<number> {
    const began = performance.now();
    for (;;) {
      const health = await timed('/api/health');
      expect(health.after).toBeLessThan(HEALTH_WITHIN + standstill());
      if (health.status === status) return performance.now() - began;
      if (performance.now() - began > 20_000) throw new Error(`Health did not become ${status}.`);
      await sleep(20);
    }
  }

  async function expectUnavailable(): Promise<void> {
    const asked = Array.from({ length: 30 }, (_, place) =>
      timed(`/api/schedules/${randomAddress()}${place % 2 === 0 ? '' : '/executions'}`),
    );
    for (const { status, headers, body, after } of await Promise.all(asked)) {
      expect(status).toBe(503);
      expect(body).toMatchObject({ code: 'database-unavailable' });
      expect(headers['content-type']).toContain('application/problem+json');
      expect(headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
      expect(after).toBeLessThan(READ_WITHIN + standstill());
    }
  }

  it.each([
    ['stopped', () => postgres.stop('fast'), () => postgres.start()],
    ['crashed', () => postgres.stop('immediate'), () => postgres.start()],
    ['frozen', async () => postgres.freeze(), async () => postgres.thaw()],
  ])('%s: health is 503 within two seconds, nothing hangs, and it comes back by itself', async (_, gone, back) => {
    await becomes(200);
    await Promise.all(Array.from({ length: 30 }, () => timed(`/api/schedules/${randomAddress()}`)));
    await gone();
    try {
      expect(await becomes(503)).toBeLessThan(HEALTH_WITHIN + standstill());
      const { body } = await timed('/api/health');
      expect(body).toMatchObject({ status: 'unhealthy', database: 'disconnected', schedulesRegistered: 7 });
      await expectUnavailable();
      expect((await timed('/api/health')).status).toBe(503);
    } finally {
      await back();
    }
    await becomes(200);
    expect((await timed('/api/health')).body).toMatchObject({ schedulesRegistered: 7 });
    expect((await timed(`/api/schedules/${randomAddress()}`)).status).toBe(404);
  });
});
