import { randomBytes } from 'node:crypto';
import {
  leafHash,
  type Payee,
  prepareList,
  type Recipient,
  recipientsToJson,
  SIGNATURE_TAG,
  signRequest,
  systemTime,
  verifyRange,
} from '@payouts/client';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findList } from '../src/store/queries/lists.ts';
import { savePayments } from '../src/store/queries/payments.ts';
import { finishRun } from '../src/store/queries/runs.ts';
import { changeSchedule } from './support/addSchedule.ts';
import { HOST, testApi, useApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { type Promised, promise, randomAddress, scheduleOver, somePayees } from './support/promised.ts';
import { addRun } from './support/runs.ts';
import { keepPayments } from './support/settleWindow.ts';
import { useStore } from './support/stores.ts';

const keys = localPayloadKeys(randomBytes(32));

/** What the private routes answer, as far as tests look into it. */
type Shown = { readonly index: number; readonly amount: string; readonly proof: readonly string[] };
type Body = {
  readonly code: string;
  readonly recipients: readonly Shown[];
  readonly entries: readonly Shown[];
  readonly receipts: readonly unknown[];
  readonly nextCursor: string | null;
};
type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Body;
};

const employer = await generateKeyPairSigner();
const recipient = await generateKeyPairSigner();
const stranger = await generateKeyPairSigner();

