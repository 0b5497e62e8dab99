import { randomBytes } from 'node:crypto';
import { addressFromBytes } from '@payouts/client';
import { type Kysely, sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { createRuns } from '../src/store/queries/runs.ts';
import type { Tables } from '../src/store/schema.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { type TestApi, testApi } from './support/api.ts';
import { putRun } from './support/runs.ts';
import { useStore } from './support/stores.ts';

/** In the future of every due time below. */
const NOW = 1_800_000_000;

async function vaultOf(database: Kysely<Tables>, address: string): Promise<void> {
  const funds = { decimals: 6, symbol: 'USDC', reserved: '18', available: '4' };
  await database
    .insertInto('vaults')
    .values({ address, mint: address, ...funds, seen_slot: 1, seen_at: 1 })
    .execute();
}

describe('what the dashboard reads', () => {
  const store = useStore();
  let service: TestApi;
  /** Each test has schedules and counts of its own. */
  const restart = async (isPublic = true) => {
    await service?.api.close();
    await sql`delete from schedules`.execute(store.query);
    const dashboard = { isPublic, ledgerNow: () => BigInt(NOW) };
    service = await testApi(store.database, 'http://127.0.0.1:1', { dashboard });
  };
  afterAll(() => service?.api.close());

  it('GET /api/overview', async () => {
    await restart();
    const late = await addSchedule(store.query, { due: BigInt(NOW - 5) });
    const next = await addSchedule(store.query, { due: BigInt(NOW + 5), window: 2 });
    await addSchedule(store.query, { status: 'paused' });
    await addSchedule(store.query, { status: 'cancelled' });
    await addSchedule(store.query, { status: 'awaiting' });
    const begun = await addSchedule(store.query, { due: BigInt(NOW - 9), phase: 'open' });
    await putRun(store.query, { schedule: begun, window: 0, state: 'running' });
    const list = { recipients: 3, registered_at: 1, key_id: 'k' };
    await store.query
      .insertInto('recipient_lists')
      .values({ schedule: late, root: '00', wrapped_key: Buffer.alloc(1), ...list })
      .execute();
    for (const address of [late, next]) await vaultOf(store.query, address);
    const forecast = { covered_windows: 2, short_amount: '5', short_at: NOW + 86_400 };
    await changeSchedule(store.query, next, forecast);
    const sooner = { covered_windows: 0, short_amount: '9', short_at: NOW - 5 };
    await changeSchedule(store.query, late, sooner);

    const { body } = await service.get('/api/overview');
    expect(body).toMatchObject({
      ledgerNow: NOW * 1_000,
      schedules: { registered: 6, active: 3, paused: 1, completed: 0, cancelled: 1, awaiting: 1, listMissing: 3 },
      runs: { running: 1 },
      overdue: 1,
    });
    expect(body.nextDue).toEqual([
      expect.objectContaining({
        schedulePda: late,
        dueAt: (NOW - 5) * 1_000,
        isCovered: false,
        symbol: 'USDC',
        decimals: 6,
      }),
      expect.objectContaining({
        schedulePda: next,
        dueAt: (NOW + 5) * 1_000,
        isCovered: true,
        window: '2',
        recipients: 3,
      }),
    ]);
    expect(body.funding).toEqual([
      expect.objectContaining({
        schedulePda: late,
        windowsCovered: 0,
        shortfall: { amount: '9', dueAt: (NOW - 5) * 1_000, isPromised: true },
        available: '4',
        reserved: '45',
        sentence: 'covers no more windows; short of 0.000009 USDC now',
      }),
      expect.objectContaining({
        schedulePda: next,
        windowsCovered: 2,
        shortfall: { amount: '5', dueAt: (NOW + 86_400) * 1_000, isPromised: true },
      }),
    ]);
  });

  it('GET /api/series', async () => {
    await restart();
    const schedule = await addSchedule(store.query, {});
    const now = Date.now();
    const minute = Math.floor(now / 60_000) * 60_000 - 120_000;
    for (const [window, took] of [10, 20, 30].entries()) {
      const due = minute / 1_000 - took;
      await putRun(store.query, { schedule, window, state: 'settled', due, finished: minute, paid: 3 });
    }
    const due = minute / 1_000;
    // Not known when it was due, and too long ago.
    await putRun(store.query, { schedule, window: 3, state: 'settled', due: null, finished: minute, paid: 2 });
    await putRun(store.query, { schedule, window: 4, state: 'settled', due, finished: minute - 3_600_000, paid: 3 });
    const run = await putRun(store.query, { schedule, window: 5, state: 'exhausted', due, code: 'claims-refused' });
    const tries = [
      ['retried', 'claims-refused'],
      ['failed', 'claims-refused'],
      ['failed', 'money-rule-broken'],
      ['held', 'funding-short'],
      ['held', 'funding-short'],
      ['retried', 'batch-not-back'],
    ] as const;
    for (const [number, [outcome, code]] of tries.entries()) {
      const at = { started_at: minute, ended_at: minute + 1 };
      await store.query
        .insertInto('execution_attempts')
        .values({ run_id: run, stage: 'claim', number, outcome, error_code: code, ...at })
        .execute();
    }
    const { body } = await service.get('/api/series?range=1h');
    expect(body.buckets).toHaveLength(60);
    expect(body.to - body.from).toBe(3_600_000);
    expect(body.buckets.find(({ at }: { at: number }) => at === minute)).toEqual({
      at: minute,
      settled: 4,
      claims: 11,
      p50Ms: 20_000,
      p95Ms: 29_000,
      exhausted: 1,
      failed: 1,
      held: 1,
      errors: { 'claims-refused': 2, 'money-rule-broken': 1, 'funding-short': 2 },
    });
    const others = body.buckets.filter(({ at }: { at: number }) => at !== minute);
    for (const bucket of others) expect(bucket).toMatchObject({ settled: 0, claims: 0, p50Ms: null, errors: {} });
    expect((await service.get('/api/series')).body.buckets).toHaveLength(96);
    expect((await service.get('/api/series?range=7d')).body.buckets).toHaveLength(84);
  });

  it('GET /api/runs', async () => {
    await restart();
    const [one, other] = [await addSchedule(store.query, {}), await addSchedule(store.query, {})];
    await vaultOf(store.query, one);
    for (let window = 0; window < 5; window++) {
      await putRun(store.query, { schedule: one, window, state: 'settled', due: NOW + window, finished: 9_000 });
      await putRun(store.query, { schedule: other, window, state: window < 2 ? 'held' : 'cancelled', ...over(window) });
    }
    const namesOf = ({ body }: { body: { runs: { schedulePda: string; window: string }[] } }) =>
      body.runs.map(({ schedulePda, window }) => `${schedulePda === one ? 'one' : 'other'} ${window}`);
    const first = await service.get('/api/runs?limit=3');
    expect(namesOf(first)).toEqual(['other 4', 'one 4', 'other 3']);
    expect(first.body.counts).toEqual({ settled: 5, held: 2, cancelled: 3 });
    expect(first.body.runs[1]).toMatchObject({
      symbol: 'USDC',
      decimals: 6,
      state: 'settled',
      dueAt: (NOW + 4) * 1_000,
    });
    expect(first.body.runs[1]).not.toHaveProperty('attempts');
    expect(namesOf(await service.get(`/api/runs?limit=7&cursor=${first.body.nextCursor}`))).toHaveLength(7);
    expect(namesOf(await service.get('/api/runs?state=held'))).toEqual(['other 1', 'other 0']);
    expect(namesOf(await service.get('/api/runs?state=cancelled&limit=2'))).toEqual(['other 4', 'other 3']);
    const ofOne = await service.get(`/api/runs?schedule=${one}&limit=2`);
    expect([namesOf(ofOne), ofOne.body.counts]).toEqual([['one 4', 'one 3'], { settled: 5 }]);
    const rest = await service.get(`/api/runs?schedule=${one}&cursor=${ofOne.body.nextCursor}`);
    expect([namesOf(rest), rest.body.nextCursor]).toEqual([['one 2', 'one 1', 'one 0'], null]);
    const nobody = addressFromBytes(randomBytes(32));
    expect((await service.get(`/api/runs?schedule=${nobody}`)).body).toEqual({
      runs: [],
      counts: {},
      nextCursor: null,
    });
    const largest = `cursor=w${'9'.repeat(18)}`;
    for (const query of [largest, `${largest}&schedule=${one}`]) {
      expect((await service.get(`/api/runs?${query}`)).status).toBe(200);
    }
    for (const wrong of ['state=over', 'schedule=x', 'limit=101', 'cursor=17', 'all=1']) {
      expect(await service.get(`/api/runs?${wrong}`)).toMatchObject({ status: 400, body: { code: 'invalid-query' } });
    }
  });
  const over = (window: number) => (window < 2 ? {} : { finished: 9_000 });

  it('GET /api/schedules/:schedulePda/executions/:window', async () => {
    await restart(false);
    const schedule = await addSchedule(store.query, { window: 7, due: BigInt(NOW) });
    await createRuns(store.query, [{ schedule, window: 7n, recipients: 3 }], 1_000);
    const path = `/api/schedules/${schedule}/executions/7`;
    expect((await service.get(path)).body).toMatchObject({
      window: '7',
      dueAt: NOW * 1_000,
      state: 'queued',
      advice: null,
    });
    const held = { state: 'held' as const, error_code: 'funding-short' };
    await store.query.updateTable('execution_runs').set(held).where('schedule', '=', schedule).execute();
    expect((await service.get(path)).body).toMatchObject({
      schedulePda: schedule,
      errorCode: 'funding-short',
      attempts: [],
      advice: { sentence: "The vault's reserve does not cover the window." },
    });
  });
});
