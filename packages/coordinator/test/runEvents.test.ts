import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemTime } from '@payouts/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../src/platform/metrics.ts';
import { endAttempt, saveClaims } from '../src/store/queries/attempts.ts';
import { abandonRun, requestResume } from '../src/store/queries/operatorRuns.ts';
import { endRunAs } from '../src/store/queries/reconcile.ts';
import { findEventRange, type RunEvent, readEvents, trimEvents } from '../src/store/queries/runEvents.ts';
import { createRuns, finishRun, resumeRuns } from '../src/store/queries/runs.ts';
import { saveClosedSchedules } from '../src/store/queries/schedules.ts';
import { type EventBatch, EventFeed } from '../src/webhooks/events/feed.ts';
import { EventOrder } from '../src/webhooks/events/order.ts';
import { eventsText } from '../src/webhooks/events/text.ts';
import { addSchedule } from './support/addSchedule.ts';
import { testApi } from './support/api.ts';
import { silentLog } from './support/log.ts';
import { addRun, begin, stopRun } from './support/runs.ts';
import { type TestStore, useStore } from './support/stores.ts';

const QUIET_MS = 200;

const shown = ({ kind, state, stage, claims_paid: paid, error_code: code }: RunEvent) =>
  kind === 'schedule' ? `schedule ${state}` : [state, stage, paid, code].filter((part) => part !== null).join(' ');

const feedOf = ({ query }: TestStore, signal: AbortSignal) =>
  new EventFeed({ database: query, time: systemTime, log: silentLog, metrics: createMetrics(), signal });

