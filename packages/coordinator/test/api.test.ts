import { randomBytes } from 'node:crypto';
import {
  addressFromBytes,
  CalendarUnit,
  deriveBalanceAddresses,
  MissedWindows,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  prepareList,
  type RecipientJson,
  type RecipientList,
  recipientsToJson,
  type ScheduleArgs,
  SchedulePhase,
  ScheduleStatus,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, createApi } from '../src/api/server.ts';
import { connectBase } from '../src/ledger/rpc.ts';
import { createLogger } from '../src/log/log.ts';
import { Metrics } from '../src/metrics.ts';
import { migrate } from '../src/store/migrate.ts';
import { type Database, openDatabase } from '../src/store/openDatabase.ts';
import { localPayloadKeys } from '../src/store/payloadKeys.ts';
import { findList, readRecipients } from '../src/store/queries/lists.ts';
import { createRun } from '../src/store/queries/runs.ts';
import { LedgerStub } from './support/ledgerStub.ts';
import { sharedFolder } from './support/temporary.ts';

const BODY_LIMIT = 400_000;
const key = localPayloadKeys(randomBytes(32));
const randomAddress = () => addressFromBytes(randomBytes(32));
const mint = randomAddress();

let ledger: LedgerStub;
let database: Database;
let api: Api;
let logged = '';

beforeAll(async () => {
  ledger = await LedgerStub.start();
  database = await openDatabase({ databaseUrl: undefined, dataDir: sharedFolder(), onError: () => {} });
  await migrate(database.query);
  api = await createApi({
    base: connectBase({ url: ledger.url, signal: new AbortController().signal }),
    database: database.query,
    payloadKeys: key,
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    bodyLimitBytes: BODY_LIMIT,
    log: createLogger({ level: 'trace', pretty: false, to: { write: (line: string) => (logged += line) } }),
    metrics: new Metrics(),
  });
});
afterAll(async () => {
  await api.close();
  await database.close();
  await ledger.stop();
});
beforeEach(() => {
  ledger.isBroken = false;
  logged = '';
});

const listOf = (size: number): RecipientList =>
  prepareList(
    Array.from({ length: size }, (_, line) => ({ recipient: randomAddress(), amount: 7_000_000_123n + BigInt(line) })),
  );

const scheduleOver = (list: RecipientList, terms: Partial<ScheduleArgs> = {}): ScheduleArgs => ({
  bump: 255,
  status: ScheduleStatus.Active,
  phase: SchedulePhase.Idle,
  missed: MissedWindows.CatchUp,
  batchBump: 255,
  vault: randomAddress(),
  mint,
  root: list.root,
  id: 0n,
  amount: list.total,
  unit: CalendarUnit.MonthsOnDay,
  every: 1,
  day: 31,
  heldCount: 0,
  held: Array(32).fill(0),
  nextExecution: 1_800_000_000n,
  window: 0n,
  recipients: list.recipients.length,
  executionsLeft: 12,
  batchTimeout: 600,
  rootVersion: 0,
  openedAt: 0n,
  windowAmount: 0n,
  windowRecipients: 0,
  windowRootVersion: 0,
  windowHeld: 0,
  windowSequence: 0n,
  lastPaidCount: 0,
  lastPaidAmount: 0n,
  lastBitmapHash: new Uint8Array(32),
  lastSettledAt: 0n,
  paidTotal: 0n,
  ...terms,
});

/** A schedule on the ledger with its list. */
function promised(size = 5, terms: Partial<ScheduleArgs> = {}) {
  const schedulePda = randomAddress();
  const list = listOf(size);
  ledger.putSchedule(schedulePda, scheduleOver(list, terms));
  return { schedulePda, list, recipients: recipientsToJson(list.recipients) };
}

async function post(body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await api.inject({ method: 'POST', url: '/api/schedules', headers, payload });
  return {
    status: response.statusCode,
    type: response.headers['content-type'],
    body: response.json() as Record<string, unknown>,
    text: response.body,
  };
}

const get = async (url: string) => {
  const response = await api.inject({ method: 'GET', url });
  return { status: response.statusCode, body: response.json() as Record<string, unknown> };
};

