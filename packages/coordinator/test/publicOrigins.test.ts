import { get } from 'node:http';
import { recipientsToJson, signDelegation, signRequest, systemTime } from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLoopbackUrl } from '../src/platform/loopback.ts';
import { testApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { promise, somePayees } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const PATH = '/api/session';
const EVIL = 'http://evil.example';
const LISTED = ['https://pay.example', 'http://pay.example:8080', 'https://pay.example:8443'];

const wallet = await generateKeyPairSigner();
const session = await generateKeyPairSigner();
const store = useStore();
const ledger = useLedger();

type Headers = Readonly<Record<string, string>>;

/** An API at these origins that is asked with these headers; it goes away with the test. */
async function serviceAt(listed: readonly string[], { isLoopback = false, trustedProxies = [] as string[] } = {}) {
  const service = await testApi(store.database, ledger.url, { origins: { listed, isLoopback }, trustedProxies });
  onTestFinished(async () => {
    await service.api.close();
  });
  return service;
}

/** The status that a bare request is answered: `fetch` writes its own host. */
const statusAt = (port: string, headers: Headers) =>
  new Promise<number | undefined>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: PATH, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });

type Service = Awaited<ReturnType<typeof serviceAt>>;

/** The code that a request signed for an origin is answered, or its status if it is taken. */
async function asked({ api }: Service, origin: string, headers: Headers, delegation?: string): Promise<unknown> {
  const signer = delegation === undefined ? wallet : session;
  const more = delegation === undefined ? {} : { delegation };
  const signed = await signRequest({ signer, url: `${origin}${PATH}`, time: systemTime, ...more });
  const answer = await api.inject({ url: PATH, headers: { ...signed, ...headers } });
  return answer.statusCode === 200 ? 200 : [answer.statusCode, answer.json().code];
}

const signIn = (origin: string) =>
  signDelegation(wallet, {
    origin,
    wallet: wallet.address,
    session: session.address,
    encryption: null,
    expires: Math.floor(systemTime.now() / 1_000) + 600,
  });

const MISMATCH = [421, 'public-origins-mismatch'];

describe('what was signed for another origin', () => {
  it('is refused, whoever passes it on with that host', async () => {
    const service = await serviceAt(LISTED);
    expect(await asked(service, EVIL, { host: 'evil.example' })).toEqual(MISMATCH);
    expect(await asked(service, EVIL, { host: 'pay.example' })).toEqual([401, 'signature-invalid']);
    expect(await asked(service, EVIL, { host: 'pay.example', 'x-forwarded-host': 'evil.example' })).toEqual([
      401,
      'signature-invalid',
    ]);
    const proxied = await serviceAt(LISTED, { trustedProxies: ['127.0.0.1'] });
    expect(await asked(proxied, EVIL, { host: 'pay.example', 'x-forwarded-host': 'evil.example' })).toEqual(MISMATCH);
  });

  it('is refused with a sign-in, too, whatever host it comes with', async () => {
    const service = await serviceAt(LISTED);
    const phished = await signIn(EVIL);
    expect(await asked(service, EVIL, { host: 'evil.example' }, phished)).toEqual(MISMATCH);
    expect(await asked(service, LISTED[0] as string, { host: 'pay.example' }, phished)).toEqual([
      401,
      'delegation-invalid',
    ]);
    // The right host, and a page that anybody between could have changed.
    const plain = await signIn('http://pay.example');
    expect(await asked(service, LISTED[0] as string, { host: 'pay.example' }, plain)).toEqual([
      401,
      'delegation-invalid',
    ]);
  });
});

