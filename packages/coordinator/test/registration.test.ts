import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  findPoolAddress,
  prepareList,
  type RecipientJson,
  recipientsToJson,
  ScheduleStatus,
  SEALED_TYPE,
  sealText,
} from '@payouts/client';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow, readRecipients } from '../src/store/queries/lists.ts';
import { findSchedule } from '../src/store/queries/schedules.ts';
import { useApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { type Promised, promise, randomAddress, scheduleOver, somePayees } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const BODY_LIMIT = 400_000;
const keys = localPayloadKeys(randomBytes(32));
const JSON_TYPE = { 'content-type': 'application/json' };

type Proven = RecipientJson & { proof?: string[] };

describe('POST /api/schedules', () => {
  const store = useStore();
  const ledger = useLedger();
  const stored: ListRow[] = [];
  const employer = randomAddress();
  const service = useApi(store, {
    ledger,
    payloadKeys: keys,
    bodyLimitBytes: BODY_LIMIT,
    onStored: (list) => stored.push(list),
  });
  beforeAll(() => service.api.listen({ host: '127.0.0.1', port: 0 }));

  /** A schedule on the ledger with its list, as its employer sends it. */
  const promised = (size = 5): Promised & { recipients: RecipientJson[] } => {
    const made = promise(ledger, employer, somePayees(size));
    return { ...made, recipients: recipientsToJson(made.list.recipients) };
  };
  const rootOf = ({ list }: Pick<Promised, 'list'>) => Buffer.from(list.root).toString('hex');
  const proven = ({ list }: Promised): Proven[] =>
    recipientsToJson(list.recipients).map((entry) => ({
      ...entry,
      proof: list.tree.proof(entry.index).map((hash) => Buffer.from(hash).toString('hex')),
    }));

  async function post(body: unknown, headers: Record<string, string> = {}) {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await service.api.inject({
      method: 'POST',
      url: '/api/schedules',
      headers: { ...JSON_TYPE, ...headers },
      payload,
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: answer.json() as Record<string, unknown>,
      text: answer.body,
    };
  }
  const refusal = (status: number, code: string) => ({ status, body: { code } });
  /** Sends a promised list as it is. */
  const send = ({ schedulePda, recipients }: ReturnType<typeof promised>, headers: Record<string, string> = {}) =>
    post({ schedulePda, recipients }, headers);
  /** Sends until it is taken: one client has two places, and whoever has waited too long for one is asked to send again. */
  const taken = async (sending: () => ReturnType<typeof post>): ReturnType<typeof post> => {
    const answer = await sending();
    return answer.status === 429 ? taken(sending) : answer;
  };
  const count = async (table: 'recipient_lists' | 'schedules' | 'idempotency_keys' | 'recipient_list_chunks') => {
    const { rows } = await store.database.pool.query(`select count(*) as n from ${table}`);
    return Number((rows[0] as { n: string }).n);
  };

  it('stores a list that rebuilds the root: 201, then 200 for the same again', async () => {
    const made = promised();
    const { schedulePda, recipients } = made;
    expect(await post({ schedulePda, recipients })).toMatchObject({
      status: 201,
      body: { schedulePda, root: rootOf(made), recipients: 5, created: true },
    });
    expect(await post({ schedulePda, recipients: recipients.toReversed(), mint: made.mint })).toMatchObject({
      status: 200,
      body: { created: false },
    });
    const list = await findList(store.query, schedulePda, rootOf(made));
    if (list === undefined) throw new Error('not stored');
    expect(stored).toContainEqual(list);
    expect(await readRecipients(store.query, list, keys)).toEqual(made.list.recipients);
    expect(await findSchedule(store.query, schedulePda)).toMatchObject({ employer, vault: made.vault });
    expect(await service.counted('service_registrations_total', { outcome: 'created' })).toBeGreaterThan(0);
    expect(await service.counted('service_registrations_total', { outcome: 'repeated' })).toBeGreaterThan(0);
  });

  it('stores it once when fifty send the same at once: one 201, the rest 200', async () => {
    const { schedulePda, recipients } = promised(300);
    const before = await count('recipient_lists');
    const answers = await Promise.all(Array.from({ length: 50 }, () => taken(() => post({ schedulePda, recipients }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
    expect(await count('recipient_lists')).toBe(before + 1);
    expect(stored.filter(({ schedule }) => schedule === schedulePda)).toHaveLength(1);
  });

  it('takes a list that waits for the approver beside the present one, so that no run is held for it', async () => {
    const made = promised();
    const { schedulePda, vault, mint } = made;
    await send(made);
    const next = prepareList(somePayees(7));
    const proposed = { proposedRoot: next.root, proposedAmount: next.total, proposedRecipients: 7, proposedAt: 5n };
    const put = (terms: Partial<typeof proposed>) =>
      ledger.putSchedule(schedulePda, scheduleOver(made.list, { vault, mint, ...terms }));
    const sendNext = () => post({ schedulePda, recipients: recipientsToJson(next.recipients) });
    expect((await sendNext()).status).toBe(409);
    put({ ...proposed, proposedAmount: next.total + 1n });
    expect(await sendNext()).toMatchObject(refusal(422, 'total-mismatch'));
    put(proposed);
    expect(await sendNext()).toMatchObject({ status: 201, body: { recipients: 7 } });
    expect(await sendNext()).toMatchObject({ status: 200 });
    expect(await findList(store.query, schedulePda, rootOf({ list: next }))).toBeDefined();
    const { body } = await send(made);
    expect(body).toMatchObject({ root: rootOf(made), created: false });
    // What was rejected waits no more.
    put({});
    expect(await sendNext()).toMatchObject(refusal(422, 'root-replaced'));
  });

  it('registers a schedule that awaits approval, and says that no window opens', async () => {
    const made = promised();
    const { schedulePda, vault, mint } = made;
    ledger.putSchedule(schedulePda, scheduleOver(made.list, { vault, mint, status: ScheduleStatus.Awaiting }));
    expect(await send(made)).toMatchObject({ status: 201 });
    const shown = await service.api.inject(`/api/schedules/${schedulePda}`);
    expect(shown.json()).toMatchObject({ status: 'awaiting', nextWindow: null, registration: { state: 'registered' } });
  });

  it('tells a list of a replaced root from one that fits nothing, whether or not the new one is registered', async () => {
    const made = promised();
    const { schedulePda, recipients, vault, mint } = made;
    await post({ schedulePda, recipients });
    const next = prepareList(somePayees(6));
    ledger.putSchedule(schedulePda, scheduleOver(next, { rootVersion: 1, vault, mint }));
    expect(await post({ schedulePda, recipients })).toMatchObject(refusal(422, 'root-replaced'));
    expect(await post({ schedulePda, recipients: recipientsToJson(next.recipients) })).toMatchObject({ status: 201 });
    expect(await post({ schedulePda, recipients })).toMatchObject(refusal(422, 'root-replaced'));
  });

  const changed = (change: (entries: RecipientJson[]) => unknown) => {
    const { schedulePda, recipients } = promised();
    change(recipients);
    return { schedulePda, recipients };
  };
  const at = (entries: Proven[], index: number) => entries.find((entry) => entry.index === index) as Proven;
  const withEntry = (index: number, fields: Record<string, unknown>) =>
    changed((entries) => Object.assign(at(entries, index), fields));
  const unchanged = () => changed(() => {});
  const without = (index: number) => changed((entries) => entries.splice(entries.indexOf(at(entries, index)), 1));
  const miscounted = (found: number) => ({ code: 'count-mismatch', expected: 5, found });
  const invalid = (index: number, field: string) => ({ code: 'invalid-recipient', index, field });

  it.each<[string, number, Record<string, unknown>, () => unknown]>([
    ['no JSON', 400, { code: 'invalid-json' }, () => '{"schedulePda":'],
    ['an empty body', 400, { code: 'invalid-json' }, () => ''],
    ['no object', 400, { code: 'invalid-body' }, () => '[]'],
    ['no recipients', 400, { pointer: '/recipients' }, () => ({ schedulePda: randomAddress() })],
    ['an empty list', 400, { pointer: '/recipients' }, () => ({ schedulePda: randomAddress(), recipients: [] })],
    ['an unknown field', 400, { code: 'invalid-body' }, () => withEntry(2, { name: 'x' })],
    ['a number for an amount', 400, { code: 'invalid-body' }, () => withEntry(2, { amount: 5 })],
    ['a text for an index', 400, { code: 'invalid-body' }, () => withEntry(2, { index: '2' })],
    ['a malformed schedule', 400, { code: 'invalid-address' }, () => ({ ...unchanged(), schedulePda: 'no address' })],
    ['a malformed recipient', 422, invalid(2, 'recipient'), () => withEntry(2, { recipient: 'O0' })],
    ['a recipient who is nobody', 422, invalid(2, 'recipient'), () => withEntry(2, { recipient: '1'.repeat(32) })],
    ['a salt that is too short', 422, invalid(2, 'salt'), () => withEntry(2, { salt: 'ab' })],
    ['an index that stands there twice', 422, invalid(2, 'index'), () => withEntry(1, { index: 2 })],
    ['an index beyond the list', 422, invalid(5, 'index'), () => withEntry(2, { index: 5 })],
    ...['0', '-1', '1.5', '01', '1e3', ' 1', '', '18446744073709551616', '99999999999999999999'].map(
      (amount): [string, number, Record<string, unknown>, () => unknown] => [
        `the amount "${amount}"`,
        422,
        invalid(2, 'amount'),
        () => withEntry(2, { amount }),
      ],
    ),
    ['another delivery than promised', 422, { code: 'root-mismatch' }, () => withEntry(2, { delivery: 'wallet' })],
    ['another root', 422, { code: 'root-mismatch' }, () => withEntry(2, { salt: '00'.repeat(16) })],
    ['another total', 422, { code: 'total-mismatch' }, () => withEntry(2, { amount: '1' })],
    [
      'a total of more than 64 bits',
      422,
      { code: 'total-mismatch' },
      () =>
        changed((entries) => {
          for (const entry of entries) entry.amount = '18446744073709551615';
        }),
    ],
    ['another token', 422, { code: 'mint-mismatch' }, () => ({ ...unchanged(), mint: randomAddress() })],
    [
      'a schedule that is not on the ledger',
      404,
      { code: 'schedule-not-found' },
      () => ({ schedulePda: randomAddress(), recipients: promised().recipients }),
    ],
    ['one recipient too few', 422, miscounted(4), () => without(4)],
    ['one recipient too few, in the middle', 422, miscounted(4), () => without(2)],
    ['one recipient too many', 422, miscounted(6), () => ({ ...unchanged(), recipients: promised(6).recipients })],
  ])('refuses %s with %i, stores nothing, and repeats nothing private', async (_, status, problem, make) => {
    const body = make();
    const before = await count('recipient_lists');
    const answer = await post(body);
    expect(answer).toMatchObject({ status, body: { ...problem, status } });
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(await count('recipient_lists')).toBe(before);
    const code = String(answer.body.code);
    expect(await service.counted('service_registrations_total', { outcome: code })).toBeGreaterThan(0);
    for (const { recipient, amount, salt } of (body as { recipients?: RecipientJson[] }).recipients ?? []) {
      for (const secret of [recipient, salt, String(amount)]) {
        if (secret.length < 8) continue;
        expect(answer.text).not.toContain(secret);
        expect(service.logged().includes(secret)).toBe(false);
      }
    }
  });

  it.each(['wallet', 'balance'] as const)('refuses the pool as a recipient, by %s', async (delivery) => {
    const mint = randomAddress();
    const pool = await findPoolAddress(mint);
    const [vault, schedulePda] = [randomAddress(), randomAddress()];
    const list = prepareList([...somePayees(4), { recipient: pool, amount: 7n, delivery }]);
    ledger.putSchedule(schedulePda, scheduleOver(list, { vault, mint }));
    const recipients = recipientsToJson(list.recipients);
    const index = recipients.find(({ recipient }) => recipient === pool)?.index;
    expect(await post({ schedulePda, recipients })).toMatchObject({
      status: 422,
      body: { code: 'invalid-recipient', index, field: 'recipient' },
    });
  });

  it('names the place of a wrong shape as a JSON pointer', async () => {
    const { schedulePda, recipients } = promised();
    const place = recipients.findIndex(({ index }) => index === 3);
    Object.assign(recipients[place] as RecipientJson, { salt: 7 });
    expect((await post({ schedulePda, recipients })).body).toMatchObject({ pointer: `/recipients/${place}/salt` });
  });

  describe('with proofs', () => {
    it('takes a list whose proofs are those of its tree, also of some entries only', async () => {
      for (const size of [1, 2, 7, 33]) {
        const made = promised(size);
        const recipients = proven(made);
        delete (recipients[0] as Proven).proof;
        expect(await post({ schedulePda: made.schedulePda, recipients })).toMatchObject({ status: 201 });
        expect(await post({ schedulePda: made.schedulePda, recipients: proven(made) })).toMatchObject({ status: 200 });
      }
    });

    it.each<[string, (proof: string[]) => string[], number]>([
      ['another hash', (proof) => proof.with(1, '00'.repeat(32)), 1],
      ['a missing hash', (proof) => proof.slice(0, -1), 2],
      ['one hash too many', (proof) => [...proof, '00'.repeat(32)], 3],
      ['no hashes', () => [], 0],
    ])('refuses %s in one, naming the entry and the hash', async (_, change, level) => {
      const made = promised(7);
      const recipients = proven(made);
      at(recipients, 4).proof = change(at(recipients, 4).proof as string[]);
      expect(await post({ schedulePda: made.schedulePda, recipients })).toMatchObject({
        status: 422,
        body: { code: 'proof-mismatch', index: 4, level },
      });
    });

    it('names the first entry that is not what the ledger promises', async () => {
      const made = promised(7);
      const recipients = proven(made);
      for (const index of [6, 3]) at(recipients, index).salt = '00'.repeat(16);
      const answer = await post({ schedulePda: made.schedulePda, recipients });
      expect(answer).toMatchObject({ status: 422, body: { code: 'proof-mismatch', index: 3 } });
    });
  });

  it('refuses an account of another program and one of another kind', async () => {
    const { schedulePda, recipients } = promised();
    for (const [kind, owner] of [
      [4, randomAddress()],
      [3, undefined],
    ] as const) {
      ledger.put(schedulePda, new Uint8Array(320).fill(kind), owner);
      const answer = await post({ schedulePda, recipients });
      expect(answer).toMatchObject(refusal(404, 'schedule-not-found'));
    }
  });

  describe('and what is final on the ledger', () => {
    it('waits for a schedule that is confirmed', async () => {
      const { schedulePda, recipients } = promised();
      const begun = performance.now();
      ledger.hideFinal(schedulePda, 700);
      expect(await post({ schedulePda, recipients })).toMatchObject({ status: 201 });
      expect(performance.now() - begun).toBeGreaterThan(600);
    });

    it('waits for a root that is confirmed, and takes the list of the old one no more', async () => {
      const made = promised();
      const { schedulePda, vault, mint } = made;
      await send(made);
      const next = prepareList(somePayees(5));
      ledger.putSchedule(schedulePda, scheduleOver(next, { vault, mint, rootVersion: 1 }), 700);
      expect(await post({ schedulePda, recipients: recipientsToJson(next.recipients) })).toMatchObject({ status: 201 });
    });
  });

  describe('with an Idempotency-Key', () => {
    const key = () => `"${crypto.randomUUID()}"`;

    it('answers the same list under the same key as the first time', async () => {
      const made = promised();
      const header = { 'idempotency-key': key() };
      const first = await send(made, header);
      expect(first).toMatchObject({ status: 201, body: { created: true } });
      expect(first.headers).not.toHaveProperty('idempotency-replayed');
      for (const same of [header, { 'idempotency-key': header['idempotency-key'].slice(1, -1) }]) {
        const again = await send(made, same);
        expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
      }
      const other = await send(made, { 'idempotency-key': key() });
      expect(other).toMatchObject({ status: 200, body: { created: false } });
      expect(other.headers).not.toHaveProperty('idempotency-replayed');
      expect(await send(made)).toMatchObject({ status: 200 });
    });

    /** A schedule with another list that waits for its approver, so that both are the schedule's. */
    const promisedTwice = (size = 5) => {
      const made = promised(size);
      const next = promised(size);
      const { root, total: amount } = next.list;
      const waiting = { proposedRoot: root, proposedAmount: amount, proposedRecipients: size, proposedAt: 5n };
      const { vault, mint } = made;
      ledger.putSchedule(made.schedulePda, scheduleOver(made.list, { vault, mint, ...waiting }));
      return [made, { ...next, schedulePda: made.schedulePda }] as const;
    };

    it('refuses another list of the schedule under the same key, and stores nothing of it', async () => {
      const [one, two] = promisedTwice();
      const header = { 'idempotency-key': key() };
      await send(one, header);
      const before = await count('recipient_lists');
      expect(await send(two, header)).toMatchObject(refusal(422, 'idempotency-key-reused'));
      expect(await count('recipient_lists')).toBe(before);
      expect(await send(two, { 'idempotency-key': key() })).toMatchObject({ status: 201 });
    });

    it('keeps the keys of schedules apart', async () => {
      const header = { 'idempotency-key': key() };
      for (const made of [promised(), promised()]) {
        const answer = await send(made, header);
        expect(answer).toMatchObject({ status: 201 });
        expect(answer.headers).not.toHaveProperty('idempotency-replayed');
      }
    });

    it('tells nobody of a used key who has not shown the list that is on the ledger', async () => {
      const [one, other] = [promised(), promised()];
      const header = { 'idempotency-key': key() };
      await send(one, header);
      const wrong = { schedulePda: one.schedulePda, recipients: other.recipients };
      const [used, fresh] = [await post(wrong, header), await post(wrong, { 'idempotency-key': key() })];
      expect(used).toMatchObject(refusal(409, 'list-conflict'));
      expect(used.body).toEqual(fresh.body);
    });

    it('lets one of two lists have a key that both are sent under at once', async () => {
      const pair = promisedTwice(50);
      const header = { 'idempotency-key': key() };
      const before = await count('recipient_lists');
      const answers = await Promise.all(pair.map((made) => send(made, header)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
      expect(await count('recipient_lists')).toBe(before + 1);
    });

    it('answers 201 to all who send the same under the same key at once', async () => {
      const made = promised(50);
      const header = { 'idempotency-key': key() };
      const answers = await Promise.all(Array.from({ length: 10 }, () => taken(() => send(made, header))));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
      expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(9);
    });

    it('keeps successes only', async () => {
      const made = promised();
      const header = { 'idempotency-key': key() };
      const wrong = made.recipients.map((entry) => ({ ...entry, salt: '00'.repeat(16) }));
      expect(await post({ schedulePda: made.schedulePda, recipients: wrong }, header)).toMatchObject({ status: 422 });
      expect(await send(made, header)).toMatchObject({ status: 201 });
    });

    it('answers while the ledger is only read for what it needs: a stored answer stands when the root was replaced', async () => {
      const made = promised();
      const header = { 'idempotency-key': key() };
      await send(made, header);
      ledger.putSchedule(made.schedulePda, scheduleOver(prepareList(somePayees(5)), { rootVersion: 1 }));
      expect(await send(made, header)).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    });

    it('stores anew under the same key when the list was deleted meanwhile', async () => {
      const made = promised();
      const header = { 'idempotency-key': key() };
      await send(made, header);
      await store.query.deleteFrom('recipient_lists').where('schedule', '=', made.schedulePda).execute();
      expect(await send(made, header)).toMatchObject({ status: 201, body: { created: true } });
      expect(await findList(store.query, made.schedulePda, rootOf(made))).toBeDefined();
    });

    it('forgets keys after a day', async () => {
      const [one, two] = promisedTwice();
      const header = { 'idempotency-key': key() };
      await send(one, header);
      const day = String(Date.now() - 24 * 60 * 60 * 1_000 - 1);
      await store.query.updateTable('idempotency_keys').set({ created_at: day }).execute();
      expect(await send(two, header)).toMatchObject({ status: 201 });
      expect(await count('idempotency_keys')).toBe(1);
      expect(await send(one, header)).toMatchObject({ status: 422 });
    });

    it('does not keep the key itself', async () => {
      const secret = 'a-key-that-means-something';
      await send(promised(), { 'idempotency-key': secret });
      const { rows } = await store.database.pool.query(
        "select encode(key_hash, 'escape') as text from idempotency_keys",
      );
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(service.logged().includes(secret)).toBe(false);
    });

    it.each([
      ['nothing', ''],
      ['an empty text', '""'],
      ['a space', 'a b'],
      ['a space in quotes', '"a b"'],
      ['a quote that does not end', '"a'],
      ['a quote in the middle', 'a"b'],
      ['an unknown escape', '"\\a"'],
      ['two texts', '"a", "b"'],
      ['256 characters', 'x'.repeat(256)],
      ['256 characters in quotes', `"${'x'.repeat(256)}"`],
      ['a letter of another script', 'ключ'],
    ])('refuses %s for a key before it reads the body', async (_, header) => {
      expect(await post('{', { 'idempotency-key': header })).toMatchObject(refusal(400, 'idempotency-key-invalid'));
    });

    it.each(['x', 'x'.repeat(255), `"${'x'.repeat(255)}"`, '"a\\"b\\\\c"', '"a;b=c"'])(
      'takes the key %s',
      async (header) => {
        expect(await send(promised(), { 'idempotency-key': header })).toMatchObject({ status: 201 });
      },
    );
  });

  describe('on the wire', () => {
    const target = () => {
      const { port } = service.api.server.address() as AddressInfo;
      return { port, host: '127.0.0.1', method: 'POST', path: '/api/schedules' };
    };

    /** Sends parts one after the other over a real connection. */
    async function send(parts: readonly (string | Buffer)[], headers: Record<string, string | number> = {}) {
      const request = httpRequest({ ...target(), headers: { ...JSON_TYPE, ...headers } });
      const answered = once(request, 'response') as Promise<[IncomingMessage]>;
      // The server may end the connection once it has answered.
      request.on('error', () => {});
      for (const part of parts) request.write(part);
      request.end();
      const [response] = await answered;
      return { status: response.statusCode, text: await text(response) };
    }

    it('takes a body in any pieces', async () => {
      const { schedulePda, recipients } = promised(50);
      const body = JSON.stringify({ schedulePda, recipients });
      const parts = body.match(/.{1,97}/g) ?? [];
      expect(await send(parts)).toMatchObject({ status: 201 });
    });

    it('answers 413 above the body limit, whether or not the length was said', async () => {
      const parts = ['{"recipients":[', ...Array.from({ length: 10 }, () => ' '.repeat(BODY_LIMIT / 8))];
      for (const headers of [{}, { 'content-length': parts.join('').length }]) {
        expect(JSON.parse((await send(parts, headers)).text)).toMatchObject({ status: 413, code: 'body-too-large' });
      }
    });

    it('answers to a body that is wrong from the start when all of it was sent', async () => {
      const parts = ['{"recipients":[}', ...Array.from({ length: 3_000 }, () => ' '.repeat(10_000))];
      expect(JSON.parse((await send(parts)).text)).toMatchObject({ code: 'invalid-json', pointer: '/recipients/0' });
    });

    it('answers 415 to another media type, to none, and to a body that is encoded', async () => {
      const { schedulePda, recipients } = promised();
      const body = JSON.stringify({ schedulePda, recipients });
      const code = { status: 415, code: 'unsupported-media-type' };
      for (const headers of [{ 'content-type': 'text/csv' }, { 'content-encoding': 'gzip' }]) {
        expect(JSON.parse((await send([body], headers)).text)).toMatchObject(code);
      }
      const empty = await service.api.inject({ method: 'POST', url: '/api/schedules' });
      expect(empty.json()).toMatchObject(code);
      expect(await send([body], { 'content-encoding': 'identity' })).toMatchObject({ status: 201 });
    });

    const listKey = async (): Promise<JWK> =>
      ((await service.api.inject({ url: '/api/deployment' })).json() as { listKey: JWK }).listKey;
    const seal = async (body: unknown) => sealText(JSON.stringify(body), await listKey());
    const sealedType = { 'content-type': SEALED_TYPE };

    it('takes a list that is sealed for it, in any pieces, and says the same of what is wrong in it', async () => {
      const { schedulePda, recipients } = promised(2_500);
      const sealed = await seal({ schedulePda, recipients });
      expect(sealed.split('\n').length).toBeGreaterThan(2);
      expect(await send(sealed.match(/.{1,9999}\n?/g) ?? [], sealedType)).toMatchObject({ status: 201 });
      const [first, ...others] = recipients;
      const wrong = await seal({ schedulePda, recipients: [{ ...first, salt: 'ab' }, ...others] });
      expect(await post(wrong, sealedType)).toMatchObject(refusal(422, 'invalid-recipient'));
      const long = await sealText(`{"recipients":[${' '.repeat(2 * BODY_LIMIT)}`, await listKey());
      expect(await post(long, sealedType)).toMatchObject(refusal(413, 'body-too-large'));
    });

    it('refuses what is sealed for another key, changed, cut off or put in another order', async () => {
      const { schedulePda, recipients } = promised(2_500);
      const sealed = await seal({ schedulePda, recipients });
      const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, [
        'deriveBits',
      ]);
      const other = await crypto.subtle.exportKey('jwk', publicKey);
      const text = JSON.stringify({ schedulePda, recipients });
      const lines = sealed.trimEnd().split('\n');
      for (const [wrong, code] of [
        [await sealText(text, other), 'sealed-unreadable'],
        [await sealText(text, { ...other, kid: (await listKey()).kid } as JWK), 'sealed-unreadable'],
        [`${sealed.slice(0, -9)}${sealed.at(-9) === 'A' ? 'B' : 'A'}${sealed.slice(-8)}`, 'sealed-unreadable'],
        ['A'.repeat(550_000), 'sealed-unreadable'],
        [lines.slice(0, -1).join('\n'), 'invalid-json'],
        [lines.reverse().join('\n'), 'invalid-json'],
      ] as const) {
        expect(await post(wrong, sealedType)).toMatchObject(refusal(400, code));
      }
    });

    it('refuses sealed lines that are compressed, say nothing, or are more than a body may have', async () => {
      const { schedulePda, recipients } = promised();
      const key = await listKey();
      const to = await importJWK(key, 'ECDH-ES');
      const line = (content: string, header = {}) =>
        new CompactEncrypt(Buffer.from(content))
          .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid as string, ...header })
          .encrypt(to);
      const compressed = await line(JSON.stringify({ schedulePda, recipients }), { zip: 'DEF' });
      expect(await post(compressed, sealedType)).toMatchObject(refusal(400, 'sealed-unreadable'));
      expect(await post(await line(''), sealedType)).toMatchObject(refusal(400, 'sealed-unreadable'));
      // In pieces, so that no header says how much it is.
      const short = `${await line(' ')}\n`;
      const pieces = Array.from({ length: 40 }, () => short.repeat(Math.ceil(BODY_LIMIT / 20 / short.length)));
      expect(await send(pieces, sealedType)).toMatchObject({ status: 413 });
    });

    it('goes on when a caller goes away in the middle', async () => {
      const request = httpRequest({ ...target(), headers: JSON_TYPE });
      request.on('error', () => {});
      request.write('{"recipients":[');
      await new Promise((resolve) => setTimeout(resolve, 50));
      request.destroy();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { schedulePda, recipients } = promised();
      expect(await post({ schedulePda, recipients })).toMatchObject({ status: 201 });
      expect(service.logged().includes('a request failed')).toBe(false);
    });
  });
});
