import { randomUUID, type webcrypto } from 'node:crypto';
import {
  addressFromBytes,
  type Delegation,
  delegationHeader,
  delegationText,
  readDelegation,
  readDelegationHeader,
  signDelegation,
  signRequest,
  signRequestWithBody,
  systemTime,
  toBase64Url,
} from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { compactDecrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../src/http/openapi.ts';
import { useApi } from './support/api.ts';
import { type Document, operationsOf } from './support/document.ts';
import { useStore } from './support/stores.ts';

const ORIGIN = 'http://coordinator.example:8080';
const HOST = 'coordinator.example:8080';
const PATH = '/api/session';

const wallet = await generateKeyPairSigner();
const session = await generateKeyPairSigner();
const dashboard = {
  isPublic: false,
  operators: [wallet.address],
  ledgerNow: () => 0n,
  compare: async () => ({
    counts: { schedules: 0, vaults: 0, tokens: 0, unregistered: 0 },
    healed: [],
    remaining: [],
    hasLayer: true,
    hasList: true,
    isComplete: true,
  }),
};
const service = useApi(useStore(), {
  dashboard,
  eventStreams: 0,
  origins: { listed: [ORIGIN], isLoopback: false },
});

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
const delegation = (changes: Partial<Delegation> = {}): Delegation => ({
  origin: ORIGIN,
  wallet: wallet.address,
  session: session.address,
  encryption: null,
  expires: inSeconds(3_600),
  ...changes,
});

type Headers = Readonly<Record<string, string>>;
const send = async (headers: Headers, { url = PATH, host = HOST } = {}) => {
  const { statusCode, body, headers: sent } = await service.api.inject({ url, headers: { host, ...headers } });
  return { status: statusCode, body, type: String(sent['content-type']) };
};
/** A request of the session, with the delegation that it shows. */
const signed = async (header: string, { signer = session, url = PATH, host = HOST } = {}): Promise<Headers> =>
  signRequest({ signer, url: `http://${host}${url}`, delegation: header, time: systemTime }) as Promise<Headers>;

async function expectRefused(headers: Headers, code: string, says: RegExp): Promise<void> {
  const { status, body } = await send(headers);
  expect([status, JSON.parse(body).code]).toEqual([401, code]);
  expect(JSON.parse(body).detail).toMatch(says);
}

/** A header whose text the wallet did sign, whatever it says. */
async function signedText(text: string, signer = wallet): Promise<string> {
  const content = new TextEncoder().encode(text);
  const [signatures] = await signer.signMessages([{ content, signatures: {} }]);
  return delegationHeader({ text, signature: signatures?.[signer.address] as Uint8Array });
}

const BODIES: Readonly<Record<string, unknown>> = {
  'POST /api/address-changes': {
    ...{ schedulePda: session.address, next: session.address, askedAt: 1 },
    signatures: { present: 'q'.repeat(86), next: 'q'.repeat(86) },
  },
  'POST /api/invitations': {
    ...{ vault: session.address, expiresAt: 1 },
    invitations: [{ id: 'ab'.repeat(32), content: 'q'.repeat(40), kept: 'q'.repeat(40) }],
  },
  'POST /api/notices': { address: 'https://hooks.example/' },
  'POST /api/notices/{id}/code': { code: 'AAAAAAAAAA' },
  'POST /api/reconcile': { fix: false },
  'POST /api/recipients/{address}/payment-codes': { mint: session.address },
  'POST /api/schedules/{schedulePda}/grants': { auditor: session.address, scope: 'totals', endsAt: 2_000_000_000_000 },
  'POST /api/schedules/{schedulePda}/webhooks': { url: 'https://hooks.example/' },
  'POST /api/schedules/{schedulePda}/webhooks/{id}/replay': { since: 1_796_025_604_902 },
};
const PLACES: Readonly<Record<string, string>> = { window: '0', id: randomUUID() };

/** What an operation answers to a session that is an error; undefined: nothing. */
async function refusalOf(delegated: string, name: string): Promise<{ code: string; detail: string } | undefined> {
  const [method, path] = name.split(' ') as ['GET' | 'POST' | 'DELETE', string];
  const url = path.replaceAll(/\{(\w+)\}/g, (_, place: string) => PLACES[place] ?? wallet.address);
  const request = { signer: session, url: `http://${HOST}${url}`, method, delegation: delegated, time: systemTime };
  const body = BODIES[name] === undefined ? undefined : JSON.stringify(BODIES[name]);
  const headers = body === undefined ? await signRequest(request) : await signRequestWithBody({ ...request, body });
  const answer = await service.api.inject({
    method,
    url,
    headers: { host: HOST, ...headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  return answer.statusCode < 400 ? undefined : answer.json();
}

describe('a session that a wallet has signed in', () => {
  it('signs for the wallet until it expires', async () => {
    const expires = inSeconds(60);
    const { status, body } = await send(await signed(await signDelegation(wallet, delegation({ expires }))));
    expect([status, JSON.parse(body)]).toEqual([
      200,
      { wallet: wallet.address, isOperator: true, expiresAt: expires * 1_000 },
    ]);
  });

  it('is nobody without the delegation', async () => {
    const { body } = await send(
      (await signRequest({ signer: session, url: ORIGIN + PATH, time: systemTime })) as Headers,
    );
    expect(JSON.parse(body)).toEqual({ wallet: session.address, isOperator: false, expiresAt: null });
  });

  it.each<[string, Partial<Delegation>, RegExp]>([
    ['for a page at another host', { origin: 'http://evil.example:8080' }, /another origin/],
    ['for a page at another port', { origin: 'http://coordinator.example:8081' }, /another origin/],
    ['for a page at another scheme', { origin: 'https://coordinator.example:8080' }, /another origin/],
    ['that has expired', { expires: inSeconds(-1) }, /expired/],
    ['that is good for too long', { expires: inSeconds(3_700) }, /longer than 3600 s/],
  ])('is refused with a delegation %s', async (_, changes, says) => {
    await expectRefused(await signed(await signDelegation(wallet, delegation(changes))), 'delegation-invalid', says);
  });

  it('is refused with the delegation of another session', async () => {
    const other = await generateKeyPairSigner();
    const header = await signDelegation(wallet, delegation());
    await expectRefused(await signed(header, { signer: other }), 'delegation-invalid', /another session/);
  });

  it('is refused when the text is not the one that the wallet signed', async () => {
    const { text, signature } = readDelegationHeader(
      await signDelegation(wallet, delegation({ expires: inSeconds(9) })),
    );
    const longer = delegationText({ ...readDelegation(text), expires: inSeconds(3_000) });
    const altered = delegationHeader({ text: longer, signature });
    await expectRefused(await signed(altered), 'delegation-invalid', /does not verify/);
    const stranger = await generateKeyPairSigner();
    const forged = await signedText(delegationText(delegation()), stranger);
    await expectRefused(await signed(forged), 'delegation-invalid', /does not verify/);
    // A key under which anybody can make signatures.
    const weak = delegation({ wallet: addressFromBytes(new Uint8Array(32)) });
    await expectRefused(await signed(await signedText(delegationText(weak))), 'delegation-invalid', /does not verify/);
  });

  it('is refused when the header is not covered by the signature, or was put there by somebody else', async () => {
    const header = await signDelegation(wallet, delegation());
    const bare = (await signRequest({ signer: session, url: ORIGIN + PATH, time: systemTime })) as Headers;
    await expectRefused({ ...bare, 'payouts-delegation': header }, 'delegation-invalid', /does not cover/);
    const { 'payouts-delegation': _, ...without } = await signed(header);
    await expectRefused(without, 'signature-invalid', /a component is covered/i);
    const other = await signDelegation(wallet, delegation({ expires: inSeconds(60) }));
    const replaced = { ...(await signed(header)), 'payouts-delegation': other };
    await expectRefused(replaced, 'signature-invalid', /does not verify/);
  });

  it('is answered once for each request', async () => {
    const headers = await signed(await signDelegation(wallet, delegation()));
    expect((await send(headers)).status).toBe(200);
    await expectRefused(headers, 'signature-replayed', /once/);
  });

  it.each<[string, () => string, RegExp]>([
    ['no text', () => '', /text and signature/],
    ['no signature', () => `${toBase64Url(new TextEncoder().encode('x'))}.`, /text and signature/],
    ['three parts', () => `eA.${'A'.repeat(86)}.eA`, /text and signature/],
    ['what is not base 64 for addresses', () => `e+A.${'A'.repeat(86)}`, /text and signature/],
    ['bytes that are no UTF-8', () => `_w.${'A'.repeat(86)}`, /UTF-8/],
  ])('is refused with a header of %s', async (_, header, says) => {
    const value = header();
    // An empty header is none to sign over.
    const headers = value === '' ? { ...(await signed('x')), 'payouts-delegation': '' } : await signed(value);
    const { status, body } = await send(headers);
    expect(status).toBe(401);
    if (value !== '')
      expect(JSON.parse(body)).toMatchObject({ code: 'delegation-invalid', detail: expect.stringMatching(says) });
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['another first line', (text) => text.replace('payouts sign-in', 'sign-in'), /first/],
    ['a line more', (text) => `${text}\nrole: admin`, /6 lines/],
    ['lines in another order', (text) => text.replace('origin', 'place'), /Line 2/],
    ['an origin with a path', (text) => text.replace(ORIGIN, `${ORIGIN}/x`), /origin/],
    ['an origin with a user', (text) => text.replace('http://', 'http://x@'), /origin/],
    ['an origin of a file', (text) => text.replace(ORIGIN, 'file://x'), /origin/],
    ['a wallet that is no address', (text) => text.replace(/wallet: .*/, 'wallet: x'), /wallet/],
    ['a session that is no address', (text) => text.replace(/session: .*/, 'session: x'), /session/],
    ['a short encryption key', (text) => text.replace(/\bnone$/m, 'BAAA'), /P-256/],
    [
      'a point beside the curve',
      (text) => text.replace(/\bnone$/m, toBase64Url(Uint8Array.of(4, ...Array(64).fill(1)))),
      /no point/,
    ],
    ['a time without seconds', (text) => text.replace(/:\d\dZ$/, 'Z'), /no time/],
    ['a day that is none', (text) => text.replace(/\d\d-\d\dT/, '13-01T'), /no time/],
  ])('is refused with a text of %s, though the wallet signed it', async (_, change, says) => {
    const header = await signedText(change(delegationText(delegation())));
    await expectRefused(await signed(header), 'delegation-invalid', says);
  });

  it('is enough for the routes that say so, and for no other: what outlasts it needs the key', async () => {
    const document = JSON.parse(await openApiDocument(systemTime)) as Document;
    const header = await signDelegation(wallet, delegation());
    const isEnough: Record<string, boolean> = {};
    for (const [name, { security = [] }] of operationsOf(document)) {
      if (!security.some((scheme) => 'httpSignature' in scheme)) continue;
      const refused = await refusalOf(header, name);
      expect(refused?.code ?? '', name).not.toMatch(/^invalid-/);
      isEnough[name] = refused?.code !== 'delegation-invalid';
      if (!isEnough[name]) expect(refused?.detail, name).toMatch(/key itself/);
    }
    expect(isEnough).toEqual({
      'DELETE /api/address-changes/{id}': false,
      'DELETE /api/invitations/{id}': false,
      'DELETE /api/notices/{id}': false,
      'DELETE /api/schedules/{schedulePda}/grants/{id}': false,
      'DELETE /api/schedules/{schedulePda}/webhooks/{id}': false,
      'GET /api/address-changes': true,
      'GET /api/auditors/me/grants': true,
      'GET /api/employers/me/schedules': true,
      'GET /api/events': true,
      'GET /api/invitations': true,
      'GET /api/notices': true,
      'GET /api/overview': true,
      'GET /api/recipients/{address}/balances': true,
      'GET /api/recipients/{address}/history': true,
      'GET /api/recipients/{address}/proofs': true,
      'GET /api/runs': true,
      'GET /api/schedules/{schedulePda}/audit': true,
      'GET /api/schedules/{schedulePda}/grants': true,
      'GET /api/schedules/{schedulePda}/grants/{id}/payslips': true,
      'GET /api/schedules/{schedulePda}/payslips/{window}': true,
      'GET /api/schedules/{schedulePda}/recipients': true,
      'GET /api/schedules/{schedulePda}/recipients/{address}': true,
      'GET /api/schedules/{schedulePda}/recipients/{address}/payslips/{window}': true,
      'GET /api/schedules/{schedulePda}/webhooks': true,
      'GET /api/schedules/{schedulePda}/webhooks/{id}/deliveries': true,
      'GET /api/series': true,
      'GET /api/session': true,
      'POST /api/address-changes': false,
      'POST /api/invitations': false,
      'POST /api/notices': false,
      'POST /api/notices/{id}/code': false,
      // It is given the same each time, and moves nothing.
      'POST /api/recipients/{address}/payment-codes': true,
      // An operator's page asks for these two: they only do again what the service does by itself.
      'POST /api/reconcile': true,
      'POST /api/runs/{schedulePda}/{window}/resume': true,
      'POST /api/schedules/{schedulePda}/grants': false,
      'POST /api/schedules/{schedulePda}/webhooks': false,
      'POST /api/schedules/{schedulePda}/webhooks/{id}/replay': false,
      'POST /api/schedules/{schedulePda}/webhooks/{id}/secret': false,
      'POST /api/schedules/{schedulePda}/webhooks/{id}/test': false,
    });
  });
});

describe('an encrypted answer', () => {
  const keys = () => crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
  const pointOf = async ({ publicKey }: webcrypto.CryptoKeyPair) =>
    new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));

  it('is read with the key of the session alone', async () => {
    const [own, other] = await Promise.all([keys(), keys()]);
    const header = await signDelegation(wallet, delegation({ encryption: await pointOf(own) }));
    const { status, type, body } = await send(await signed(header));
    expect([status, type]).toEqual([200, 'application/jose']);
    expect(body).not.toContain(wallet.address);
    const { plaintext, protectedHeader } = await compactDecrypt(body, own.privateKey);
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM' });
    expect(plaintext.length % 1_024).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toMatchObject({ wallet: wallet.address, isOperator: true });
    await expect(compactDecrypt(body, other.privateKey)).rejects.toThrow();
    const parts = body.split('.');
    const sealed = parts[3] as string;
    const spoiled = `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`;
    const changed = [...parts.slice(0, 3), spoiled, parts[4]].join('.');
    await expect(compactDecrypt(changed, own.privateKey)).rejects.toThrow();
  });

  it('is never an error: what is wrong can be read before anything can be decrypted', async () => {
    const header = await signDelegation(wallet, delegation({ encryption: await pointOf(await keys()) }));
    const url = `/api/schedules/${wallet.address}/recipients`;
    const { status, type, body } = await send(await signed(header, { url }), { url });
    expect([status, type, JSON.parse(body).code]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
      'schedule-not-found',
    ]);
  });
});

describe('the text of a delegation', () => {
  const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(addressFromBytes);
  const encryption = fc.option(
    fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => Uint8Array.of(4, ...bytes)),
  );
  const origin = fc.webAuthority({ withPort: true }).map((authority) => new URL(`https://${authority}`).origin);
  const expires = fc.integer({ min: 0, max: 4_000_000_000 });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.record({ origin, wallet: address, session: address, encryption, expires }), (one) => {
        expect(readDelegation(delegationText(one))).toEqual(one);
      }),
    );
  });

  it('says one thing alone: no other text is read as the same', () => {
    fc.assert(
      fc.property(
        fc.record({ origin, wallet: address, session: address, encryption, expires }),
        fc.nat(),
        (one, at) => {
          const text = delegationText(one);
          const place = at % text.length;
          for (const other of [
            `${text.slice(0, place)} ${text.slice(place)}`,
            text.slice(0, place) + text.slice(place + 1),
          ]) {
            let read: Delegation | undefined;
            try {
              read = readDelegation(other);
            } catch {
              continue;
            }
            expect(delegationText(read)).toBe(other);
          }
        },
      ),
    );
  });
});