describe('the origins that the setting names', () => {
  it.each([
    ['https://pay.example', 'pay.example'],
    ['https://pay.example', 'PAY.example:443'],
    ['https://pay.example:8443', 'pay.example:8443'],
    ['http://pay.example:8080', 'pay.example:8080'],
  ])('take what was signed for %s with the host %s', async (origin, host) => {
    const service = await serviceAt(LISTED);
    expect(await asked(service, origin, { host })).toBe(200);
    expect(await asked(service, origin, { host }, await signIn(origin))).toBe(200);
  });

  it.each(['pay.example:80', 'pay.example:9', 'pay.example.evil.example', 'x@pay.example', '127.0.0.1', ''])(
    'have no other host: %s',
    async (host) => {
      expect(await asked(await serviceAt(LISTED, { isLoopback: true }), 'https://pay.example', { host })).toEqual(
        MISMATCH,
      );
    },
  );

  it('are chosen among by what a trusted proxy says', async () => {
    const both = ['https://pay.example:8080', 'http://pay.example:8080'];
    const service = await serviceAt(both, { trustedProxies: ['127.0.0.1'] });
    const forwarded = (scheme: string) => ({
      host: 'inside',
      'x-forwarded-host': 'pay.example:8080',
      'x-forwarded-proto': scheme,
    });
    for (const origin of both) {
      const scheme = origin.split(':', 1)[0] as string;
      expect(await asked(service, origin, forwarded(scheme), await signIn(origin))).toBe(200);
    }
    expect(await asked(service, both[0] as string, forwarded('http'), await signIn(both[0] as string))).toEqual([
      401,
      'delegation-invalid',
    ]);
  });
});

describe('without the setting', () => {
  it('signed requests are refused where others reach the service, and the answer names it', async () => {
    const { api } = await serviceAt([]);
    const signed = await signRequest({ signer: wallet, url: `http://localhost${PATH}`, time: systemTime });
    const answer = await api.inject({ url: PATH, headers: { ...signed, host: 'localhost' } });
    expect([answer.statusCode, answer.json().code]).toEqual([421, 'public-origins-unset']);
    expect(answer.json().detail).toContain('PUBLIC_ORIGINS');
  });

  it('the names of this machine are good with the port that it listens at, if it listens there alone', async () => {
    const { api } = await serviceAt([], { isLoopback: true });
    const { port } = new URL(await api.listen({ host: '127.0.0.1', port: 0 }));
    const status = async (authority: string) => {
      const signed = await signRequest({ signer: wallet, url: `http://${authority}${PATH}`, time: systemTime });
      return statusAt(port, { ...signed, host: authority });
    };
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`localhost:${port}`)).toBe(200);
    expect(await status(`[::1]:${port}`)).toBe(200);
    for (const other of [
      `127.0.0.1:${Number(port) + 1}`,
      'localhost',
      `127.evil.example:${port}`,
      `pay.example:${port}`,
    ]) {
      expect(await status(other), other).toBe(421);
    }
  });

  it('what is public is answered whatever host is addressed', async () => {
    const { api } = await serviceAt([]);
    const { schedulePda, list } = promise(ledger, wallet.address, somePayees(3));
    const ask = async (method: 'GET' | 'POST', url: string, more: object = {}) =>
      (
        await api.inject({
          method,
          url,
          headers: { host: 'evil.example', authorization: 'Bearer token-of-the-tests' },
          ...more,
        })
      ).statusCode;
    const payload = { schedulePda, recipients: recipientsToJson(list.recipients) };
    expect(await ask('POST', '/api/schedules', { payload })).toBe(201);
    for (const path of [`schedules/${schedulePda}`, `schedules/${schedulePda}/executions`, 'health', 'metrics']) {
      expect(await ask('GET', `/api/${path}`), path).toBe(200);
    }
  });
});

it('takes no name for this machine that only begins like one', () => {
  for (const url of ['http://127.0.0.1:1', 'http://127.9.9.9/', 'http://localhost', 'ws://[::1]:8900']) {
    expect(isLoopbackUrl(url), url).toBe(true);
  }
  for (const url of [
    'http://127.evil.example',
    'http://localhost.evil.example',
    'http://localhosts',
    'http://[::2]/',
  ]) {
    expect(isLoopbackUrl(url), url).toBe(false);
  }
});
