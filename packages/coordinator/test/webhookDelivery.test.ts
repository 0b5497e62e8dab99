import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemTime } from '@payouts/client';
import { type ManualTime, manualTime } from '@payouts/testing/manualTime';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../src/domain/errors.ts';
import { WEBHOOK_TYPES, type WebhookType } from '../src/domain/webhook.ts';
import { newWebhookSecret } from '../src/http/webhooks.ts';
import { createMetrics, type Metrics } from '../src/platform/metrics.ts';
import { rotateKeys } from '../src/rotation/rotateKeys.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { sealContent, type WebhookContent, webhookKeyPlace } from '../src/store/crypto/webhookSeal.ts';
import { endAttempt } from '../src/store/queries/attempts.ts';
import { readEvents } from '../src/store/queries/runEvents.ts';
import { finishRun, resumeRuns } from '../src/store/queries/runs.ts';
import {
  addTestMessage,
  countWebhooks,
  listMessages,
  replayMessages,
  type WebhookMessage,
} from '../src/store/queries/webhookMessages.ts';
import { disableWebhook, findEndpoint, saveWebhook, saveWebhookContent } from '../src/store/queries/webhooks.ts';
import { WebhookSender } from '../src/webhooks/send.ts';
import { WebhookWorker, type WebhookWorkerInput } from '../src/webhooks/worker.ts';
import { addSchedule } from './support/addSchedule.ts';
import { countOf } from './support/counted.ts';
import { deferred } from './support/deferred.ts';
import { keptLog } from './support/log.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { addRun, begin, SUCCEEDED, stopRun } from './support/runs.ts';
import { useStore } from './support/stores.ts';

const payloadKey = randomBytes(32);
const payloadKeys = localPayloadKeys(payloadKey);
/** Waits of a worker in a test: a message is tried three times. */
const WAITS = [20, 20];
const DAY_MS = 24 * 3_600_000;

