import { randomBytes } from 'node:crypto';
import {
  actFor,
  BALANCE_PAGE_KIND,
  buildTransaction,
  derivePageAddress,
  findRolePda,
  getRedirectWithdrawalInstruction,
  getRoleEncoder,
  newInvitation,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  paymentCodeOf,
  prepareList,
  type RecipientJson,
  RoleKind,
  recipientsToJson,
  SEALED_TYPE,
  signAddressChange,
  signRequest,
  signRequestWithBody,
  systemTime,
  termsOfLeaf,
} from '@payouts/client';
import { type Address, type Blockhash, generateKeyPairSigner, type KeyPairSigner, type Signature } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../src/domain/errors.ts';
import { Problem } from '../src/domain/problems.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import type { Landed } from '../src/ledger/landed.ts';
import { RecipientIndex } from '../src/lists/recipientIndex.ts';
import type { ComparisonResult } from '../src/reconciliation/compareAll.ts';
import { sqlBalanceStore } from '../src/store/balanceStore.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { openNotice } from '../src/store/crypto/webhookSeal.ts';
import type { Database } from '../src/store/db/openDatabase.ts';
import { allotPlaces } from '../src/store/queries/slots.ts';
import { setPartSize } from '../src/withdrawals/partSizes.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { HOST, NO_LIMITS, type TestApi, testApi } from './support/api.ts';
import { deferred } from './support/deferred.ts';
import { type Document, expectDocumented, type Operation, operationsOf } from './support/document.ts';
import { useLedger } from './support/ledgerStub.ts';
import { silentLog } from './support/log.ts';
import { personalAccount } from './support/personal.ts';
import { type Promised, promise, randomAddress, somePayees } from './support/promised.ts';
import { resumableRuns } from './support/resumable.ts';
import { addRun, stopRun } from './support/runs.ts';
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
  /** Called once the answer has begun to come. */
  readonly begun?: () => void;
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
      full: await make(
        store.database,
        { registrationsAtATime: 0 },
        { eventStreams: 0, feeRelay: undefined, sendsMail: false },
      ),
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
  async function send({ method = 'GET', url, headers = {}, payload, of, begun }: Asked) {
    const body = payload === undefined ? {} : { payload: payload as string | object };
    const { api } = services[of ?? 'working'];
    const asked = { method, url, headers: { host: HOST, ...headers }, ...body };
    const response = await api.inject({ ...asked, payloadAsStream: begun !== undefined });
    const chunks: Buffer[] = [];
    for await (const chunk of begun === undefined ? [] : response.stream()) {
      if (chunks.push(chunk) === 1) begun?.();
    }
    const text = begun === undefined ? response.body : Buffer.concat(chunks).toString();
    const answer = { status: response.statusCode, headers: response.headers, body: text };
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

  describe('POST /api/recipients/:address/payment-codes', () => {
    const path = (address = 'me') => `/api/recipients/${address}/payment-codes`;
    const ask = (signer: KeyPairSigner, mint: string, address = 'me') => posted(signer, { mint }, path(address));

    /** The pages of balances that a list has, as the layer shows them once its window is paid. */
    async function paged({ schedulePda, list, mint }: Promised): Promise<void> {
      const row = await store.query
        .selectFrom('recipient_lists')
        .selectAll()
        .where('schedule', '=', schedulePda)
        .executeTakeFirstOrThrow();
      const terms = Buffer.concat(list.recipients.map(termsOfLeaf));
      const lists = [{ list: row, vault: randomAddress(), terms }];
      const nonces = { randomBelow: () => 0, newNonce: () => randomBytes(16), mostBalances: 1_000_000 };
      await allotPlaces(store.query, keys, { mint, lists, at: Date.now(), ...nonces });
      for (const { nonce } of await sqlBalanceStore(store.query, keys).readPages(mint, Date.now())) {
        ledger.put(
          derivePageAddress(mint, nonce, PAYOUT_LEDGER_PROGRAM_ADDRESS).address,
          Uint8Array.of(BALANCE_PAGE_KIND),
        );
      }
    }

    it('409 while no page has room, then 200 with the same code each time', async () => {
      const reader = await generateKeyPairSigner();
      const promised = await registered([{ recipient: reader.address, amount: 8_000_000_323n }, ...somePayees(2)]);
      const { recipients } = services.working;
      recipients.prepare();
      await recipients.idle();
      await expectAnswer(await ask(reader, promised.mint), 409, 'no-room-yet');
      await paged(promised);
      const first = await send(await ask(reader, promised.mint));
      expect(first.status).toBe(200);
      expect((await send(await ask(reader, promised.mint, reader.address))).body).toBe(first.body);
      const { paymentCode, salt } = JSON.parse(first.body) as { paymentCode: string; salt: string };
      const own = { recipient: reader.address, salt: Buffer.from(salt, 'hex'), delivery: 'balance' } as const;
      expect(paymentCode).toBe(paymentCodeOf(ownerRecord(own).owner));
    });

    refuses(
      ...malformed((payload) => posted(stranger, payload, path())),
      [400, 'invalid-address', () => ask(stranger, known.mint, 'nonsense')],
      [403, 'not-permitted', () => ask(stranger, known.mint)],
      [403, 'not-permitted', () => ask(stranger, known.mint, randomAddress())],
      ...signedOnly(() => ask(stranger, known.mint)),
    );
  });

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

  describe('what an employer’s people may ask of a schedule', () => {
    const reads = ['/recipients', '/grants', '/audit', '/payslips/0', '/recipients/me/payslips/0'];
    const changes: [NonNullable<Asked['method']>, string][] = [
      ['DELETE', `/grants/${id}`],
      ['GET', '/webhooks'],
      ['DELETE', `/webhooks/${id}`],
      ['POST', `/webhooks/${id}/secret`],
      ['POST', `/webhooks/${id}/test`],
      ['GET', `/webhooks/${id}/deliveries`],
    ];
    const grant = { auditor: randomAddress(), scope: 'totals', endsAt: Date.now() + 3_600_000 };
    const statusFor = async (signer: KeyPairSigner, end: string, method: Asked['method'] = 'GET', payload?: unknown) =>
      send(await (payload === undefined ? signed(signer, at(end), method) : posted(signer, payload, at(end))));

    it('a viewer reads, and is told so of everything else', async () => {
      const viewer = await generateKeyPairSigner();
      await giveRole(viewer.address, RoleKind.Viewer);
      for (const end of reads) expect((await statusFor(viewer, end)).status, end).not.toBe(403);
      const asked = [
        ...changes,
        ['POST', '/grants', grant],
        ['POST', '/webhooks', { url: 'https://example.com/' }],
      ] as const;
      for (const [method, end, payload] of asked) {
        const { status, body } = await statusFor(viewer, end, method, payload);
        expect([status, JSON.parse(body)], end).toMatchObject([403, { code: 'not-permitted' }]);
        expect(JSON.parse(body).detail).toMatch(/^You are a viewer/);
      }
    });

    it('a clerk lets auditors read, too; whoever has lost a role does nothing', async () => {
      const clerk = await generateKeyPairSigner();
      await giveRole(clerk.address, RoleKind.Clerk);
      for (const [method, end] of changes) expect((await statusFor(clerk, end, method)).status, end).not.toBe(403);
      expect((await statusFor(clerk, '/grants', 'POST', grant)).status).toBe(201);
      await giveRole(clerk.address, RoleKind.None);
      for (const end of reads.filter((each) => !each.includes('/me/')))
        expect((await statusFor(clerk, end)).status, end).toBe(403);
      for (const [method, end] of changes) expect((await statusFor(clerk, end, method)).status, end).toBe(403);
    });
  });

  /** Puts a role where an employer gives it. */
  async function giveRole(holder: Address, given: RoleKind, by = employer.address): Promise<void> {
    const [account] = await findRolePda({ employer: by, holder });
    const role = { bump: 255, given, employer: by, holder, since: 0n };
    ledger.put(account, new Uint8Array(getRoleEncoder().encode(role)));
  }

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

  it('GET /api/employers/me/schedules 200 to a viewer of the employer, 403 to others', async () => {
    const { address } = await generateKeyPairSigner();
    const path = `/api/employers/me/schedules?employer=${address}`;
    await expectAnswer(await signed(stranger, path), 403, 'not-permitted');
    await giveRole(stranger.address, RoleKind.Viewer, address);
    expect((await send(await signed(stranger, path))).status).toBe(200);
    await expectAnswer(await signed(employer, path), 403, 'not-permitted');
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
      const following = { ...(await signed(employer, path)), of: 'stopping' } as const;
      const { status, headers, body } = await send({ ...following, begun: () => stopping.abort() });
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

  describe('invitations', () => {
    const path = '/api/invitations';
    const one = newInvitation();
    const sealed = 'q'.repeat(40);
    const mark = 'q'.repeat(43);
    const wanted = (more = {}) => ({
      ...{ vault: known.vault, expiresAt: Date.now() + 60_000 },
      invitations: [{ id: one.id, content: sealed, kept: sealed }],
      ...more,
    });
    const create = (signer: KeyPairSigner, payload: unknown = wanted()) => posted(signer, payload, path);
    const open = (payload: unknown = { token: one.token }): Asked => ({
      ...{ method: 'POST', url: '/api/invitation-lookups', headers: { 'content-type': 'application/json' }, payload },
    });
    const answer = (payload: unknown = { token: one.token, mark, sealed }): Asked => ({
      ...open(payload),
      url: '/api/invitation-answers',
    });
    const unknown = newInvitation().token;

    it('201 to the employer of the vault, and 200 to whoever has the link, until it is withdrawn', async () => {
      await expectBody(await create(employer), 201, { count: 1 });
      await expectBody(open(), 200, { vault: known.vault, content: sealed });
      await expectBody(answer(), 200, { state: 'kept' });
      const other = await generateKeyPairSigner();
      const listed = async (signer: KeyPairSigner) =>
        JSON.parse((await send(await signed(signer, path))).body) as { invitations: { answers: unknown[] }[] };
      expect((await listed(employer)).invitations).toMatchObject([{ id: one.id, kept: sealed, answers: [{ sealed }] }]);
      expect(await listed(other)).toEqual({ invitations: [] });
      for (const letter of ['r', 's']) {
        await expectBody(answer({ token: one.token, mark: letter.repeat(43), sealed }), 200, { state: 'kept' });
      }
      await expectAnswer(answer({ token: one.token, mark: 't'.repeat(43), sealed }), 409, 'invitation-answered');
      await expectBody(answer(), 200, { state: 'kept' });
      await expectAnswer(await signed(other, `${path}/${one.id}`, 'DELETE'), 404, 'invitation-not-found');
      await expectBody(await signed(employer, `${path}/${one.id}`, 'DELETE'), 200, { id: one.id });
      for (const asked of [open(), answer()]) await expectAnswer(asked, 404, 'invitation-not-found');
    });

    refuses(
      ...malformed((payload) => create(employer, payload)),
      ...permittedOnly((signer) => create(signer)),
      [403, 'not-permitted', () => create(employer, wanted({ vault: randomAddress() }))],
      [422, 'invalid-invitation', () => create(employer, wanted({ expiresAt: Date.now() - 1 }))],
      [422, 'invalid-invitation', () => create(employer, wanted({ expiresAt: Date.now() + 91 * 86_400_000 }))],
      [
        400,
        'invalid-body',
        () => create(employer, wanted({ invitations: [{ id: 'x', content: sealed, kept: sealed }] })),
      ],
      [400, 'invalid-body', () => create(employer, wanted({ invitations: [] }))],
    );

    it('503 ledger-unavailable', async () => {
      ledger.isBroken = true;
      await expectAnswer(await create(employer), 503, 'ledger-unavailable');
    });

    describe.each([
      ['GET', ''],
      ['DELETE', `/${id}`],
    ] as const)('%s /api/invitations%s', (method, end) => {
      refuses(
        [400, 'invalid-query', () => signed(employer, `${path}${end}?other=1`, method)],
        ...signedOnly(() => signed(employer, path + end, method)),
      );
    });

    describe.each([
      ['lookups', (payload: unknown) => open(payload), { token: unknown }],
      ['answers', (payload: unknown) => answer(payload), { token: unknown, mark, sealed }],
    ] as const)('POST /api/invitation-%s', (_, ask, payload) => {
      refuses(
        ...malformed((body) => ask(body)),
        [400, 'invalid-query', () => ({ ...ask(payload), url: `${ask(payload).url}?other=1` })],
        [404, 'invitation-not-found', () => ask(payload)],
        ...overloaded(() => ask(payload)),
      );
    });
  });

  describe('requests for another address', () => {
    const path = '/api/address-changes';
    const proof = 'q'.repeat(86);
    const wanted = (more = {}) => ({
      ...{ schedulePda: known.schedulePda, next: stranger.address, askedAt: Date.now() },
      signatures: { present: proof, next: proof },
      ...more,
    });
    const create = (signer: KeyPairSigner, payload: unknown = wanted()) => posted(signer, payload, path);

    it('201 to a recipient who has both keys, and 200 to their employer', async () => {
      const [reader, next] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
      const { schedulePda, vault } = await registered([
        { recipient: reader.address, amount: 8_000_000_321n },
        ...somePayees(2),
      ]);
      const { signal } = new AbortController();
      const recipients = new RecipientIndex({
        database: store.query,
        payloadKeys: keys,
        time: systemTime,
        log: silentLog,
        signal,
      });
      recipients.prepare();
      await recipients.idle();
      const askedAt = Date.now();
      const asked = async (more = {}) => {
        const { signatures } = await signAddressChange(reader, next, { vault, askedAt });
        return wanted({ schedulePda, next: next.address, askedAt, signatures, ...more });
      };
      const { signatures } = await asked();
      for (const wrong of [
        { next: stranger.address },
        { next: reader.address },
        { askedAt: askedAt + 3_600_000 },
        { askedAt: 1 },
        { signatures: { ...signatures, present: proof } },
        { signatures: { ...signatures, next: signatures.present } },
      ]) {
        await expectAnswer(await create(reader, await asked(wrong)), 422, 'invalid-address-change');
      }
      await expectAnswer(await create(stranger, await asked()), 403, 'not-permitted');
      await send(await create(reader, await asked()));
      const { body } = await expectBody(await create(reader, await asked()), 201, {});
      const change = {
        ...(JSON.parse(body) as { id: string }),
        vault,
        present: reader.address,
        next: next.address,
        askedAt,
        signatures,
      };
      await expectBody(await signed(employer, path), 200, { changes: [change] });
      await expectBody(await signed(reader, path), 200, { changes: [] });
      await expectAnswer(await signed(reader, `${path}/${change.id}`, 'DELETE'), 404, 'address-change-not-found');
      await expectBody(await signed(employer, `${path}/${change.id}`, 'DELETE'), 200, { id: change.id });
      ledger.isBroken = true;
      await expectAnswer(await create(reader, await asked()), 503, 'ledger-unavailable');
    });

    refuses(...malformed((payload) => create(employer, payload)), ...permittedOnly((signer) => create(signer)), [
      404,
      'schedule-not-found',
      () => create(employer, wanted({ schedulePda: randomAddress() })),
    ]);

    describe.each([
      ['GET', ''],
      ['DELETE', `/${id}`],
    ] as const)('%s /api/address-changes%s', (method, end) => {
      refuses(
        [400, 'invalid-query', () => signed(employer, `${path}${end}?other=1`, method)],
        ...signedOnly(() => signed(employer, path + end, method)),
      );
    });
  });

  describe('notices', () => {
    const path = '/api/notices';
    const wish = (more = {}) => ({
      address: 'https://chat.example.com/hooks',
      schedulePda: known.schedulePda,
      ...more,
    });
    const create = (signer: KeyPairSigner, payload: unknown = wish()) => posted(signer, payload, path);
    const confirm = (signer: KeyPairSigner, payload: unknown = { code: 'AAAAAAAAAA' }, which: string = id) =>
      posted(signer, payload, `${path}/${which}/code`);
    const codeOf = async (which: string) => {
      const row = await store.query
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('id', '=', which)
        .executeTakeFirstOrThrow();
      return (await openNotice(keys, row)).content.code;
    };

    it('201 for one, and 200 to whose it is', async () => {
      const { body } = await expectBody(await create(employer, wish({ address: 'finance@example.com' })), 201, {
        address: 'finance@example.com',
        format: null,
        details: 'none',
        state: 'unconfirmed',
      });
      const { id: given } = JSON.parse(body) as { id: string };
      await expectBody(await create(employer, wish({ scope: 'vault', details: 'amounts' })), 201, {
        ...{ format: 'slack', vault: known.vault, schedulePda: null, details: 'amounts', state: 'active' },
      });
      await expectAnswer(await confirm(employer, { code: 'AAAAAAAAAA' }, given), 422, 'wrong-code');
      await expectAnswer(await confirm(stranger, { code: 'AAAAAAAAAA' }, given), 404, 'notice-not-found');
      const code = await codeOf(given);
      await expectBody(await confirm(employer, { code }, given), 200, { state: 'active' });
      const listed = JSON.parse((await send(await signed(employer, path))).body) as { notices: { state: string }[] };
      expect(listed.notices.map(({ state }) => state)).toEqual(['active', 'active']);
      expect(JSON.parse((await send(await signed(stranger, path))).body)).toEqual({ notices: [] });
      await expectBody(await signed(employer, `${path}/${given}`, 'DELETE'), 200, { address: 'finance@example.com' });
      await expectAnswer(await signed(employer, `${path}/${given}`, 'DELETE'), 404, 'notice-not-found');
    });

    it('201 to a recipient, of their own money, and 429 after too many codes', async () => {
      const reader = await generateKeyPairSigner();
      await registered([{ recipient: reader.address, amount: 8_000_000_321n }, ...somePayees(2)]);
      const { signal } = new AbortController();
      const index = { database: store.query, payloadKeys: keys, time: systemTime, log: silentLog, signal };
      const recipients = new RecipientIndex(index);
      recipients.prepare();
      await recipients.idle();
      for (let time = 0; time < 3; time++) {
        const { body } = await expectBody(await create(reader, { address: 'ada@example.com' }), 201, { vault: null });
        const { id: given } = JSON.parse(body) as { id: string };
        await send(await signed(reader, `${path}/${given}`, 'DELETE'));
      }
      await expectAnswer(await create(reader, { address: 'ada@example.com' }), 429, 'notices-limited');
    });

    refuses(
      ...malformed((payload) => create(employer, payload)),
      ...permittedOnly((signer) => create(signer)),
      [403, 'not-permitted', () => create(stranger, { address: 'ada@example.com' })],
      [404, 'schedule-not-found', () => create(employer, wish({ schedulePda: randomAddress() }))],
      [422, 'invalid-notice', () => create(employer, wish({ address: 'http://chat.example.com/' }))],
      [422, 'invalid-notice', () => create(employer, wish({ address: 'ada@example.com\nBcc: ben@example.com' }))],
      [422, 'invalid-notice', () => create(employer, wish({ address: 'ada@example.com', format: 'slack' }))],
      [422, 'invalid-notice', () => create(employer, wish({ types: ['recipient.paid'] }))],
      [422, 'mail-off', async () => ({ ...(await create(employer, wish({ address: 'a@example.com' }))), of: 'full' })],
    );

    describe.each([
      ['GET', ''],
      ['DELETE', `/${id}`],
    ] as const)('%s /api/notices%s', (method, end) => {
      refuses(
        [400, 'invalid-query', () => signed(employer, `${path}${end}?other=1`, method)],
        ...signedOnly(() => signed(employer, path + end, method)),
      );
    });

    describe('POST /api/notices/:id/code', () => {
      refuses(...malformed((payload) => confirm(employer, payload)), ...signedOnly(() => confirm(employer)), [
        404,
        'notice-not-found',
        () => confirm(employer, { code: 'A' }, 'x'),
      ]);
    });

    describe('/api/unsubscribe/:token', () => {
      const url = `/api/unsubscribe/${'a'.repeat(43)}`;
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const end = (more = {}): Asked => ({
        method: 'POST',
        url,
        headers: form,
        payload: 'List-Unsubscribe=One-Click',
        ...more,
      });

      it('200 with a page that asks, and one that says that it is done, whatever the token is', async () => {
        const asked = await send({ url });
        expect([asked.status, asked.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
        expect(asked.body).toContain('<form method="post">');
        const many = { 'content-type': 'multipart/form-data; boundary=x' };
        for (const ended of [
          await send(end()),
          await send(end({ headers: many })),
          await send({ method: 'POST', url }),
        ]) {
          expect([ended.status, ended.body.includes('no more')]).toEqual([200, true]);
        }
      });

      refuses(
        [400, 'invalid-query', () => ({ url: `${url}?other=1` })],
        [429, 'rate-limited', () => ({ url, of: 'limited' })],
        [503, 'service-stopping', () => ({ url, of: 'stopping' })],
        [400, 'invalid-query', () => end({ url: `${url}?other=1` })],
        [413, 'body-too-large', () => end({ payload: 'x'.repeat(2_000) })],
        [415, 'unsupported-media-type', () => end({ headers: { 'content-type': 'text/csv' } })],
        ...overloaded(() => end()),
      );
    });
  });

  describe('GET /api/rounds/:mint', () => {
    const path = (mint: string = known.mint) => `/api/rounds/${mint}`;

    it('200 with what is public of a token, and of one that pays nobody', async () => {
      await setPartSize(store.query, known.mint, 500n, Date.now());
      const there = { mint: known.mint, size: '500', recent: [], waiting: null };
      const { body } = await expectBody({ url: path() }, 200, there);
      const { nextAt, latestAt, expected } = JSON.parse(body);
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
