import {
  actFor,
  buildTransaction,
  getRedirectWithdrawalInstruction,
  prepareList,
  type RecipientJson,
  recipientsToJson,
  SEALED_TYPE,
  signRequest,
  signRequestWithBody,
  systemTime,
} from '@payouts/client';
import { type Blockhash, generateKeyPairSigner, type KeyPairSigner, type Signature } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../src/domain/errors.ts';
import { Problem } from '../src/domain/problems.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import type { Landed } from '../src/ledger/landed.ts';
import type { ComparisonResult } from '../src/reconciliation/compareAll.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import type { Database } from '../src/store/db/openDatabase.ts';
import { stopRun } from '../src/store/queries/runs.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { HOST, NO_LIMITS, type TestApi, testApi } from './support/api.ts';
import { deferred } from './support/deferred.ts';
import { type Document, expectDocumented, type Operation, operationsOf } from './support/document.ts';
import { useLedger } from './support/ledgerStub.ts';
import { personalAccount } from './support/personal.ts';
import { type Promised, promise, randomAddress, somePayees } from './support/promised.ts';
import { resumableRuns } from './support/resumable.ts';
import { addRun } from './support/runs.ts';
import { settleWindow } from './support/settleWindow.ts';
import { openStore, useStore } from './support/stores.ts';

const SIGNATURE =
  '3AsdoALgZFuq2oUVWrDYhg2pNeaLJKPLf8hU2mQ6U8qJxeJ6hsrPVpMn9ma39DtfYCrDQSvngWRP8NnTpEhezJpE' as Signature;
const BODY_LIMIT = 20_000;
/** What the server answers before any route: shown once for all routes in the tests of its protection. */
const BEFORE_ROUTES = ['408', '417', '431', '500'];

/** A request, and what it is answered; `code` undefined: no error. */
type Asked = {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: unknown;
  /** Which of the services below is asked, if not the one that works. */
  readonly of?: 'limited' | 'full' | 'stopping' | 'without database';
};

/** A request that is refused, and how. */
type Refusal = readonly [status: number, code: string, ask: () => Asked | Promise<Asked>];

const found = (): ComparisonResult => ({
  counts: { schedules: 1, vaults: 1, tokens: 1, unregistered: 0 },
  healed: [],
  remaining: [],
  hasLayer: true,
  hasList: true,
  isComplete: true,
});

const employer = await generateKeyPairSigner();
const stranger = await generateKeyPairSigner();

