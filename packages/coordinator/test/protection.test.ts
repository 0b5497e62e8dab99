import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { INVALID_ADDRESS } from '../src/domain/address.ts';
import type { ApiInput } from '../src/http/server.ts';
import { isDatabaseOutage } from '../src/store/db/outage.ts';
import { NO_LIMITS, type TestApi, testApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { until } from './support/limited.ts';
import { randomAddress } from './support/promised.ts';
import { connectRaw, parseRaw } from './support/rawHttp.ts';
import { useStore } from './support/stores.ts';

const store = useStore();
const ledger = useLedger();

/** A listening API; it ends with the tests of the file. */
const running: TestApi[] = [];
async function listening(input: Partial<ApiInput> = {}): Promise<TestApi & { readonly url: string }> {
  const service = await testApi(store.database, ledger.url, input);
  running.push(service);
  return { ...service, url: await service.api.listen({ host: '127.0.0.1', port: 0 }) };
}
afterAll(async () => {
  for (const { api } of running) await api.close();
});

function expectProblem(text: string, status: number, code: string): Map<string, string> {
  const answer = parseRaw(text);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(JSON.parse(answer.body)).toMatchObject({ status, code });
  return answer.headers;
}

describe('every answer', () => {
  it.each([
    ['/api/health', 200],
    ['/api/schedules/nonsense', 400],
    ['/api/nothing', 404],
    ['/api/openapi.json', 200],
  ])('of %s has the headers that keep a browser from doing anything with it', async (path, status) => {
    const { url } = await listening();
    const answer = await fetch(url + path);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      date: expect.stringMatching(/GMT$/),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(answer.headers.has('x-powered-by')).toBe(false);
    expect(answer.headers.has('server')).toBe(false);
  });

  it('takes its request id from a trusted proxy alone, and only a UUID', async () => {
    const id = randomUUID();
    const asked = async (service: { url: string }, given: string) =>
      (await fetch(`${service.url}/api/health`, { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    const direct = await listening();
    expect(await asked(direct, id)).not.toBe(id);
    const proxied = await listening({ trustedProxies: ['127.0.0.1'] });
    expect(await asked(proxied, id)).toBe(id);
    expect(await asked(proxied, randomAddress())).toMatch(/^[0-9a-f-]{36}$/);
    const elsewhere = await listening({ trustedProxies: ['10.0.0.0/8', '2001:db8::/32'] });
    expect(await asked(elsewhere, id)).not.toBe(id);
  });
});

describe('what is no request for a route', () => {
  it.each([
    ['PUT', '/api/health', 'GET, HEAD'],
    ['DELETE', '/api/schedules', 'POST'],
    ['GET', '/api/schedules', 'POST'],
    ['OPTIONS', `/api/schedules/${randomAddress()}`, 'GET, HEAD'],
    ['POST', `/api/schedules/${randomAddress()}/executions`, 'GET, HEAD'],
    ['PROPFIND', '/api/metrics', 'GET, HEAD'],
  ])('%s %s is answered 405 and what the path takes', async (method, path, allow) => {
    const { url } = await listening();
    // Of a type that no route takes: the method is looked at first.
    const body = method === 'PUT' || method === 'POST' ? { body: 'x', headers: { 'content-type': 'text/csv' } } : {};
    const answer = await fetch(url + path, { method, ...body });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ code: 'method-not-allowed' });
  });

  it('HEAD is answered as GET, without a body', async () => {
    const { url } = await listening();
    const [head, get] = await Promise.all([
      fetch(`${url}/api/schedules/nonsense`, { method: 'HEAD' }),
      fetch(`${url}/api/schedules/nonsense`),
    ]);
    expect(head.status).toBe(get.status);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect(await head.text()).toBe('');
  });

  it.each([
    ['/', 404, 'not-found'],
    ['/api/nothing', 404, 'not-found'],
    ['/api/schedules//executions', 400, 'invalid-address'],
    ['/api/schedules/%zz', 400, 'malformed-request'],
    ['/api/schedules/%e0%a4%a', 400, 'malformed-request'],
    [`/api/schedules/${'a'.repeat(300)}`, 400, 'invalid-address'],
    ['/api/schedules/a%00b', 400, 'invalid-address'],
    ['/api/docs/static/../../../../package.json', 404, 'not-found'],
  ])('GET %s is answered %i %s', async (path, status, code) => {
    const { url } = await listening();
    const { socket, ended } = connectRaw(url);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expectProblem((await ended).text, status, code);
  });

  it.each([
    [390_000, 400, 'invalid-json'],
    [900_000, 413, 'body-too-large'],
    [4_000_000, 413, 'body-too-large'],
  ])('a refusal of %i bytes reaches whoever listens only when all are sent', async (size, status, code) => {
    const { url } = await listening();
    const { socket, ended } = connectRaw(url);
    socket.pause();
    const body = Buffer.alloc(size, 'n');
    socket.write(
      `POST /api/schedules HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 300_000));
    // Long enough for an answer to what has come.
    await sleep(200);
    await new Promise((sent) => socket.write(body.subarray(300_000), sent));
    await sleep(50);
    socket.resume();
    expectProblem((await ended).text, status, code);
  });

  it('an unknown path with a body of any kind is 404', async () => {
    const { url } = await listening();
    const answer = await fetch(`${url}/api/nothing`, { method: 'POST', body: 'x', headers: { 'content-type': 'a/b' } });
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not-found' }]);
  });

  it.each([
    ['what is not HTTP', 'nonsense\r\n\r\n', 400, 'malformed-request'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n', 400, 'malformed-request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed-request',
    ],
    [
      'a length and chunks',
      'POST /api/schedules HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed-request',
    ],
    [
      'headers that are too long',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers-too-large',
    ],
  ])('%s is answered as a problem, and the connection ended', async (_, sent, status, code) => {
    const { url } = await listening();
    const { socket, ended } = connectRaw(url);
    socket.write(sent);
    const headers = expectProblem((await ended).text, status, code);
    expect(headers.get('connection')).toBe('close');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('the head of a request', () => {
  const ASKED = 'GET /api/health HTTP/1.1\r\n';
  it.each([
    ['without a Host', `${ASKED}Connection: close\r\n\r\n`, 400, 'malformed-request'],
    ['with two', `${ASKED}Host: x\r\nHost: y\r\nConnection: close\r\n\r\n`, 400, 'malformed-request'],
    ['with the same twice', `${ASKED}Host: x\r\nhost: x\r\nConnection: close\r\n\r\n`, 400, 'malformed-request'],
    [
      'with an Expect that nobody knows',
      `${ASKED}Host: x\r\nExpect: the-best\r\nConnection: close\r\n\r\n`,
      417,
      'expectation-failed',
    ],
  ])('%s is refused as a problem', async (_, sent, status, code) => {
    const { url } = await listening();
    const { socket, ended } = connectRaw(url);
    socket.write(sent);
    expect(expectProblem((await ended).text, status, code).get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['HTTP/1.0 has no Host', 'GET /api/health HTTP/1.0\r\n\r\n'],
    ['an empty Host', `${ASKED}Host:\r\nConnection: close\r\n\r\n`],
    ['a Host of another service', `${ASKED}Host: other.example\r\nConnection: close\r\n\r\n`],
  ])('%s: health is answered all the same', async (_, sent) => {
    const { url } = await listening();
    const { socket, ended } = connectRaw(url);
    socket.write(sent);
    expect(parseRaw((await ended).text).status).toBe(200);
  });

  it('with 100-continue is told to go on', async () => {
    const { url } = await listening();
    const { socket, ended } = connectRaw(url);
    socket.write(
      'POST /api/nothing HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\n',
    );
    await once(socket, 'data');
    socket.write('x');
    expect((await ended).text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 404 /);
  });
});

describe('slow clients', () => {
  const slow = { requestTimeoutMs: 1_000, idleTimeoutMs: 1_000 };
  /** For one that is never silent for long, though all may stand still for a moment. */
  const dripping = { ...slow, idleTimeoutMs: 60_000 };
  /** Milliseconds: long for this test, and short of what a server of Node's own settings takes (60 s for headers). */
  const DROPPED_WITHIN = 30_000;

  it('one that sends its headers slowly is told so and dropped', async () => {
    const { url } = await listening(dripping);
    const { socket, ended } = connectRaw(url);
    socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n');
    // Something comes all the time, but never the end.
    const drip = setInterval(() => socket.writable && socket.write('X-A: b\r\n'), 200);
    const { text, after } = await ended;
    clearInterval(drip);
    expectProblem(text, 408, 'request-timeout');
    expect(after).toBeLessThan(DROPPED_WITHIN);
  });

  it('one that sends its body slowly is told so and dropped, and its place is free again', async () => {
    const { url } = await listening({ ...dripping, limits: { ...NO_LIMITS, registrationsAtATime: 1 } });
    const { socket, ended } = connectRaw(url);
    socket.write(
      'POST /api/schedules HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    const drip = setInterval(() => socket.writable && socket.write(' '), 200);
    const { text, after } = await ended;
    clearInterval(drip);
    expectProblem(text, 408, 'request-timeout');
    expect(after).toBeLessThan(DROPPED_WITHIN);
    const next = await fetch(`${url}/api/schedules`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'text/csv' },
    });
    expect(next.status).toBe(415);
  });

  it('one that never reads its answers is dropped', async () => {
    const { api, url } = await listening(slow);
    const { socket, ended } = connectRaw(url);
    socket.pause();
    await once(socket, 'connect');
    // Answers of some ten megabytes, which no buffer between here and there takes.
    const asked = 'GET /api/docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(asked.repeat(10));
    const connections = promisify(api.server.getConnections.bind(api.server));
    await until(async () => (await connections()) === 0, DROPPED_WITHIN);
    socket.resume();
    const { text, after } = await ended;
    expect(text.split('HTTP/1.1 200 OK').length - 1).toBeLessThan(10);
    expect(after).toBeLessThan(DROPPED_WITHIN);
  });

  it('one that is silent is dropped, too', async () => {
    const { url } = await listening(slow);
    const { ended } = connectRaw(url);
    expect((await ended).after).toBeLessThan(DROPPED_WITHIN);
  });
});

describe('when the service stops', () => {
  it('refuses new requests as a problem and ends their connections; health says so, metrics go on', async () => {
    const stopping = new AbortController();
    const { url } = await listening({ draining: stopping.signal, metricsAccess: { token: undefined, isPublic: true } });
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    stopping.abort();
    const refused = await fetch(`${url}/api/schedules/${randomAddress()}`);
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'service-stopping' }]);
    expect(refused.headers.get('connection')).toBe('close');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    const health = await fetch(`${url}/api/health`);
    expect([health.status, await health.json()]).toMatchObject([503, { status: 'unhealthy', database: 'connected' }]);
    expect((await fetch(`${url}/api/metrics`)).status).toBe(200);
  });

  it('lets a request under way finish while it closes, and refuses the next on the same connection', async () => {
    const { api, url } = await listening();
    const { socket, ended } = connectRaw(url);
    const begun = once(api.server, 'request');
    socket.write(
      'POST /api/schedules HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    );
    await begun;
    const closed = api.close();
    await sleep(50);
    socket.write('}GET /api/health HTTP/1.1\r\nHost: x\r\n\r\nGET /api/schedules/x HTTP/1.1\r\nHost: x\r\n\r\n');
    const { text } = await ended;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"invalid-body"');
    await closed;
  });
});

describe('what goes wrong inside', () => {
  const coded = (code: string) => Object.assign(new Error('failed'), { code });

  it('is answered 500 without a word of it, and found in the log by the id of the request', async () => {
    const service = await testApi(store.database, ledger.url);
    running.push(service);
    const { api, logged, lines } = service;
    const secret = randomAddress();
    api.get('/fails', () => {
      throw new TypeError(`cannot read ${secret}`);
    });
    const answer = await api.inject('/fails');
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'internal-error' });
    expect(answer.body).not.toContain(secret);
    const line = lines().at(-1);
    expect(line).toMatchObject({ error: 'TypeError', route: '/fails', request: answer.headers['x-request-id'] });
    expect(line?.place).toContain('protection.test.ts');
    expect(logged()).not.toContain(secret);
  });

  it.each([
    ['a server that refuses connections', coded('ECONNREFUSED'), true],
    ['one that refuses them on each address', new AggregateError([coded('ECONNREFUSED')]), true],
    ['one that is being stopped', coded('57P01'), true],
    ['one that is starting', coded('57P03'), true],
    ['one with too many connections', coded('53300'), true],
    ['a query over its time', coded('57014'), true],
    ['a standby', coded('25006'), true],
    ['a lost connection', new Error('Connection terminated unexpectedly'), true],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect'), true],
    ['an answer that did not come', new Error('Query read timeout'), true],
    ['an outage under another error', new Error('failed', { cause: new Error('Connection terminated') }), true],
    ['a wrong query', coded('42601'), false],
    ['a broken rule', coded('23505'), false],
    ['a mistake of ours', new TypeError('x is undefined'), false],
    ['no error at all', 'text', false],
  ])('%s: a database that is gone or not', (_, error, isOutage) => {
    expect(isDatabaseOutage(error)).toBe(isOutage);
  });

  it('says what an address is without repeating what was sent', async () => {
    const { api } = await listening();
    const answer = await api.inject('/api/schedules/who-is-this');
    expect(answer.json()).toMatchObject({ code: 'invalid-address', detail: INVALID_ADDRESS });
    expect(answer.body).not.toContain('who-is-this');
  });
});
