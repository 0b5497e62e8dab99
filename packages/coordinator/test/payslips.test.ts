import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  entryFaults,
  type Payee,
  type PayslipJson,
  payslipFaults,
  payslipFromJson,
  signDelegation,
  signRequest,
  systemTime,
  windowFaults,
} from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { compactDecrypt } from 'jose';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { BLOCK_RECIPIENTS } from '../src/domain/listRecords.ts';
import type { Landed } from '../src/ledger/landed.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { HOST, useApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { type Promised, promise, somePayees } from './support/promised.ts';
import { type Out, settleWindow } from './support/settleWindow.ts';
import { useStore } from './support/stores.ts';

const keys = localPayloadKeys(new Uint8Array(32).fill(3));

const employer = await generateKeyPairSigner();
const recipient = await generateKeyPairSigner();
const authority = await generateKeyPairSigner();

/** Milliseconds in which a machine like this one writes a whole export. A slower one writes less: that is never wrong. */
const WHOLE_EXPORT_MS = 2_500;

describe('payslips', () => {
  const store = useStore();
  const ledger = useLedger();
  const landed = new Map<string, Landed>();
  const origins = [`http://${HOST}`];
  const service = useApi(store, {
    ledger,
    payloadKeys: keys,
    bodyLimitBytes: 20_000_000,
    issuer: authority,
    landed: async (signature) => landed.get(signature),
    origins: { listed: origins, isLoopback: true },
  });
  let url: string;
  beforeAll(async () => {
    url = await service.api.listen({ host: '127.0.0.1', port: 0 });
    origins.push(url);
  });

  async function registered(payees: readonly Payee[]): Promise<Promised> {
    const promised = promise(ledger, employer.address, payees);
    await service.register(promised);
    return promised;
  }

  const settle = (promised: Promised, window: bigint, out: Out = {}) =>
    settleWindow({ query: store.query, keys, authority, landed }, promised, window, out);

  type Own = { payslips: PayslipJson[]; unpaid: { index: number; reason: string }[] };

  it('are one for each entry that was paid, beside the reasons of the others', async () => {
    const promised = await registered([
      ...somePayees(5),
      ...[1n, 2n, 3n].map((amount) => ({ recipient: recipient.address, amount })),
    ]);
    const own = promised.list.recipients.filter((entry) => entry.recipient === recipient.address);
    const [paid, held, unpaid] = own.map(({ index }) => index) as [number, number, number];
    await settle(promised, 0n, { held: [held], unpaid: [unpaid] });
    const path = `/api/schedules/${promised.schedulePda}/recipients/me/payslips/0`;
    const { status, body } = await service.get(path, recipient);
    expect(status).toBe(200);
    const { payslips, unpaid: others } = body as Own;
    expect(payslips.map(({ leaf }) => leaf.index)).toEqual([paid]);
    expect(await payslipFaults(payslipFromJson(payslips[0]))).toEqual([]);
    expect(others).toMatchObject([
      { index: held, reason: 'held' },
      { index: unpaid, reason: 'unpaid' },
    ]);
  });

  it('are refused with the reason where the window can’t be proven', async () => {
    const promised = await registered([{ recipient: recipient.address, amount: 7n }, ...somePayees(2)]);
    const at = (window: number) => `/api/schedules/${promised.schedulePda}/recipients/me/payslips/${window}`;
    const answer = { status: 404, body: { code: 'payslip-not-found' } };
    expect(await service.get(at(0), recipient)).toMatchObject({ ...answer, body: { reason: 'not-settled' } });
    // The ledger has settled another bitmap.
    await settle(promised, 0n, { isConfirmed: false });
    expect(await service.get(at(0), recipient)).toMatchObject({ ...answer, body: { reason: 'not-known' } });
    // No node has the transaction any more, and its bytes were never here. When one has it again, there is a payslip.
    const signature = await settle(promised, 1n);
    const transaction = landed.get(signature) as Landed;
    landed.delete(signature);
    expect(await service.get(at(1), recipient)).toMatchObject({ ...answer, body: { reason: 'not-known' } });
    landed.set(signature, transaction);
    expect((await service.get(at(1), recipient)).body.payslips).toHaveLength(1);
  });

  it('are dated by the clock of the ledger, whenever this service noticed the settlement', async () => {
    const promised = await registered([{ recipient: recipient.address, amount: 7n }, ...somePayees(2)]);
    const [SETTLED_AT, BLOCK_TIME, NOTICED_AT] = [1_764_547_199_000, 1_764_547_198_000, 1_764_547_212_000];
    const datedBy = async (window: number, settled_at: number | null, time: number | null) => {
      const signature = await settle(promised, BigInt(window));
      landed.set(signature, { ...(landed.get(signature) as Landed), time });
      await store.query
        .updateTable('execution_runs')
        .set({ settled_at, finished_at: NOTICED_AT })
        .where('schedule', '=', promised.schedulePda)
        .where('window_number', '=', String(window))
        .execute();
      const path = `/api/schedules/${promised.schedulePda}/recipients/me/payslips/${window}`;
      const { body } = await service.get(path, recipient);
      return (body as Own).payslips.map(({ settled }) => settled.settledAt);
    };
    expect(await datedBy(0, SETTLED_AT, BLOCK_TIME)).toEqual([SETTLED_AT]);
    expect(await datedBy(1, null, BLOCK_TIME)).toEqual([BLOCK_TIME]);
    expect(await datedBy(2, null, null)).toEqual([NOTICED_AT]);
  });

  it('are never signed when list and bitmap contradict what the ledger settled', async () => {
    const promised = await registered([{ recipient: recipient.address, amount: 7n }, ...somePayees(2)]);
    await settle(promised, 0n);
    await store.query
      .updateTable('execution_runs')
      .set({ paid_amount: '8' })
      .where('schedule', '=', promised.schedulePda)
      .execute();
    const { status } = await service.get(`/api/schedules/${promised.schedulePda}/recipients/me/payslips/0`, recipient);
    expect(status).toBe(500);
  });

  it('are exported to a session in lines that only it can read', async () => {
    const promised = await registered(somePayees(70));
    await settle(promised, 0n);
    const session = await generateKeyPairSigner();
    const own = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
    const delegation = await signDelegation(employer, {
      origin: url,
      wallet: employer.address,
      session: session.address,
      encryption: new Uint8Array(await crypto.subtle.exportKey('raw', own.publicKey)),
      expires: Math.floor(Date.now() / 1_000) + 600,
    });
    const target = `${url}/api/schedules/${promised.schedulePda}/payslips/0`;
    const headers = await signRequest({ signer: session, url: target, delegation, time: systemTime });
    const response = await fetch(target, { headers });
    expect(response.headers.get('content-type')).toBe('application/x-jose-lines');
    const sealed = (await response.text()).trimEnd().split('\n');
    expect(sealed.length).toBeGreaterThan(1);
    const opened = await Promise.all(sealed.map((line) => compactDecrypt(line, own.privateKey)));
    const lines = opened.flatMap(({ plaintext }) => new TextDecoder().decode(plaintext).trimEnd().split('\n'));
    const payslips = lines.map((line) => payslipFromJson(JSON.parse(line)));
    expect(payslips.map(({ leaf }) => leaf)).toEqual(promised.list.recipients);
    // As long as each other, whatever is in them.
    expect(new Set(opened.slice(0, -1).map(({ plaintext }) => plaintext.length)).size).toBe(1);
  });

  it('of 20,000 recipients are exported in a stream that needs little memory', async () => {
    const count = 20_000;
    const promised = await registered(somePayees(count));
    await settle(promised, 0n, { held: [17], unpaid: [4_096, 19_999] });
    const target = `${url}/api/schedules/${promised.schedulePda}/payslips/0`;
    const signed = () => signRequest({ signer: employer, url: target, time: systemTime });
    const response = await fetch(target, { headers: await signed() });
    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    let [lines, sum, bytes] = [0, 0n, 0];
    let last: PayslipJson | undefined;
    for await (const line of createInterface({ input: Readable.fromWeb(response.body as ReadableStream) })) {
      lines += 1;
      bytes += line.length + 1;
      last = JSON.parse(line) as PayslipJson;
      sum += BigInt(last.leaf.amount);
      if (lines % 500 === 0) expect(entryFaults(payslipFromJson(last))).toEqual([]);
    }
    const settled = payslipFromJson(last).settled;
    expect(await windowFaults(settled)).toEqual([]);
    expect(lines).toBe(count - 3);
    expect(sum).toBe(settled.paid);

    // However slow the reader: what they have not asked for is neither written nor read from the list.
    const served = once(service.api.server, 'request');
    // On a connection of its own, which is read only when its answer is.
    const asking = request(target, { agent: false, headers: await signed() }).end();
    const [unread] = (await once(asking, 'response')) as [IncomingMessage];
    const [, answer] = (await served) as [unknown, ServerResponse];
    await sleep(WHOLE_EXPORT_MS);
    expect(answer.socket?.bytesWritten).toBeLessThan(bytes / 2);
    const lastBlock = Math.floor(count / BLOCK_RECIPIENTS);
    await sql`delete from recipient_list_chunks where number = ${lastBlock} and list_id =
      (select id from recipient_lists where schedule = ${promised.schedulePda})`.execute(store.query);
    await expect(text(unread).then(({ length }) => length)).rejects.toThrow('aborted');
  });
});