describe('POST /api/schedules', () => {
  it('stores a list that rebuilds the root: 201, then 200 for the same again', async () => {
    const { schedulePda, list, recipients } = promised();
    const root = Buffer.from(list.root).toString('hex');
    expect(await post({ schedulePda, recipients })).toMatchObject({
      status: 201,
      body: { schedulePda, root, recipients: 5, created: true },
    });
    expect(await post({ schedulePda, recipients: recipients.toReversed() })).toMatchObject({
      status: 200,
      body: { created: false },
    });

    const stored = await findList(database.query, schedulePda, root);
    if (stored === undefined) throw new Error('not stored');
    const balances = await deriveBalanceAddresses({ mint, recipients: list.recipients });
    expect(await readRecipients(database.query, stored, key)).toEqual(
      list.recipients.map((recipient, place) => ({
        ...recipient,
        balance: balances[place]?.address,
        bump: balances[place]?.bump,
      })),
    );
  });

  it('stores it once when the same is sent many times at once', async () => {
    const { schedulePda, recipients } = promised();
    const answers = await Promise.all(Array.from({ length: 6 }, () => post({ schedulePda, recipients })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
  });

  it('answers 409 to another list for a schedule and root that have theirs', async () => {
    const { schedulePda, recipients } = promised();
    await post({ schedulePda, recipients });
    const other = recipientsToJson(listOf(5).recipients);
    expect(await post({ schedulePda, recipients: other })).toMatchObject({
      status: 409,
      body: { code: 'list-conflict' },
    });
  });

  it('tells a list of a replaced root from one that fits nothing', async () => {
    const { schedulePda, list, recipients } = promised();
    await post({ schedulePda, recipients });
    ledger.putSchedule(schedulePda, scheduleOver(listOf(5), { rootVersion: 1, amount: list.total }));
    expect(await post({ schedulePda, recipients })).toMatchObject({ status: 422, body: { code: 'root-replaced' } });
  });

  const changed = (change: (entries: RecipientJson[]) => void) => {
    const { schedulePda, recipients } = promised();
    change(recipients);
    return { schedulePda, recipients };
  };
  const at = (entries: RecipientJson[], index: number) =>
    entries.find((entry) => entry.index === index) as RecipientJson;

  it.each<[string, number, string, () => unknown]>([
    ['no JSON', 400, 'invalid-json', () => '{"schedulePda":'],
    ['an empty body', 400, 'invalid-json', () => ''],
    ['no object', 400, 'invalid-body', () => '[]'],
    ['no recipients', 400, 'invalid-body', () => ({ schedulePda: randomAddress() })],
    ['an empty list', 400, 'invalid-body', () => ({ schedulePda: randomAddress(), recipients: [] })],
    ['an unknown field', 400, 'invalid-body', () => changed((entries) => Object.assign(at(entries, 2), { name: 'x' }))],
    [
      'a number for an amount',
      400,
      'invalid-body',
      () => changed((entries) => Object.assign(at(entries, 2), { amount: 5 })),
    ],
    [
      'a text for an index',
      400,
      'invalid-body',
      () => changed((entries) => Object.assign(at(entries, 2), { index: '2' })),
    ],
    [
      'a malformed schedule address',
      400,
      'invalid-address',
      () => ({ ...promised(), list: undefined, schedulePda: 'no address' }),
    ],
    [
      'a malformed recipient',
      422,
      'invalid-recipient',
      () => changed((entries) => Object.assign(at(entries, 2), { recipient: 'O0' })),
    ],
    [
      'a salt that is too short',
      422,
      'invalid-recipient',
      () => changed((entries) => Object.assign(at(entries, 2), { salt: 'ab' })),
    ],
    [
      'an index that stands there twice',
      422,
      'invalid-recipient',
      () => changed((entries) => Object.assign(at(entries, 1), { index: 2 })),
    ],
    [
      'an index beyond the list',
      422,
      'invalid-recipient',
      () => changed((entries) => Object.assign(at(entries, 2), { index: 5 })),
    ],
    ...['0', '-1', '1.5', '01', '1e3', ' 1', '', '18446744073709551616'].map(
      (amount): [string, number, string, () => unknown] => [
        `the amount "${amount}"`,
        422,
        'invalid-recipient',
        () => changed((entries) => Object.assign(at(entries, 2), { amount })),
      ],
    ),
    [
      'another delivery than promised',
      422,
      'root-mismatch',
      () => changed((entries) => Object.assign(at(entries, 2), { delivery: 'wallet' })),
    ],
    [
      'a schedule that is not on the ledger',
      404,
      'schedule-not-found',
      () => ({ schedulePda: randomAddress(), recipients: promised().recipients }),
    ],
    [
      'one recipient too few',
      422,
      'count-mismatch',
      () => {
        const { schedulePda, recipients } = promised();
        return { schedulePda, recipients: recipients.filter(({ index }) => index < 4) };
      },
    ],
    [
      'another total',
      422,
      'total-mismatch',
      () => changed((entries) => Object.assign(at(entries, 2), { amount: '1' })),
    ],
    [
      'another root',
      422,
      'root-mismatch',
      () => changed((entries) => Object.assign(at(entries, 2), { salt: '00'.repeat(16) })),
    ],
  ])('refuses %s with %i %s, stores nothing, and repeats nothing private', async (_, status, code, make) => {
    const body = make();
    const before = await database.pool.query('select count(*) from recipient_lists');
    const answer = await post(body);
    expect(answer).toMatchObject({ status, body: { code, status } });
    expect(answer.type).toContain('application/problem+json');
    const after = await database.pool.query('select count(*) from recipient_lists');
    expect(after.rows).toEqual(before.rows);
    const entries = (body as { recipients?: RecipientJson[] }).recipients ?? [];
    for (const { recipient, amount, salt } of entries) {
      for (const secret of [recipient, salt, String(amount)]) {
        if (secret.length < 8) continue;
        expect(answer.text).not.toContain(secret);
        expect(logged).not.toContain(secret);
      }
    }
  });

  it('names the place of a wrong shape as a JSON pointer, and an invalid entry by its index alone', async () => {
    const { schedulePda, recipients } = promised();
    const place = recipients.findIndex(({ index }) => index === 3);
    Object.assign(recipients[place] as RecipientJson, { salt: 7 });
    expect((await post({ schedulePda, recipients })).body).toMatchObject({ pointer: `/recipients/${place}/salt` });
    Object.assign(recipients[place] as RecipientJson, { salt: 'zz' });
    expect((await post({ schedulePda, recipients })).body).toMatchObject({ code: 'invalid-recipient', index: 3 });
  });

  it('refuses an account of another program and one of another kind', async () => {
    const { schedulePda, list, recipients } = promised();
    ledger.put(schedulePda, new Uint8Array(320).fill(4), randomAddress());
    expect(await post({ schedulePda, recipients })).toMatchObject({
      status: 404,
      body: { code: 'schedule-not-found' },
    });
    ledger.put(schedulePda, new Uint8Array(320).fill(3));
    expect(await post({ schedulePda, recipients })).toMatchObject({
      status: 404,
      body: { code: 'schedule-not-found' },
    });
    ledger.putSchedule(schedulePda, scheduleOver(list));
    expect(await post({ schedulePda, recipients })).toMatchObject({ status: 201 });
  });

  it('answers 413 above the body limit, 415 to another type, and 503 while the ledger does not answer', async () => {
    const { schedulePda, recipients } = promised();
    expect(await post(' '.repeat(BODY_LIMIT + 1))).toMatchObject({ status: 413, body: { code: 'body-too-large' } });
    expect(await post('x', { 'content-type': 'text/csv' })).toMatchObject({
      status: 415,
      body: { code: 'unsupported-media-type' },
    });
    ledger.isBroken = true;
    expect(await post({ schedulePda, recipients })).toMatchObject({
      status: 503,
      body: { code: 'ledger-unavailable' },
    });
  });
});

describe('reading', () => {
  it('shows a registered schedule, public fields only', async () => {
    const { schedulePda, list, recipients } = promised();
    await post({ schedulePda, recipients });
    const { status, body } = await get(`/api/schedules/${schedulePda}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      schedulePda,
      recipients: 5,
      amountPerExecution: String(list.total),
      calendar: { unit: 'months-on-day', every: 1, day: 31 },
      status: 'active',
      window: '0',
      registration: { state: 'registered' },
    });
    for (const { recipient } of list.recipients) expect(JSON.stringify(body)).not.toContain(recipient);
  });

  it('pages through runs, newest first', async () => {
    const { schedulePda, recipients } = promised();
    await post({ schedulePda, recipients });
    for (let window = 0n; window < 5n; window++)
      await createRun(database.query, { schedule: schedulePda, window }, 5, 1_000);
    const first = (await get(`/api/schedules/${schedulePda}/executions?limit=3`)).body as {
      executions: { window: string }[];
      nextCursor: string;
    };
    expect(first.executions.map(({ window }) => window)).toEqual(['4', '3', '2']);
    expect(first.executions[0]).toMatchObject({
      state: 'queued',
      claims: { paid: 0, total: 5 },
      unpaid: { count: 0, reasons: {} },
      attempts: [],
    });
    const second = (await get(`/api/schedules/${schedulePda}/executions?limit=3&cursor=${first.nextCursor}`)).body;
    expect(second).toMatchObject({ executions: [{ window: '1' }, { window: '0' }], nextCursor: null });
  });

  it.each([
    ['/api/schedules/nonsense', 400, 'invalid-address'],
    ['/api/schedules/nonsense/executions', 400, 'invalid-address'],
    [`/api/schedules/${randomAddress()}`, 404, 'schedule-not-found'],
    [`/api/schedules/${randomAddress()}/executions`, 404, 'schedule-not-found'],
    [`/api/schedules/${randomAddress()}/executions?limit=0`, 400, 'invalid-query'],
    [`/api/schedules/${randomAddress()}/executions?limit=x`, 400, 'invalid-query'],
    [`/api/schedules/${randomAddress()}/executions?cursor=x`, 400, 'invalid-query'],
    ['/api/nothing', 404, 'not-found'],
  ])('answers %s with %i %s', async (url, status, code) => {
    expect(await get(url as Address)).toMatchObject({ status, body: { code } });
  });

  it('is healthy with a database, and serves OpenAPI 3.1 of every route', async () => {
    const health = await get('/api/health');
    expect(health).toMatchObject({ status: 200, body: { status: 'healthy', database: 'connected' } });
    expect(health.body.schedulesRegistered).toBeGreaterThan(0);
    const { body } = await get('/api/openapi.json');
    expect(body).toMatchObject({ openapi: '3.1.0' });
    expect(Object.keys(body.paths as object).sort()).toEqual([
      '/api/health',
      '/api/schedules',
      '/api/schedules/{schedulePda}',
      '/api/schedules/{schedulePda}/executions',
    ]);
  });
});