describe('events of runs', () => {
  const store = useStore();
  const ending = new AbortController();

  const eventsOf = async (schedule: string) =>
    (await readEvents(store.query, 0n, 1_000)).events.filter((event) => event.schedule === schedule);

  it('every way in which a run changes writes what it has become, and nothing else does', async () => {
    const { query } = store;
    const schedule = await addSchedule(query, {});
    const key = { schedule, window: 0n };
    await addRun(query, key);
    const run = await addRun(query, key);
    const { attemptId } = await begin(query, key, 'delegate', 2);
    const window = { recipients: 3, deadline: 9n };
    const retried = { outcome: 'retried', code: null, detail: null } as const;
    await endAttempt(query, attemptId, retried, { landed: [], window }, 3);
    await stopRun(query, run.id, { state: 'held', code: 'funding-short', detail: '', resumeAt: 4 });
    await requestResume(query, [run.id], 5);
    await resumeRuns(query, 5, 1);
    const claiming = await begin(query, key, 'claim', 6);
    await saveClaims(query, claiming.attemptId, { paid: 2 });
    await saveClaims(query, claiming.attemptId, { paid: 2 });
    const stopped = { outcome: 'failed', code: 'claims-refused', detail: '' } as const;
    const leaves = { state: 'exhausted', resumeAt: null } as const;
    await endAttempt(query, claiming.attemptId, { ...stopped, leaves }, { landed: [] }, 6);
    await abandonRun(query, run.id, { reason: randomBytes(4), key_id: 'key' }, 6);
    await endRunAs(query, run.id, { window: 0n, claimsPaid: 3, paidAmount: 9n, at: 7 }, {});
    expect(await finishRun(query, run.id, { state: 'cancelled', paidAmount: null, at: 8 })).toBeUndefined();
    await saveClosedSchedules(query, [schedule], { slot: 9n, time: 9 });
    expect((await eventsOf(schedule)).map(shown)).toEqual([
      'schedule active',
      'queued 0',
      'running delegate 0',
      'held delegate 0 funding-short',
      'queued delegate 0 funding-short',
      'running claim 0 funding-short',
      'running claim 2 funding-short',
      'exhausted claim 2 claims-refused',
      'abandoned claim 2 claims-refused',
      'settled 3',
      'schedule cancelled',
    ]);
  });

  it('a change that is rolled back is not told', async () => {
    const { query } = store;
    const schedule = await addSchedule(query, {});
    const failed = query.transaction().execute(async (transaction) => {
      await createRuns(transaction, [{ schedule, window: 0n, recipients: 3 }], 1);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await createRuns(query, [{ schedule, window: 1n, recipients: 3 }], 1);
    const runs = (await eventsOf(schedule)).filter(({ kind }) => kind === 'run');
    expect(runs.map((event) => event.window_number)).toEqual(['1']);
  });

  it('say when a schedule is due next in unix milliseconds, as the API does', async () => {
    const schedule = await addSchedule(store.query, { due: 1_800_000_000n });
    const text = eventsText({ events: await eventsOf(schedule), position: 0n, isReset: false }, undefined);
    expect(JSON.parse(/data: (.*)/.exec(text)?.[1] as string)).toMatchObject({ nextExecution: 1_800_000_000_000 });
  });

  it('who follows is told what happens, and going on behind an id misses nothing, however it is trimmed', async () => {
    const { query } = store;
    const feed = feedOf(store, ending.signal);
    const leaving = new AbortController();
    // What happened before is passed once no transaction on the whole server could still come before it.
    const { last } = await findEventRange(query);
    const passed = async () => {
      const probe = feed.follow(undefined, QUIET_MS, leaving.signal);
      const { position } = (await probe.next()).value as EventBatch;
      await probe.return(undefined);
      return position;
    };
    await expect.poll(passed, { timeout: 60_000 }).toBe(last);
    const first = feed.follow(undefined, QUIET_MS, leaving.signal);
    const { position } = (await first.next()).value as EventBatch;
    const schedules: string[] = [];
    for (let count = 0; count < 5; count++) schedules.push(await addSchedule(query, {}));
    const told: string[] = [];
    while (told.length < 5)
      told.push(...((await first.next()).value as EventBatch).events.map((event) => event.schedule));
    expect(told).toEqual(schedules);
    leaving.abort();
    expect((await first.next()).done).toBe(true);

    const again = async (after: bigint) => {
      const left = new AbortController();
      const found: string[] = [];
      let isReset = false;
      for await (const each of feed.follow(after, QUIET_MS, left.signal)) {
        isReset ||= each.isReset;
        found.push(...each.events.map((event) => event.schedule));
        if (found.length > 0 || each.isReset) left.abort();
      }
      return isReset ? 'reset' : found;
    };
    expect(await again(position)).toEqual(schedules);
    expect(await again(position + 2n)).toEqual(schedules.slice(2));
    expect(await again(position + 1_000n)).toBe('reset');
    await trimEvents(query, 2);
    expect(await again(position)).toBe('reset');
    expect(await again(position + 3n)).toEqual(schedules.slice(3));
  });
});

describe('a stream of events', () => {
  const store = useStore();

  it('is refused to strangers where the dashboard is not public, and for an id or a schedule that is none', async () => {
    const ask = async (isPublic: boolean, url: string, headers: Record<string, string> = {}) => {
      const dashboard = { isPublic, operators: [], ledgerNow: () => 0n };
      const { api } = await testApi(store.database, 'http://127.0.0.1:1', { dashboard });
      const answer = await api.inject({ url, headers });
      await api.close();
      return [answer.statusCode, answer.json<{ code: string }>().code];
    };
    expect(await ask(false, '/api/events')).toEqual([401, 'signature-missing']);
    expect(await ask(true, '/api/events', { 'last-event-id': 'yesterday' })).toEqual([400, 'invalid-event-id']);
    expect(await ask(true, '/api/events?schedule=nowhere')).toEqual([400, 'invalid-query']);
    expect(await ask(true, '/api/events?from=1')).toEqual([400, 'invalid-query']);
  });
});

describe('events of transactions that end out of order', () => {
  const store = useStore();

  it('are told once each, in the order of their ids, and none of those rolled back', async () => {
    const { query } = store;
    const ending = new AbortController();
    const feed = feedOf(store, ending.signal);
    const told: RunEvent[] = [];
    const follower = feed.follow(undefined, QUIET_MS, ending.signal);
    // From here on it is told what happens.
    await follower.next();
    const following = (async () => {
      for await (const { events } of follower) told.push(...events);
    })();
    const committed: string[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ waitMs: fc.nat(60), isKept: fc.boolean(), beginMs: fc.nat(30) }), {
          minLength: 2,
          maxLength: 8,
        }),
        async (transactions) => {
          const before = committed.length;
          const ends = transactions.map(async ({ waitMs, isKept, beginMs }) => {
            await sleep(beginMs);
            const ended = query.transaction().execute(async (transaction) => {
              const schedule = await addSchedule(transaction, {});
              await sleep(waitMs);
              if (!isKept) throw new Error('rolled back');
              return schedule;
            });
            const schedule = await ended.catch(() => undefined);
            if (schedule !== undefined) committed.push(schedule);
          });
          await Promise.all(ends);
          for (let tries = 0; told.length < committed.length && tries < 3_000; tries++) await sleep(20);
          const own = told.slice(before).map((event) => event.schedule);
          expect([...own].sort()).toEqual(committed.slice(before).sort());
        },
      ),
      { numRuns: 15 },
    );
    ending.abort();
    await following;
    const ids = told.map(({ id }) => BigInt(id));
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => Number(one - other)));
    const { last } = await findEventRange(query);
    expect(ids.at(-1)).toBe(last);
    // Some were rolled back, or the test shows nothing.
    expect(ids.length).toBeLessThan(Number((ids.at(-1) as bigint) - (ids[0] as bigint)) + 1);
  });

  it('a gap is waited for as long as a transaction may fill it', () => {
    const event = (id: number) => ({ id: String(id) }) as RunEvent;
    const order = new EventOrder(0n);
    expect(order.take({ events: [event(1), event(3)], doneBelow: 5n, begunFrom: 9n })).toHaveLength(1);
    expect(order.take({ events: [event(3)], doneBelow: 8n, begunFrom: 30n })).toEqual([]);
    expect(order.take({ events: [event(3), event(7)], doneBelow: 9n, begunFrom: 30n }).map(({ id }) => id)).toEqual([
      '3',
    ]);
    expect(order.position).toBe(3n);
    expect(order.take({ events: [event(7)], doneBelow: 29n, begunFrom: 40n })).toEqual([]);
    expect(order.take({ events: [event(6), event(7)], doneBelow: 30n, begunFrom: 50n })).toHaveLength(2);
  });
});