describe('private reads', () => {
  const store = useStore();
  const ledger = useLedger();
  const service = useApi(store, { ledger, payloadKeys: keys, bodyLimitBytes: 10_000_000 });
  beforeEach(() => {
    ledger.isBroken = false;
  });

  async function send(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const response = await service.api.inject({ method: 'GET', url, headers: { host: HOST, ...headers } });
    return { status: response.statusCode, headers: response.headers, body: response.json<Body>() };
  }

  const get = (signer: KeyPairSigner, url: string): Promise<Answer> => service.get(url, signer);
  async function registered(
    payees: readonly Payee[] = [{ recipient: recipient.address, amount: 9_000_000_777n }, ...somePayees(6)],
  ) {
    const promised = promise(ledger, employer.address, payees);
    await service.register(promised);
    return { ...promised, path: `/api/schedules/${promised.schedulePda}/recipients` };
  }

  /** Another list for the same schedule, on the ledger and registered. */
  async function replaceList(before: Promised, payees: readonly Payee[]): Promise<Promised> {
    const { schedulePda, vault, mint } = before;
    const replaced = { ...before, list: prepareList(payees) };
    ledger.putSchedule(schedulePda, scheduleOver(replaced.list, { vault, mint, rootVersion: 1 }));
    await service.register(replaced);
    const root = Buffer.from(replaced.list.root).toString('hex');
    await changeSchedule(store.query, schedulePda, { root, root_version: 1, recipients: payees.length });
    return replaced;
  }

  type Out = { readonly paid?: readonly number[]; readonly held?: readonly number[]; readonly isConfirmed?: boolean };
  /** A settled window as the stages leave it. `paid` undefined: nobody knows who was paid. */
  async function settle(promised: Promised, window: bigint, { paid, held = [], isConfirmed = true }: Out) {
    const { query } = store;
    const { schedulePda: schedule, list } = promised;
    const { id: runId } = await addRun(query, { schedule, window }, { recipients: list.recipients.length });
    const row = await findList(query, schedule, Buffer.from(list.root).toString('hex'));
    if (paid === undefined) await savePayments(query, runId, { listId: row?.id as number, paid: null });
    else await keepPayments({ query, keys }, promised, { runId, window, set: [...paid, ...held], held, isConfirmed });
    const settledAt = 1_700_000_000_000 + Number(window);
    await finishRun(query, runId, { state: 'settled', paidAmount: 1n, settledAt, at: settledAt + 13_000 });
  }

  const refusal = (status: number, code: string) => ({ status, body: { code } });
  const entryOf = ({ list }: Promised, address: string) =>
    list.recipients.find((entry) => entry.recipient === address) as Recipient;

  const isProven = ({ list }: Promised, entry: Recipient, proof: readonly string[]) =>
    verifyRange({
      root: list.root,
      leafCount: list.recipients.length,
      start: entry.index,
      leafHashes: [leafHash(entry)],
      proof: proof.map((hash) => Buffer.from(hash, 'hex')),
    });

  it('are as long as each other whatever the amounts are', async () => {
    const signers = await Promise.all(Array.from({ length: 4 }, () => generateKeyPairSigner()));
    const amounts = [1n, 20_000n, 3_000_000_000n, 10n ** 19n];
    const promised = await registered(
      signers.map(({ address }, place) => ({ recipient: address, amount: amounts[place] as bigint })),
    );
    await settle(promised, 0n, { paid: [0, 1, 2, 3] });
    const answers = await Promise.all(signers.map((signer) => get(signer, `${promised.path}/me`)));
    expect(new Set(answers.map(({ body }) => body.entries[0]?.amount)).size).toBe(4);
    expect(new Set(answers.map(({ headers }) => headers['content-length'])).size).toBe(1);
    expect(Number(answers[0]?.headers['content-length']) % 1_024).toBe(0);
  });

  describe('the whole list', () => {
    it('is shown to the employer, in pages in order of index, with proofs if asked for', async () => {
      const promised = await registered();
      const seen: unknown[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const { status, body, headers } = await get(employer, `${promised.path}?limit=3&proofs=true${query}`);
        expect(status).toBe(200);
        expect(headers['cache-control']).toBe('no-store');
        expect(body).toMatchObject({ schedulePda: promised.schedulePda, rootVersion: 0, total: 7 });
        for (const { proof, ...entry } of body.recipients) {
          seen.push(entry);
          expect(isProven(promised, promised.list.recipients[entry.index] as Recipient, proof)).toBe(true);
        }
        cursor = body.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual(
        recipientsToJson(promised.list.recipients).map((entry) => ({ delivery: 'balance', ...entry })),
      );

      const { body } = await get(employer, promised.path);
      expect(body.recipients).toHaveLength(7);
      expect(body.recipients[0]).not.toHaveProperty('proof');
      expect(body.nextCursor).toBeNull();
    });

    it('is refused to everybody else, recipients among them', async () => {
      const { path } = await registered();
      for (const signer of [recipient, stranger]) {
        expect(await get(signer, path)).toMatchObject(refusal(403, 'not-permitted'));
      }
    });

    it('says when the list was replaced between two pages, and when it is not registered', async () => {
      const first = await registered();
      const page = await get(employer, `${first.path}?limit=3`);
      await replaceList(first, somePayees(4));
      const { nextCursor } = page.body;
      expect(await get(employer, `${first.path}?limit=3&cursor=${nextCursor}`)).toMatchObject(
        refusal(409, 'list-replaced'),
      );
      expect((await get(employer, first.path)).body.recipients).toHaveLength(4);
      await changeSchedule(store.query, first.schedulePda, { root: 'ab'.repeat(32) });
      expect(await get(employer, first.path)).toMatchObject(refusal(404, 'list-not-found'));
    });

    it('knows the employer from the ledger where it does not from the registration', async () => {
      const { path, schedulePda } = await registered();
      await changeSchedule(store.query, schedulePda, { employer: null });
      ledger.isBroken = true;
      expect(await get(employer, path)).toMatchObject(refusal(503, 'ledger-unavailable'));
      ledger.isBroken = false;
      expect((await get(stranger, path)).status).toBe(403);
      ledger.isBroken = true;
      expect((await get(employer, path)).status).toBe(200);
    });

    it.each(['limit=0', 'limit=5001', 'limit=x', 'cursor=x', 'proofs=yes', 'other=1'])(
      'answers 400 to ?%s',
      async (query) => {
        const answer = await get(employer, `/api/schedules/${randomAddress()}/recipients?${query}`);
        expect(answer).toMatchObject(refusal(400, 'invalid-query'));
      },
    );
  });

  describe('one recipient', () => {
    it('sees their own entry with its proof, as `me` or by their address; so does the employer', async () => {
      const promised = await registered();
      const entry = entryOf(promised, recipient.address);
      const asked = [
        await get(recipient, `${promised.path}/me`),
        await get(recipient, `${promised.path}/${recipient.address}`),
        await get(employer, `${promised.path}/${recipient.address}`),
      ];
      for (const { status, body, headers } of asked) {
        expect(status).toBe(200);
        expect(headers['cache-control']).toBe('no-store');
        const { proof, ...shown } = body.entries[0] as Shown;
        expect(shown).toEqual({
          index: entry.index,
          amount: '9000000777',
          salt: Buffer.from(entry.salt).toString('hex'),
          delivery: 'balance',
        });
        expect(isProven(promised, entry, proof)).toBe(true);
        expect(body).toMatchObject({ recipient: recipient.address, recipients: 7, receipts: [], nextCursor: null });
        expect(body.entries).toHaveLength(1);
      }
    });

    it('sees all entries of theirs', async () => {
      const twice = [1n, 2n].map((amount) => ({ recipient: recipient.address, amount }));
      const promised = await registered([...somePayees(3), ...twice]);
      const { body } = await get(recipient, `${promised.path}/me`);
      expect(body.entries.map(({ amount }) => amount).sort()).toEqual(['1', '2']);
      for (const { index, proof } of body.entries) {
        expect(isProven(promised, promised.list.recipients[index] as Recipient, proof)).toBe(true);
      }
    });

    it('is hidden from strangers, who are told the same whether the address is in the list or not', async () => {
      const { path, list } = await registered();
      const colleague = list.recipients.find((entry) => entry.recipient !== recipient.address)?.recipient;
      const answers = [
        await get(stranger, `${path}/${recipient.address}`),
        await get(stranger, `${path}/${randomAddress()}`),
        await get(stranger, `${path}/${employer.address}`),
        await get(stranger, `${path}/me`),
        await get(recipient, `${path}/${colleague}`),
        await get(recipient, `${path}/${randomAddress()}`),
      ];
      for (const { status, body } of answers) {
        expect(status).toBe(403);
        expect(body).toEqual(answers[0]?.body);
      }
    });

    it('is not found for the employer, who may know', async () => {
      const { path } = await registered();
      for (const address of ['me', randomAddress()]) {
        expect(await get(employer, `${path}/${address}`)).toMatchObject(refusal(404, 'recipient-not-found'));
      }
    });

    it('gets receipts of settled windows, newest first, in pages', async () => {
      const promised = await registered();
      const { index } = entryOf(promised, recipient.address);
      const others = promised.list.recipients.map((entry) => entry.index).filter((other) => other !== index);
      await settle(promised, 0n, { paid: [index, ...others] });
      await settle(promised, 1n, { paid: others });
      await settle(promised, 2n, { paid: others, held: [index] });
      await settle(promised, 3n, {});
      await settle(promised, 4n, { paid: [index], isConfirmed: false });
      await settle(promised, 5n, { paid: [index] });
      await addRun(store.query, { schedule: promised.schedulePda, window: 6n });

      const first = (await get(recipient, `${promised.path}/me?limit=4`)).body;
      const receipt = { state: 'settled', index, amount: '9000000777', signature: null };
      expect(first.receipts).toMatchObject([
        { window: '5', paid: true, settledAt: 1_700_000_000_005, ...receipt },
        { window: '4', paid: null, ...receipt },
        { window: '3', paid: null, ...receipt },
        { window: '2', paid: false, ...receipt },
      ]);
      const second = (await get(recipient, `${promised.path}/me?limit=4&cursor=${first.nextCursor}`)).body;
      expect(second).toMatchObject({
        receipts: [
          { window: '1', paid: false },
          { window: '0', paid: true },
        ],
        nextCursor: null,
      });
    });

    it('gets receipts of replaced lists too, also when they are in the present one no more', async () => {
      const before = await registered();
      await settle(before, 0n, { paid: [entryOf(before, recipient.address).index] });
      const after = await replaceList(before, somePayees(4));
      await settle(after, 1n, { paid: [0, 1, 2, 3] });
      const { status, body } = await get(recipient, `${before.path}/me`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ rootVersion: 1, entries: [] });
      expect(body.receipts).toMatchObject([
        { window: '0', paid: true, root: Buffer.from(before.list.root).toString('hex') },
      ]);
    });

    it('is refused a malformed address', async () => {
      const { path } = await registered();
      expect(await get(recipient, `${path}/nobody`)).toMatchObject(refusal(400, 'invalid-address'));
    });
  });

  describe('a request', () => {
    it('without a signature, or with a wrong, old or used one, is refused and told what to sign', async () => {
      const { path } = await registered();
      const url = `http://${HOST}${path}/me`;
      const now = Math.floor(Date.now() / 1_000);
      const sign = (change: Partial<Parameters<typeof signRequest>[0]> = {}) =>
        signRequest({ signer: recipient, url, time: systemTime, ...change });
      const good = await sign();
      const refusals: [string, Record<string, string>][] = [
        ['signature-missing', {}],
        ['signature-invalid', await sign({ url: `http://elsewhere.example${path}/me` })],
        ['signature-invalid', await sign({ url: `${url}?limit=5` })],
        ['signature-invalid', await sign({ method: 'POST' })],
        ['signature-expired', await sign({ created: now - 301 })],
        ['signature-expired', await sign({ created: now + 60 })],
        ['signature-expired', await sign({ expires: now - 1 })],
      ];
      for (const [code, headers] of refusals) {
        const answer = await send(`${path}/me`, headers);
        expect(answer).toMatchObject({ status: 401, body: { code } });
        expect(answer.headers['content-type']).toContain('application/problem+json');
        expect(answer.headers['www-authenticate']).toBe('Signature');
        expect(answer.headers['accept-signature']).toContain(`tag="${SIGNATURE_TAG}"`);
      }
      expect((await send(`${path}/me`, good)).status).toBe(200);
      expect(await send(`${path}/me`, good)).toMatchObject(refusal(401, 'signature-replayed'));
    });

    it('that does not verify uses no nonce up; one that does, is good for one of many at once', async () => {
      const { path } = await registered();
      const url = `http://${HOST}${path}/me`;
      const nonce = randomBytes(16).toString('hex');
      const forged = await signRequest({ signer: recipient, url: `${url}?limit=7`, nonce, time: systemTime });
      expect((await send(`${path}/me`, forged)).body.code).toBe('signature-invalid');
      const good = await signRequest({ signer: recipient, url, nonce, time: systemTime });
      const answers = await Promise.all(Array.from({ length: 8 }, () => send(`${path}/me`, good)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
      // Nonces are each key's own.
      const others = await signRequest({ signer: stranger, url, nonce, time: systemTime });
      expect((await send(`${path}/me`, others)).status).toBe(403);
    });

    it('leaves nothing of anybody in the log, the metrics or a refusal', async () => {
      const { path, list } = await registered();
      await get(recipient, `${path}/${recipient.address}`);
      const refused = await get(stranger, `${path}/${recipient.address}`);
      const written = service.logged() + (await service.metrics.registry.metrics()) + JSON.stringify(refused.body);
      for (const { recipient: address, amount, salt } of list.recipients) {
        for (const secret of [address, String(amount), Buffer.from(salt).toString('hex')]) {
          expect(written).not.toContain(secret);
        }
      }
    });
  });
});

describe('behind a proxy', () => {
  const store = useStore();
  const ledger = useLedger();
  it('what the client addressed is believed of a trusted one alone', async () => {
    const signer = await generateKeyPairSigner();
    const path = `/api/schedules/${randomAddress()}/recipients`;
    const ask = async (trustedProxies: string[]) => {
      const { api } = await testApi(store.database, ledger.url, {
        trustedProxies,
        origins: { listed: ['https://pay.example'], isLoopback: false },
      });
      const signed = await signRequest({ signer, url: `https://pay.example${path}`, time: systemTime });
      const forwarded = {
        'x-forwarded-host': 'pay.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '203.0.113.7',
      };
      const response = await api.inject({
        method: 'GET',
        url: path,
        headers: { host: 'inside:8080', ...forwarded, ...signed },
      });
      await api.close();
      return response.json().code;
    };
    expect(await ask(['127.0.0.1'])).toBe('schedule-not-found');
    expect(await ask([])).toBe('public-origins-mismatch');
  });
});