describe('every endpoint answers every status that its description names', () => {
  const store = useStore();
  const ledger = useLedger();
  let services: Record<'working' | NonNullable<Asked['of']>, TestApi>;
  let closed: Database;
  let document: Document;
  let known: Promised;
  const seen = new Map<string, Set<string>>();
  const keys = localPayloadKeys(new Uint8Array(32).fill(5));
  const landed = new Map<string, Landed>();
  /** What a comparison finds; each test has its own. */
  let compared: (fix: boolean) => Promise<ComparisonResult> = async () => found();
  /** What becomes of a transfer from a fresh wallet; each test has its own. */
  let carried: () => Promise<Signature> = async () => SIGNATURE;
  const feeRelay = { carry: () => carried(), terms: () => Promise.reject(new RunError('ledger-unavailable', 'Away.')) };
  const stopping = new AbortController();

  beforeAll(async () => {
    closed = (await openStore('PostgreSQL')).database;
    await closed.close();
    const make = (database: Database, limits = {}, more = {}) =>
      testApi(database, ledger.url, {
        bodyLimitBytes: BODY_LIMIT,
        limits: { ...NO_LIMITS, ...limits },
        payloadKeys: keys,
        issuer: stranger,
        landed: async (signature) => landed.get(signature),
        dashboard: { operators: [employer.address], compare: (fix) => compared(fix) },
        feeRelay,
        ...more,
      });
    services = {
      working: await make(store.database),
      limited: await make(store.database, { registrationsPerMinute: 0, readsPerMinute: 0 }),
      full: await make(store.database, { registrationsAtATime: 0 }, { eventStreams: 0, feeRelay: undefined }),
      stopping: await make(store.database, {}, { draining: stopping.signal }),
      'without database': await make(closed),
    };
    document = JSON.parse(await openApiDocument(systemTime)) as Document;
    known = promise(ledger, employer.address, somePayees(5));
    expect((await send({ ...registration(known) })).status).toBe(201);
  });
  afterAll(async () => {
    for (const { api } of Object.values(services)) await api.close();
  });
  beforeEach(() => {
    ledger.isBroken = false;
  });

  const registration = ({ schedulePda, list }: Promised, change: (entries: RecipientJson[]) => unknown = () => {}) => {
    const recipients = recipientsToJson(list.recipients);
    change(recipients);
    return { method: 'POST' as const, url: '/api/schedules', payload: { schedulePda, recipients } };
  };

  /** Sends a request, and throws unless its answer is as the document says. */
  async function send({ method = 'GET', url, headers = {}, payload, of }: Asked) {
    const body = payload === undefined ? {} : { payload: payload as string | object };
    const { api } = services[of ?? 'working'];
    const response = await api.inject({ method, url, headers: { host: HOST, ...headers }, ...body });
    const answer = { status: response.statusCode, headers: response.headers, body: response.body };
    const [operation, errorFields] = operationOf(method, url);
    expectDocumented(document, errorFields, answer);
    seen.set(operation, (seen.get(operation) ?? new Set()).add(String(answer.status)));
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['x-request-id']).toBeDefined();
    return answer;
  }

  function operationOf(method: string, url: string): [string, Operation] {
    const path = url.split('?', 1)[0] as string;
    const found = operationsOf(document).find(([operation]) => {
      const [itsMethod, template = ''] = operation.split(' ');
      return itsMethod === method && new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path);
    });
    if (found === undefined) throw new Error(`${method} ${url} is not described.`);
    return found;
  }

  async function expectBody(asked: Asked, status: number, body: object) {
    const answer = await send(asked);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([status, body]);
    return answer;
  }

  async function expectAnswer(asked: Asked, status: number, code: string): Promise<void> {
    const answer = await expectBody(asked, status, { code, status });
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    if (status === 429 || status === 503) expect(answer.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
    if (code === 'rate-limited') expect(answer.headers['ratelimit-remaining']).toBe('0');
  }

  const signed = async (signer: KeyPairSigner, url: string, method: Asked['method'] = 'GET'): Promise<Asked> => ({
    url,
    method,
    headers: await signRequest({ signer, method, url: `http://${HOST}${url}`, time: systemTime }),
  });

  const refuses = (...refusals: readonly Refusal[]) =>
    it.each(refusals)('%i %s', async (status, code, ask) => expectAnswer(await ask(), status, code));

  /** What every route answers when too much is asked of it, and without its database. */
  const overloaded = (ask: () => Asked | Promise<Asked>): Refusal[] => [
    [429, 'rate-limited', async () => ({ ...(await ask()), of: 'limited' })],
    [503, 'database-unavailable', async () => ({ ...(await ask()), of: 'without database' })],
  ];

  /** The same of a route that needs a signature, and what it answers without one. */
  const signedOnly = (ask: () => Promise<Asked>): Refusal[] => [
    [401, 'signature-missing', async () => unsigned(await ask())],
    [421, 'public-origins-mismatch', async () => elsewhere(await ask())],
    ...overloaded(ask),
  ];
  function unsigned({ headers = {}, ...asked }: Asked): Asked {
    const { signature: _, 'signature-input': __, ...others } = headers;
    return { ...asked, headers: others };
  }

  const elsewhere = ({ headers, ...asked }: Asked): Asked => ({
    ...asked,
    headers: { ...headers, host: 'evil.example' },
  });

  /** The same of a route that is for the employer, and what it answers to a stranger. */
  const permittedOnly = (ask: (signer: KeyPairSigner) => Promise<Asked>): Refusal[] => [
    [403, 'not-permitted', () => ask(stranger)],
    ...signedOnly(() => ask(employer)),
  ];

  /** What a route answers to a body that is none, or none of its own. */
  const malformed = (post: (payload: unknown) => Asked | Promise<Asked>): Refusal[] => [
    [400, 'invalid-json', () => post('{')],
    [400, 'invalid-body', () => post({ other: 1 })],
    [413, 'body-too-large', () => post({ url: 'x'.repeat(70_000) })],
    [415, 'unsupported-media-type', async () => ({ ...(await post('x')), headers: { 'content-type': 'text/csv' } })],
  ];

  describe('POST /api/schedules', () => {
    it('201, then 200 for the same again', async () => {
      const promised = promise(ledger, employer.address, somePayees(3));
      const root = Buffer.from(promised.list.root).toString('hex');
      const first = await send(registration(promised));
      expect(first.status).toBe(201);
      expect(JSON.parse(first.body)).toEqual({ schedulePda: promised.schedulePda, root, recipients: 3, created: true });
      expect(first.headers).toMatchObject({ 'ratelimit-limit': '1000000', 'ratelimit-policy': '1000000;w=60' });
      await expectBody(registration(promised), 200, { created: false });
    });

    const at = (entries: RecipientJson[], index: number) =>
      entries.find((entry) => entry.index === index) as RecipientJson;

    const sent = (payload: unknown): Asked => ({
      ...registration(known),
      headers: { 'content-type': 'application/json' },
      payload,
    });
    const fresh = (change: (entries: RecipientJson[]) => unknown) =>
      registration(promise(ledger, employer.address, somePayees(4)), change);
    refuses(
      ...malformed(sent),
      [400, 'invalid-address', () => sent({ ...registration(known).payload, schedulePda: 'x' })],
      [400, 'sealed-unreadable', () => ({ ...sent('x'), headers: { 'content-type': SEALED_TYPE } })],
      [400, 'idempotency-key-invalid', () => ({ ...sent({}), headers: { 'idempotency-key': 'with space' } })],
      [404, 'schedule-not-found', () => registration({ ...known, schedulePda: randomAddress() })],
      [409, 'list-conflict', () => registration({ ...known, list: prepareList(somePayees(5)) })],
      [422, 'invalid-recipient', () => fresh((entries) => Object.assign(at(entries, 1), { salt: 'ab' }))],
      [422, 'count-mismatch', () => fresh((entries) => entries.splice(entries.indexOf(at(entries, 3)), 1))],
      [422, 'total-mismatch', () => fresh((entries) => Object.assign(at(entries, 1), { amount: '1' }))],
      [422, 'root-mismatch', () => fresh((entries) => Object.assign(at(entries, 1), { salt: '00'.repeat(16) }))],
      [429, 'concurrency-limited', () => ({ ...registration(known), of: 'full' })],
      ...overloaded(() => registration(known)),
    );

    it('503 ledger-unavailable', async () => {
      ledger.isBroken = true;
      const asked = fresh(() => {});
      await expectAnswer(asked, 503, 'ledger-unavailable');
    });
  });

  describe('GET /api/schedules/:schedulePda', () => {
    const path = (address: string = known.schedulePda) => `/api/schedules/${address}`;

    it('200 with public fields alone', async () => {
      const { body } = await expectBody({ url: path() }, 200, {
        schedulePda: known.schedulePda,
        vault: known.vault,
        mint: known.mint,
        recipients: 5,
        amountPerExecution: String(known.list.total),
        calendar: { unit: 'months-on-day', every: 1, day: 31 },
        status: 'active',
        phase: 'idle',
        window: '0',
        nextExecution: 1_800_000_000_000,
        nextWindow: { number: '0', dueAt: 1_800_000_000_000 },
        registration: { state: 'registered' },
      });
      for (const { recipient, amount } of known.list.recipients) {
        expect(body).not.toContain(recipient);
        expect(body).not.toContain(String(amount));
      }
    });

    it('says that no window comes when none does, and that a list is missing when it is', async () => {
      const { schedulePda } = await registered();
      const update = (columns: object) => changeSchedule(store.query, schedulePda, columns);
      const shown = async () => JSON.parse((await send({ url: path(schedulePda) })).body);
      await update({ phase: 'open' });
      expect(await shown()).toMatchObject({ nextWindow: null, phase: 'open' });
      await update({ phase: 'idle', status: 'completed', executions_left: 0 });
      expect(await shown()).toMatchObject({ nextWindow: null, status: 'completed' });
      await update({ status: 'paused', executions_left: 2, root: 'ab'.repeat(32) });
      expect(await shown()).toMatchObject({ nextWindow: { number: '0' }, registration: { state: 'list-missing' } });
    });

    refuses(
      [400, 'invalid-address', () => ({ url: path('nonsense') })],
      [404, 'schedule-not-found', () => ({ url: path(randomAddress()) })],
      ...overloaded(() => ({ url: path() })),
    );
  });

  describe('GET /api/schedules/:schedulePda/executions', () => {
    const path = (query = '', address: string = known.schedulePda) => `/api/schedules/${address}/executions${query}`;
    type Page = { executions: { window: string }[]; nextCursor: string | null };

    it('200 with runs in pages, newest first', async () => {
      const { schedulePda } = await registered();
      for (let window = 0n; window < 5n; window++) await addRun(store.query, { schedule: schedulePda, window });
      const page = async (query: string) => JSON.parse((await send({ url: path(query, schedulePda) })).body) as Page;
      const first = await page('?limit=3');
      expect(first.executions.map(({ window }) => window)).toEqual(['4', '3', '2']);
      expect(first.executions[0]).toMatchObject({ state: 'queued', claims: { paid: 0, total: 3 }, attempts: [] });
      const second = await page(`?limit=3&cursor=${first.nextCursor}`);
      expect(second).toMatchObject({ executions: [{ window: '1' }, { window: '0' }], nextCursor: null });
      expect((await page('')).executions).toHaveLength(5);
    });

    const wrong = ['limit=0', 'limit=101', 'limit=x', 'limit=', 'cursor=x', 'cursor=', 'cursor=w-1', 'other=1'];
    refuses(
      ...[...wrong, 'limit=1&limit=2'].map(
        (query): Refusal => [400, 'invalid-query', () => ({ url: path(`?${query}`) })],
      ),
      [400, 'invalid-address', () => ({ url: path('', 'nonsense') })],
      [404, 'schedule-not-found', () => ({ url: path('', randomAddress()) })],
      ...overloaded(() => ({ url: path() })),
    );

    it('takes the largest cursor that it may have given', async () => {
      expect((await send({ url: path(`?cursor=w${'9'.repeat(18)}`) })).status).toBe(200);
    });
  });

  describe.each(['', '/me'])('GET /api/schedules/:schedulePda/recipients%s', (end) => {
    const path = (address: string = known.schedulePda) => `/api/schedules/${address}/recipients${end}`;

    it('200 to who may read it', async () => {
      const reader = await generateKeyPairSigner();
      const payees = [{ recipient: reader.address, amount: 8_000_000_321n }, ...somePayees(2)];
      const { schedulePda } = await registered(payees);
      const { status, body } = await send(await signed(end === '' ? employer : reader, path(schedulePda)));
      expect(status).toBe(200);
      expect(body).toContain('8000000321');
    });

    refuses(
      [400, 'invalid-address', () => signed(employer, path('nonsense'))],
      [400, 'invalid-query', () => signed(employer, `${path()}?limit=0`)],
      [401, 'signature-invalid', async () => ({ ...(await signed(employer, path())), url: `${path()}?limit=1` })],
      [404, 'schedule-not-found', () => signed(employer, path(randomAddress()))],
      ...permittedOnly((signer) => signed(signer, path())),
    );
  });

  it('GET /api/schedules/:schedulePda/recipients 409 list-replaced', async () => {
    const path = `/api/schedules/${known.schedulePda}/recipients?cursor=r${'ab'.repeat(32)}-1`;
    await expectAnswer(await signed(employer, path), 409, 'list-replaced');
  });

  describe.each(['balances', 'history', 'proofs'])('GET /api/recipients/:address/%s', (what) => {
    const path = (address = 'me') => `/api/recipients/${address}/${what}`;
    it('200 to whoever signs', async () => {
      expect((await send(await signed(stranger, path()))).status).toBe(200);
    });
    refuses(
      [400, 'invalid-address', () => signed(stranger, path('nonsense'))],
      [403, 'not-permitted', () => signed(stranger, path(randomAddress()))],
      ...signedOnly(() => signed(stranger, path())),
    );
  });

  describe('POST /api/transactions', () => {
    const personal = randomAddress();
    const sent = (payload: unknown): Asked => ({
      method: 'POST',
      url: '/api/transactions',
      headers: { 'content-type': 'application/json' },
      payload,
    });
    const body = (transaction: string) => sent({ transaction });
    async function own(): Promise<Asked> {
      const lifetime = { blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 9n };
      const { instructions, feePayer } = await actFor(stranger, { personal, time: systemTime }, (signer) => [
        getRedirectWithdrawalInstruction({ signer, personal, id: 1, wallet: randomAddress() }),
      ]);
      return body((await buildTransaction({ feePayer, instructions, lifetime })).wire);
    }
    const isTheirs = () => {
      ledger.put(personal, personalAccount({ recipient: stranger.address }).data);
    };

    it('403 while there is no such balance of theirs, 200 when it was executed, 409 when it was refused', async () => {
      await expectAnswer(await own(), 403, 'not-permitted');
      isTheirs();
      ledger.status = { err: null, confirmationStatus: 'confirmed' };
      expect((await send(await own())).status).toBe(200);
      ledger.status = { err: { InstructionError: [0, { Custom: 6031 }] }, confirmationStatus: 'confirmed' };
      await expectBody(await own(), 409, { code: 'transaction-refused', reason: 'NoWithdrawalPending' });
      ledger.isBroken = true;
      await expectAnswer(await own(), 503, 'layer-unavailable');
    });

    refuses(
      ...malformed(sent),
      [422, 'invalid-transaction', () => body('AA==')],
      [429, 'rate-limited', () => ({ ...body('AA=='), of: 'limited' })],
    );
  });

  describe('POST /api/relayed-transfers', () => {
    const sent = (payload: unknown): Asked => ({
      method: 'POST',
      url: '/api/relayed-transfers',
      headers: { 'content-type': 'application/json' },
      payload,
    });
    const body = () => sent({ transaction: 'AA==' });
    it('200 when it is confirmed, and what the relay says when it is not', async () => {
      expect((await send(body())).status).toBe(200);
      for (const [status, code] of [
        [403, 'not-permitted'],
        [422, 'invalid-transaction'],
        [409, 'transaction-refused'],
        [503, 'relay-empty'],
      ] as const) {
        carried = () => Promise.reject(new Problem(code, 'It is not.'));
        await expectAnswer(body(), status, code);
      }
    });

    refuses(
      ...malformed(sent),
      [404, 'relay-off', () => ({ ...body(), of: 'full' })],
      [429, 'rate-limited', () => ({ ...body(), of: 'limited' })],
    );
  });

  const id = '7f6b2c0e-3a55-4b7e-9a0f-6d1f2f6c9b11';
  const at = (end: string, address: string = known.schedulePda) => `/api/schedules/${address}${end}`;
  const posted = async (signer: KeyPairSigner, payload: unknown, url: string): Promise<Asked> => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const headers = await signRequestWithBody({ signer, url: `http://${HOST}${url}`, body, time: systemTime });
    return { method: 'POST', url, headers, payload: body };
  };

  describe('grants, audits and payslips', () => {
    const wish = () => ({ auditor: stranger.address, scope: 'totals', endsAt: Date.now() + 60_000 });
    const post = (signer: KeyPairSigner, payload: unknown = wish(), url = at('/grants')) =>
      posted(signer, payload, url);

    it('200 to who may, 201 for a grant', async () => {
      const reader = await generateKeyPairSigner();
      const promised = await registered([{ recipient: reader.address, amount: 8_000_000_322n }, ...somePayees(2)]);
      const { schedulePda } = promised;
      await settleWindow({ query: store.query, keys, authority: stranger, landed }, promised, 0n);
      const granted = await send(await post(employer, wish(), at('/grants', schedulePda)));
      expect(granted.status).toBe(201);
      const { id: given } = JSON.parse(granted.body) as { id: string };
      const wanted = { ...wish(), scope: 'recipients', recipients: [reader.address], fromWindow: '0', toWindow: '0' };
      const { id: named } = JSON.parse((await send(await post(employer, wanted, at('/grants', schedulePda)))).body) as {
        id: string;
      };
      const answers = [
        await signed(reader, at('/recipients/me/payslips/0', schedulePda)),
        await signed(employer, at('/payslips/0', schedulePda)),
        await signed(stranger, at('/audit', schedulePda)),
        await signed(stranger, '/api/auditors/me/grants'),
        await signed(stranger, at(`/grants/${named}/payslips`, schedulePda)),
        await signed(employer, at('/grants', schedulePda)),
        await signed(employer, at(`/grants/${given}`, schedulePda), 'DELETE'),
      ];
      for (const asked of answers) expect((await send(asked)).status, asked.url).toBe(200);
    });

    refuses(
      ...malformed((payload) => post(employer, payload)),
      ...permittedOnly((signer) => post(signer)),
      [400, 'invalid-window', () => signed(employer, at('/payslips/01'))],
      [404, 'payslip-not-found', () => signed(employer, at('/payslips/9'))],
      [404, 'grant-not-found', () => signed(employer, at(`/grants/${id}`), 'DELETE')],
      [404, 'grant-not-found', () => signed(employer, at('/grants/x'), 'DELETE')],
      [400, 'invalid-body', () => post(employer, { ...wish(), scope: 'all' })],
      [400, 'invalid-address', () => post(employer, wish(), at('/grants', 'nonsense'))],
      [404, 'schedule-not-found', () => post(employer, wish(), at('/grants', randomAddress()))],
      [422, 'invalid-grant', () => post(employer, { ...wish(), endsAt: 1 })],
    );
  });

  describe.each<[NonNullable<Asked['method']>, string]>([
    ['GET', '/audit'],
    ['GET', '/grants'],
    ['GET', '/payslips/0'],
    ['GET', '/recipients/me/payslips/0'],
    ['GET', `/grants/${id}/payslips`],
    ['DELETE', `/grants/${id}`],
    ['GET', '/webhooks'],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/secret`],
    ['POST', `/webhooks/${id}/test`],
    ['GET', `/webhooks/${id}/deliveries`],
  ])('%s /api/schedules/:schedulePda%s', (method, end) => {
    refuses(
      [400, 'invalid-address', () => signed(employer, at(end, 'nonsense'), method)],
      [400, 'invalid-query', () => signed(employer, `${at(end)}?other=1`, method)],
      [404, 'schedule-not-found', () => signed(employer, at(end, randomAddress()), method)],
      ...permittedOnly((signer) => signed(signer, at(end), method)),
    );
  });

  describe.each([
    '/api/overview',
    '/api/series',
    '/api/runs',
    '/api/session',
    '/api/employers/me/schedules',
    '/api/auditors/me/grants',
  ])('GET %s', (path) => {
    const isOfAnybody = path.endsWith('/session') || path.includes('/me/');

    it('200 to an operator', async () => {
      expect((await send(await signed(employer, path))).status).toBe(200);
    });

    it('403 not-permitted to others, but about themselves', async () => {
      if (isOfAnybody) expect((await send(await signed(stranger, path))).status).toBe(200);
      else await expectAnswer(await signed(stranger, path), 403, 'not-permitted');
    });

    refuses(
      [400, 'invalid-query', () => signed(employer, `${path}?other=1`)],
      ...signedOnly(() => signed(employer, path)),
    );
  });

  it('GET /api/employers/me/schedules 200 with the schedules of the signer alone, in pages', async () => {
    const [other, some] = [await generateKeyPairSigner(), 101];
    const path = '/api/employers/me/schedules';
    const addresses: string[] = [];
    for (let number = 0; number < some; number++) addresses.push(await addSchedule(store.query, {}));
    const { query } = store;
    await query.updateTable('schedules').set({ employer: other.address }).where('address', 'in', addresses).execute();
    type Page = { schedules: { schedulePda: string }[]; nextCursor: string | null };
    const first = JSON.parse((await send(await signed(other, path))).body) as Page;
    const second = JSON.parse((await send(await signed(other, `${path}?cursor=${first.nextCursor}`))).body) as Page;
    expect([first.schedules.length, second.schedules.length, second.nextCursor]).toEqual([100, 1, null]);
    const shown = [...first.schedules, ...second.schedules].map(({ schedulePda }) => schedulePda);
    expect([...shown].sort()).toEqual([...addresses].sort());
    const none = await send(await signed(stranger, path));
    expect(JSON.parse(none.body)).toEqual({ schedules: [], nextCursor: null });
  });

  describe('GET /api/schedules/:schedulePda/executions/:window', () => {
    const path = (window = '0', address: string = known.schedulePda) =>
      `/api/schedules/${address}/executions/${window}`;

    it('200 with the run', async () => {
      const { schedulePda } = await registered();
      await addRun(store.query, { schedule: schedulePda, window: 0n });
      await expectBody({ url: path('0', schedulePda) }, 200, { window: '0', state: 'queued', advice: null });
    });

    refuses(
      [400, 'invalid-address', () => ({ url: path('0', 'nonsense') })],
      [400, 'invalid-window', () => ({ url: path('01') })],
      [404, 'run-not-found', () => ({ url: path('9') })],
      ...overloaded(() => ({ url: path() })),
    );
  });

  describe('POST /api/runs/:schedulePda/:window/resume', () => {
    const path = (window = '0', address: string = known.schedulePda) => `/api/runs/${address}/${window}/resume`;
    const resume = (signer: KeyPairSigner, url: string) => signed(signer, url, 'POST');

    it('202 for a stopped run, which the next look takes up; 409 for one that is not', async () => {
      const { query } = store;
      const { schedulePda } = await registered();
      const key = { schedule: schedulePda, window: 0n };
      const { id } = await addRun(query, key);
      await expectAnswer(await resume(employer, path('0', schedulePda)), 409, 'run-not-stopped');
      await stopRun(query, id, { state: 'exhausted', code: 'claims-refused', detail: 'x', resumeAt: null });
      expect((await resumableRuns(query, Date.now())).map((run) => run.id)).not.toContain(id);
      await expectAnswer(await resume(stranger, path('0', schedulePda)), 403, 'not-permitted');
      expect((await resumableRuns(query, Date.now())).map((run) => run.id)).not.toContain(id);
      const { status, body } = await send(await resume(employer, path('0', schedulePda)));
      expect([status, JSON.parse(body)]).toEqual([202, { schedulePda, window: '0', state: 'exhausted' }]);
      expect((await resumableRuns(query, Date.now())).map((run) => run.id)).toContain(id);
      const line = services.working.lines().find(({ msg }) => msg === 'an operator lets a run go on');
      expect(line).toMatchObject({ operator: employer.address, run: `${schedulePda}:0` });
    });

    refuses(
      [400, 'invalid-address', () => resume(employer, path('0', 'nonsense'))],
      [400, 'invalid-window', () => resume(employer, path('x'))],
      [400, 'invalid-query', () => resume(employer, `${path()}?all=1`)],
      [404, 'run-not-found', () => resume(employer, path('9'))],
      ...permittedOnly((signer) => resume(signer, path())),
    );
  });

  describe('POST /api/reconcile', () => {
    const compare = (signer: KeyPairSigner, payload: unknown = { fix: false }) =>
      posted(signer, payload, '/api/reconcile');

    it('200 with what was found, as the command prints it', async () => {
      const asked: boolean[] = [];
      compared = async (fix) => {
        asked.push(fix);
        const remaining = Array.from(
          { length: 1_200 },
          () => ({ kind: 'run-missing', address: known.schedulePda }) as const,
        );
        return { ...found(), remaining, healed: [{ kind: 'run-differs', address: known.schedulePda, window: 3n }] };
      };
      for (const fix of [true, false]) {
        const { status, body } = await send(await compare(employer, { fix }));
        const { differences, ...view } = JSON.parse(body);
        expect([status, view]).toMatchObject([
          200,
          { healed: 1, remaining: 1_200, isComplete: true, isLayerCompared: true, isUnregisteredSearched: true },
        ]);
        expect(differences).toHaveLength(1_000);
        const first = { kind: 'run-differs', about: `${known.schedulePda}:3`, detail: null, isHealed: true };
        expect(differences[0]).toEqual(first);
      }
      expect(asked).toEqual([true, false]);
    });

    it('429 while one is under way, and goes on after one that failed', async () => {
      const [begun, ended] = [deferred(), deferred<ComparisonResult>()];
      compared = () => {
        begun.resolve();
        return ended.promise;
      };
      const first = send(await compare(employer));
      await begun.promise;
      await expectAnswer(await compare(employer), 429, 'concurrency-limited');
      ended.resolve(found());
      expect((await first).status).toBe(200);
      compared = () => Promise.reject(new RunError('ledger-unavailable', 'The base ledger does not answer.'));
      await expectAnswer(await compare(employer), 503, 'ledger-unavailable');
      compared = async () => found();
      expect((await send(await compare(employer))).status).toBe(200);
    });

    refuses(
      ...malformed((payload) => compare(employer, payload)),
      ...permittedOnly((signer) => compare(signer)),
      [400, 'invalid-body', () => compare(employer, { fix: 'yes' })],
      [400, 'invalid-body', () => compare(employer, {})],
    );
  });

  describe('webhooks', () => {
    const wish = { url: 'https://hooks.example.com/payouts' };
    const create = (signer: KeyPairSigner, payload: unknown = wish, url = at('/webhooks')) =>
      posted(signer, payload, url);
    const replay = (signer: KeyPairSigner, which: string = id, payload: unknown = { since: 0 }) =>
      posted(signer, payload, at(`/webhooks/${which}/replay`));

    it('201 for one, 200 and 202 to its employer', async () => {
      const created = await send(await create(employer));
      expect(created.status).toBe(201);
      const { id: given } = JSON.parse(created.body) as { id: string };
      const one = `/webhooks/${given}`;
      const answers: [number, Asked][] = [
        [200, await signed(employer, at('/webhooks'))],
        [200, await signed(employer, at(`${one}/secret`), 'POST')],
        [202, await signed(employer, at(`${one}/test`), 'POST')],
        [202, await replay(employer, given)],
        [200, await signed(employer, at(`${one}/deliveries`))],
      ];
      for (const [status, asked] of answers) expect((await send(asked)).status, asked.url).toBe(status);
      const { query } = store;
      await query.updateTable('webhook_endpoints').set({ disabled_at: '1' }).where('id', '=', given).execute();
      await expectAnswer(await replay(employer, given), 409, 'webhook-disabled');
      expect((await send(await signed(employer, at(one), 'DELETE'))).status).toBe(200);
    });

    refuses(
      [404, 'webhook-not-found', () => signed(employer, at(`/webhooks/${id}`), 'DELETE')],
      [404, 'webhook-not-found', () => signed(employer, at('/webhooks/%C2%84/deliveries'))],
      [404, 'webhook-not-found', () => signed(employer, at(`/webhooks/${'x'.repeat(101)}/deliveries`))],
      [404, 'webhook-not-found', () => replay(employer)],
      [404, 'schedule-not-found', () => create(employer, wish, at('/webhooks', randomAddress()))],
      [422, 'invalid-webhook', () => create(employer, { url: 'http://hooks.example.com/' })],
    );

    describe.each([
      ['', create],
      [`/${id}/replay`, (signer: KeyPairSigner, payload?: unknown) => replay(signer, id, payload)],
    ])('POST /webhooks%s', (_, post) => {
      refuses(...malformed((payload) => post(employer, payload)), ...permittedOnly((signer) => post(signer)));
    });
  });

  describe('GET /api/events', () => {
    const path = '/api/events';

    it('200 to an operator, until the service stops', async () => {
      const following = send({ ...(await signed(employer, path)), of: 'stopping' });
      setTimeout(() => stopping.abort(), 300);
      const { status, headers, body } = await following;
      expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
      expect(body).toMatch(/^event: ready\n/m);
      await expectAnswer({ ...(await signed(employer, path)), of: 'stopping' }, 503, 'service-stopping');
    });

    refuses(
      [400, 'invalid-query', () => signed(employer, `${path}?schedule=nonsense`)],
      [429, 'streams-limited', async () => ({ ...(await signed(employer, path)), of: 'full' })],
      ...permittedOnly((signer) => signed(signer, path)),
    );
  });

  describe('GET /api/rounds/:mint', () => {
    const path = (mint: string = known.mint) => `/api/rounds/${mint}`;

    it('200 with what is public of a token, and of one that pays nobody', async () => {
      const { body } = await expectBody({ url: path() }, 200, { mint: known.mint, recent: [], waiting: null });
      const { size, nextAt, latestAt, expected } = JSON.parse(body);
      expect(size).toMatch(/^[125]0*$/);
      expect(expected.at).toBeGreaterThanOrEqual(nextAt);
      expect(expected.at).toBeLessThanOrEqual(latestAt);
      await expectBody({ url: path(randomAddress()) }, 200, { size: null, nextSize: null, largest: null });
    });

    refuses([400, 'invalid-address', () => ({ url: path('nonsense') })], ...overloaded(() => ({ url: path() })));
  });

  describe('GET /api/deployment', () => {
    const url = '/api/deployment';

    it('200 with what is known, whatever the ledger does', async () => {
      await expectBody({ url }, 200, {
        ...{ rpcUrls: [], layerUrls: [], layerIsPrivate: false, recipientPage: null },
        listKey: { kty: 'EC', crv: 'P-256', kid: expect.any(String) },
      });
    });

    refuses(
      [400, 'invalid-query', () => ({ url: `${url}?of=nonsense` })],
      [429, 'rate-limited', () => ({ url, of: 'limited' })],
      [503, 'service-stopping', () => ({ url, of: 'stopping' })],
    );
  });

  it('GET /api/health 200, and 503 with the same fields', async () => {
    const url = '/api/health';
    const well = await expectBody({ url }, 200, { status: 'healthy', database: 'connected' });
    const gone = { status: 'unhealthy', database: 'disconnected' };
    const ill = await expectBody({ url, of: 'without database' }, 503, gone);
    expect(Object.keys(JSON.parse(ill.body))).toEqual(Object.keys(JSON.parse(well.body)));
  });

  describe('GET /api/metrics', () => {
    it('200 with the token', async () => {
      const { status, headers } = await send({
        url: '/api/metrics',
        headers: { authorization: 'Bearer token-of-the-tests' },
      });
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    });

    refuses([403, 'metrics-forbidden', () => ({ url: '/api/metrics' })]);
  });

  it('no query parameter is taken that the description does not name', async () => {
    for (const [operation] of operationsOf(document)) {
      const [method, template = ''] = operation.split(' ') as [NonNullable<Asked['method']>, string];
      const path = template
        .replaceAll(/\{(schedulePda|address)\}/g, known.schedulePda)
        .replace('{window}', '0')
        .replace('{id}', '5f0c0d52-2c3c-4c8a-9a4e-2d6b3d5f0a11');
      // Without a body where one belongs: the query is looked at first.
      const answer = await send({ method, url: `${path}?surplus=1` });
      expect([operation, JSON.parse(answer.body)]).toMatchObject([
        operation,
        { code: 'invalid-query', status: 400, pointer: '/surplus', detail: '/surplus is not known.' },
      ]);
    }
  });

  it.each(['/api/openapi.json', '/api/docs/static/swagger-ui.css', '/api/docs/json'])('%s takes none', async (path) => {
    const { api } = services.working;
    expect((await api.inject(path)).statusCode).toBe(200);
    const refused = await api.inject(`${path}?surplus=1`);
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { code: 'invalid-query' }]);
  });

  it('every status that is described was seen', () => {
    for (const [operation, { responses }] of operationsOf(document)) {
      const expected = Object.keys(responses).filter((status) => !BEFORE_ROUTES.includes(status));
      expect([...(seen.get(operation) ?? [])].sort(), operation).toEqual(expected.sort());
    }
  });

  async function registered(payees = somePayees(5)): Promise<Promised> {
    const promised = promise(ledger, employer.address, payees);
    expect((await send(registration(promised))).status).toBe(201);
    return promised;
  }
});