describe('webhooks', () => {
  const store = useStore();
  let receiver: Receiver;
  let schedule: string;
  let metrics: Metrics;
  let ending: AbortController;
  let kept: ReturnType<typeof keptLog>;
  let time: ManualTime;
  const workers: Promise<void>[] = [];

  beforeEach(async () => {
    receiver = await startReceiver();
    schedule = await addSchedule(store.query, {});
    metrics = createMetrics();
    ending = new AbortController();
    // Receivers compare it with their own.
    time = manualTime(Date.now());
    kept = keptLog(time);
  });
  afterEach(async () => {
    ending.abort();
    await Promise.all(workers.splice(0));
    await receiver.stop();
    await refuseNothing();
    await sql`delete from webhook_endpoints`.execute(store.query);
  });

  const refuseNothing = () => sql`drop function if exists refuse cascade`.execute(store.query);

  async function endpoint(input: Partial<WebhookContent> & { types?: readonly WebhookType[]; vault?: string } = {}) {
    const { types = WEBHOOK_TYPES, vault = schedule, ...given } = input;
    const id = randomUUID();
    const key = randomBytes(32);
    const { keyId, wrapped } = await payloadKeys.wrap(key, webhookKeyPlace({ id }));
    const content = { url: receiver.url, secret: newWebhookSecret(), former: null, encryptionKey: null, ...given };
    await saveWebhook(store.query, {
      id,
      vault,
      schedule: null,
      types: [...types],
      content: sealContent(key, { id }, content),
      wrapped_key: wrapped,
      key_id: keyId,
      created_at: Date.now(),
    });
    return { id, ...content };
  }

  function worker(
    input: Partial<WebhookWorkerInput> & { allowsPrivate?: boolean; withinMs?: number } = {},
  ): WebhookWorker {
    const { allowsPrivate = true, withinMs = 60_000, ...given } = input;
    const sender = new WebhookSender({ allowsPrivate, time: systemTime, withinMs });
    ending.signal.addEventListener('abort', () => void sender.close());
    return new WebhookWorker({
      database: store.query,
      payloadKeys,
      sender,
      sendNotice: () => Promise.reject(new Error('There are no notices.')),
      time,
      log: kept.log,
      metrics,
      draining: ending.signal,
      signal: ending.signal,
      waits: WAITS,
      ...given,
    });
  }

  async function settle(window = 0n, unpaid = 0): Promise<void> {
    const { query } = store;
    const run = await addRun(query, { schedule, window });
    const claims = { paid: 3 - unpaid, reasons: unpaid === 0 ? {} : { 'batch-timeout': unpaid } };
    await finishRun(query, run.id, { state: 'settled', paidAmount: 9n, claims, at: 5 });
  }

  const messages = (id: string): Promise<WebhookMessage[]> => listMessages(store.query, id, 100);
  const outcomes = async (id: string) =>
    (await messages(id)).map(({ state, attempts }) => [state, ...attempts.map(({ outcome }) => outcome)]);
  async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    for (let tries = 0; !(await isSo()); tries++) {
      if (tries > 3_000) throw new Error('waited in vain');
      await time.advance(500);
      await sleep(10);
    }
  }
  const isOver = async (id: string) => (await messages(id)).every(({ next_at: next }) => next === null);

  it('each kind of change is told once, to those who asked for it, with public fields alone', async () => {
    const { query } = store;
    const all = await endpoint();
    const some = await endpoint({ types: ['run.held'] });
    const key = { schedule, window: 4n };
    const run = await addRun(query, key);
    for (const code of ['funding-short', 'funding-short', 'authority-short']) {
      await stopRun(query, run.id, { state: 'held', code, detail: 'The vault lacks 12345.', resumeAt: 4 });
      await resumeRuns(query, 4, 1);
    }
    const { attemptId } = await begin(query, key, 'delegate', 2);
    const window = { recipients: 3, deadline: 1_900_000_000n };
    await endAttempt(query, attemptId, SUCCEEDED, { landed: [], window }, 3);
    await stopRun(query, run.id, { state: 'exhausted', code: 'batch-not-back', detail: '', resumeAt: 4 });
    await resumeRuns(query, 4, 1);
    await finishRun(query, run.id, {
      state: 'settled',
      paidAmount: 7n,
      claims: { paid: 2, reasons: { held: 1 } },
      at: 5,
    });
    workers.push(worker().run());
    await until(() => isOver(all.id));
    await until(() => isOver(some.id));
    const about = { schedulePda: schedule, window: '4' };
    const sent = (await messages(all.id)).toReversed().map(({ type, data }) => [type, data]);
    expect(sent).toEqual([
      ['run.held', { ...about, errorCode: 'funding-short' }],
      ['run.held', { ...about, errorCode: 'authority-short' }],
      ['run.opened', { ...about, recipients: 3, deadline: 1_900_000_000_000 }],
      ['run.exhausted', { ...about, state: 'exhausted', errorCode: 'batch-not-back' }],
      ['run.completed', { ...about, claims: { paid: 2, total: 3 }, unpaid: 1, paidAmount: '7' }],
      ['recipient.unpaid', { ...about, unpaid: 1, reasons: { held: 1 } }],
    ]);
    expect((await messages(some.id)).map(({ type }) => type)).toEqual(['run.held', 'run.held']);
    expect(receiver.received).toHaveLength(8);
    for (const { body, headers } of receiver.received) {
      const { secret } = [all, some].find((each) => verifies(each.secret, body, headers)) ?? {};
      expect(secret).toBeDefined();
      expect(Object.keys(JSON.parse(body))).toEqual(['type', 'timestamp', 'data']);
    }
    // A message shows as delivered before it is counted.
    const delivered = () => countOf(metrics, 'service_webhook_deliveries_total', { outcome: 'delivered' });
    await expect.poll(delivered).toBe(8);
  });

  it('of runs that end in one statement each is told to its own vault, and shows as one event', async () => {
    const { query } = store;
    const schedules = [schedule, await addSchedule(query, {}), await addSchedule(query, {})] as const;
    const followed = schedules.slice(0, 2);
    const endpoints = await Promise.all(followed.map((vault) => endpoint({ vault, types: ['run.completed'] })));
    const begun = await Promise.all(
      schedules.map(async (each) => {
        await addRun(query, { schedule: each, window: 0n });
        return begin(query, { schedule: each, window: 0n }, 'commit', 2);
      }),
    );
    const before = (await readEvents(query, 0n, 10_000)).events.length;
    const claims = { paid: 3, reasons: {} };
    const over = { state: 'settled', paidAmount: 9n, claims, at: 5 } as const;
    await Promise.all(begun.map(({ attemptId }) => endAttempt(query, attemptId, SUCCEEDED, { landed: [], over }, 5)));
    for (const [place, { id }] of endpoints.entries()) {
      expect((await messages(id)).map(({ data }) => data.schedulePda)).toEqual([schedules[place]]);
    }
    const { events } = await readEvents(query, 0n, 10_000);
    expect(
      events
        .slice(before)
        .map((event) => [event.schedule, event.state])
        .toSorted(),
    ).toEqual(schedules.map((each) => [each, 'settled']).toSorted());
  });

  const verifies = (secret: string, body: string, headers: object) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  it('a receiver that fails is tried again under the same id until it answers, or the tries are used up', async () => {
    const { id } = await endpoint();
    receiver.answer = (response) =>
      response.writeHead(receiver.received.length < 3 ? 503 : 200).end('x'.repeat(1_000_000));
    await settle();
    workers.push(worker().run());
    await until(() => isOver(id));
    expect(await outcomes(id)).toEqual([['delivered', 'refused', 'refused', 'delivered']]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await findEndpoint(store.query, id))?.failing_since).toBeNull();
    receiver.answer = (response) => response.writeHead(500).end();
    await settle(1n);
    await until(async () => (await messages(id)).some(({ state }) => state === 'failed'));
    expect((await outcomes(id))[0]).toEqual(['failed', 'refused', 'refused', 'refused']);
    expect(await countWebhooks(store.query)).toMatchObject({ active: 0, failing: 1, disabled: 0, pending: 0 });
    // Replayed: under the ids that they had.
    receiver.answer = (response) => response.writeHead(202).end();
    const seen = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    receiver.received.length = 0;
    expect(await replayMessages(store.query, id, { since: 0 })).toBe(2);
    await until(() => isOver(id));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(seen);
    expect((await messages(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });

  /** As if the process that took the messages had them for too long. */
  const endLeases = () => sql`update webhook_messages set next_at = 0 where next_at is not null`.execute(store.query);

  it.each([503, 410])(
    'a delivery that cannot be noted of its endpoint is not recorded either, and is tried again: %i',
    async (status) => {
      const { query } = store;
      const { id } = await endpoint();
      await settle();
      const column = status === 410 ? 'disabled_at' : 'failing_since';
      await sql`create function refuse() returns trigger as $$ begin raise exception 'refused'; end $$ language plpgsql`.execute(
        query,
      );
      await sql`create trigger refuse before update of ${sql.ref(column)} on webhook_endpoints for each row execute function refuse()`.execute(
        query,
      );
      receiver.answer = (response) => response.writeHead(status).end();
      workers.push(worker().run());
      await until(() => kept.lines().some(({ msg }) => msg === 'a webhook message could not be prepared or recorded'));
      expect(await outcomes(id)).toEqual([['pending']]);
      await refuseNothing();
      receiver.answer = (response) => response.writeHead(204).end();
      await endLeases();
      await until(() => isOver(id));
      expect(await outcomes(id)).toEqual([['delivered', 'delivered']]);
      expect(await findEndpoint(query, id)).toMatchObject({ failing_since: null, disabled_at: null });
    },
  );

  it('a message that the service can not put together is given up like one that nobody takes, and the receiver is not blamed', async () => {
    const { id } = await endpoint();
    await settle();
    const gone = {
      ...payloadKeys,
      unwrap: () => Promise.reject(new RunError('key-service-unavailable', 'It is gone.')),
    };
    const lost = new AbortController();
    workers.push(worker({ payloadKeys: gone, draining: lost.signal, signal: lost.signal }).run());
    const said = 'a webhook message could not be prepared or recorded';
    await until(() => kept.lines().some(({ msg, error }) => msg === said && error === 'key-service-unavailable'));
    lost.abort();
    // What comes back by itself is waited for.
    expect(await outcomes(id)).toEqual([['pending']]);
    await endLeases();

    const another = localPayloadKeys(randomBytes(32));
    const without = new AbortController();
    workers.push(worker({ payloadKeys: another, draining: without.signal, signal: without.signal }).run());
    await until(() => isOver(id));
    without.abort();
    expect(await outcomes(id)).toEqual([['failed', 'unprepared', 'unprepared', 'unprepared']]);
    expect(kept.lines().filter(({ msg, error }) => msg === said && error === 'WrongPayloadKey')).toHaveLength(3);
    expect(await findEndpoint(store.query, id)).toMatchObject({ failing_since: null, disabled_at: null });
    // It can be sent once the key is back.
    await replayMessages(store.query, id, { since: 0 });
    workers.push(worker().run());
    await until(() => isOver(id));
    expect((await messages(id)).map(({ state }) => state)).toEqual(['delivered']);
  });

  it('one that hangs, redirects or is nowhere is told so, and keeps no other waiting', async () => {
    const slow = await endpoint({ url: `${receiver.url}/slow` });
    const redirecting = await endpoint({ url: `${receiver.url}/elsewhere` });
    const nowhere = await endpoint({ url: 'http://127.0.0.1:1/' });
    const good = await endpoint();
    receiver.answer = (response, { path }) => {
      if (path.endsWith('slow')) return;
      if (path.endsWith('elsewhere')) response.writeHead(307, { location: receiver.url }).end();
      else response.writeHead(204).end();
    };
    for (let window = 0n; window < 3n; window++) await settle(window);
    // Nobody who waited for the slow one would come to an end here.
    const patient = new AbortController();
    workers.push(worker({ waits: [], withinMs: 180_000, draining: patient.signal, signal: patient.signal }).run());
    for (const { id } of [good, redirecting, nowhere]) await until(() => isOver(id));
    expect(await outcomes(slow.id)).toEqual([['pending'], ['pending'], ['pending']]);
    patient.abort();
    await Promise.all(workers);
    await endLeases();
    workers.push(worker({ waits: [], withinMs: 1_500 }).run());
    await until(() => isOver(slow.id));
    const three = (outcome: string) => [0, 1, 2].map(() => ['failed', outcome]);
    expect(await outcomes(slow.id)).toEqual(three('timed-out'));
    expect(await outcomes(redirecting.id)).toEqual(three('redirected'));
    expect(await outcomes(nowhere.id)).toEqual(three('unreachable'));
    expect(receiver.received.filter(({ path }) => path === '/hooks')).toHaveLength(3);
  });

  it('many of a few vaults that hang keep no other vault waiting, whatever they have sent first', async () => {
    receiver.answer = (response, { path }) => {
      if (!path.endsWith('slow')) response.writeHead(204).end();
    };
    const test = (endpointId: string) => addTestMessage(store.query, { endpointId, schedule });
    const slow = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => endpoint({ url: `${receiver.url}/slow`, vault: `vault ${nth % 2}` })),
    );
    for (const { id } of slow) for (let times = 0; times < 3; times++) await test(id);
    const good = await endpoint({ vault: 'another vault' });
    await test(good.id);
    const patient = new AbortController();
    workers.push(worker({ withinMs: 180_000, draining: patient.signal, signal: patient.signal }).run());
    await until(() => isOver(good.id));
    expect(await outcomes(good.id)).toEqual([['delivered', 'delivered']]);
    expect(receiver.received.filter(({ path }) => path.endsWith('slow')).length).toBeLessThanOrEqual(4);
    patient.abort();
    await Promise.all(workers);
  });

  it('one that answers 410 is disabled, and so is one that fails for three days; what is not sent can be replayed', async () => {
    const { query } = store;
    const gone = await endpoint({ url: `${receiver.url}/gone` });
    const failing = await endpoint();
    receiver.answer = (response, { path }) => response.writeHead(path.endsWith('gone') ? 410 : 500).end();
    await settle();
    workers.push(worker({ waits: [0] }).run());
    await until(async () => (await isOver(gone.id)) && (await isOver(failing.id)));
    expect(await findEndpoint(query, gone.id)).toMatchObject({ disabled_why: 'gone' });
    expect(await findEndpoint(query, failing.id)).toMatchObject({ disabled_why: null });
    time.setNow(time.now() + 3 * DAY_MS);
    await settle(1n);
    await until(async () => (await findEndpoint(query, failing.id))?.disabled_why !== null);
    expect(await findEndpoint(query, failing.id)).toMatchObject({ disabled_why: 'failing' });
    expect(kept.logged()).toContain('a webhook was disabled');
    const sent = receiver.received.length;
    await settle(2n);
    expect((await messages(failing.id)).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    expect(receiver.received).toHaveLength(sent);
    expect(await countWebhooks(query)).toMatchObject({ disabled: 2, pending: 0 });
  });

  it('addresses of private networks are refused, however they are written or resolved', async () => {
    const hosts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '169.254.169.254',
      '0x7f000001',
      '192.168.1.1',
    ];
    const port = new URL(receiver.url).port;
    const made = [];
    for (const host of hosts) made.push(await endpoint({ url: `http://${host}:${port}/` }));
    await settle();
    workers.push(worker({ allowsPrivate: false, waits: [] }).run());
    for (const { id } of made) {
      await until(() => isOver(id));
      expect(await outcomes(id)).toEqual([['failed', 'forbidden']]);
    }
    expect(receiver.received).toEqual([]);
  });

  it('during a rotation both secrets verify, and afterwards the new one alone', async () => {
    const former = { secret: newWebhookSecret(), until: Date.now() + DAY_MS };
    const { secret, id } = await endpoint({ former });
    await settle();
    workers.push(worker().run());
    await until(() => isOver(id));
    time.setNow(former.until);
    await replayMessages(store.query, id, { since: 0 });
    await until(() => receiver.received.length === 2);
    const [first, second] = receiver.received as [(typeof receiver.received)[0], (typeof receiver.received)[0]];
    const signatures = ({ headers }: typeof first) => String(headers['webhook-signature']).split(' ').length;
    expect([signatures(first), signatures(second)]).toEqual([2, 1]);
    expect(verifies(secret, first.body, first.headers)).toBe(true);
    expect(verifies(former.secret, first.body, first.headers)).toBe(true);
    expect(verifies(newWebhookSecret(), first.body, first.headers)).toBe(false);
  });

  it('a change of the payload key leaves webhooks working, and a forgotten schedule is told of no more', async () => {
    const { query } = store;
    const { id, secret } = await endpoint();
    const next = randomBytes(32);
    const other = await endpoint();
    await rotateKeys({ database: query, payloadKeys: localPayloadKeys(next, [payloadKey]), time: systemTime });
    expect((await findEndpoint(query, id))?.key_id).toBe(localPayloadKeys(next).currentId);
    await settle();
    workers.push(worker({ payloadKeys: localPayloadKeys(next) }).run());
    await until(async () => (await isOver(id)) && (await isOver(other.id)));
    expect(receiver.received.some(({ body, headers }) => verifies(secret, body, headers))).toBe(true);
    expect(await outcomes(id)).toEqual([['delivered', 'delivered']]);
    await query.deleteFrom('schedules').where('address', '=', schedule).execute();
    expect(await messages(id)).toEqual([]);
    const { events } = await readEvents(query, 0n, 10_000);
    expect(events.filter((event) => event.schedule === schedule)).toEqual([]);
  });

  it('of several workers one has a message at a time, and what a dead one had is sent again', async () => {
    const { id } = await endpoint();
    const dying = worker({ withinMs: 180_000 });
    receiver.answer = () => {};
    await settle();
    expect(await dying.begin()).toBe(1);
    expect(await worker().begin()).toBe(0);
    await until(() => receiver.received.length === 1);
    // As a process killed here leaves it: sent, and nothing recorded.
    receiver.answer = (response) => response.writeHead(204).end();
    await endLeases();
    for (let window = 1n; window < 9n; window++) await settle(window);
    workers.push(worker().run(), worker().run(), worker().run());
    await until(() => isOver(id));
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(9);
    expect(ids.filter((each) => each === ids[0])).toHaveLength(2);
  });

  /** Has a worker send the first message, whose answer is held until it is given. */
  async function sendOne() {
    const slow = worker({ withinMs: 180_000 });
    const sent = deferred<ServerResponse>();
    receiver.answer = sent.resolve;
    await slow.begin();
    const response = await sent.promise;
    receiver.answer = (other) => other.writeHead(204).end();
    return async (status: number) => {
      response.writeHead(status).end();
      await slow.idle();
    };
  }

  it.each([503, 410])(
    'what a process learns of a message that another has sent meanwhile counts for nothing: %i',
    async (status) => {
      const { id } = await endpoint();
      await settle();
      const answer = await sendOne();
      await endLeases();
      const other = worker();
      expect(await other.begin()).toBe(1);
      await other.idle();
      await answer(status);
      expect(await outcomes(id)).toEqual([['delivered', 'delivered']]);
      expect(await findEndpoint(store.query, id)).toMatchObject({ failing_since: null, disabled_at: null });
      expect(await countWebhooks(store.query)).toMatchObject({ active: 1, pending: 0 });
      expect(kept.logged()).not.toContain('webhook not delivered');
      for (const outcome of ['refused', 'gone']) {
        expect(await countOf(metrics, 'service_webhook_deliveries_total', { outcome })).toBe(0);
      }
    },
  );

  it('a message that is replayed while it is sent is sent again, and one that is ended then is not', async () => {
    const { query } = store;
    const { id } = await endpoint();
    await settle();
    const answerFirst = await sendOne();
    expect(await replayMessages(query, id, { since: 0 })).toBe(1);
    await answerFirst(204);
    expect(await outcomes(id)).toEqual([['pending']]);
    const answerSecond = await sendOne();
    await disableWebhook(query, id, 'gone', 5);
    await answerSecond(503);
    expect(await outcomes(id)).toEqual([['failed']]);
    expect(await countWebhooks(query)).toMatchObject({ disabled: 1, pending: 0 });
  });

  it('a delivery is recorded beside what changes its endpoint and then its messages', async () => {
    const { query } = store;
    const { id } = await endpoint();
    await settle();
    const answer = await sendOne();
    const isWaiting = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(query);
      return rows.length > 0;
    };
    let recording: Promise<void> | undefined;
    await query.transaction().execute(async (transaction) => {
      await saveWebhookContent(transaction, id, randomBytes(9));
      recording = answer(503);
      await until(isWaiting);
      await transaction.updateTable('webhook_messages').set({ at: 5 }).where('endpoint_id', '=', id).execute();
    });
    await recording;
    expect(await outcomes(id)).toEqual([['pending', 'refused']]);
  });
});
