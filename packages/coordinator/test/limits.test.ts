import { setTimeout as sleep } from 'node:timers/promises';
import { manualTime } from '@payouts/testing/manualTime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdmissionQueue } from '../src/http/limits/admissionQueue.ts';
import { clientKey } from '../src/http/limits/client.ts';
import { type Limited, limitedServer, until } from './support/limited.ts';
import { connectRaw } from './support/rawHttp.ts';

const RATE = 'service_api_rate_limit_decisions_total';
const CONCURRENCY = 'service_api_concurrency_limit_decisions_total';
/** Seconds of a window, so that a test sees the next one: longer than a test may stand still between a few requests. */
const WINDOW = 5;

const statuses = async (answers: readonly Promise<Response>[]) => (await Promise.all(answers)).map((one) => one.status);
const times = <T>(count: number, make: (place: number) => T) =>
  Array.from({ length: count }, (_, place) => make(place));

async function expectLimited(answer: Response, code: string): Promise<void> {
  expect(answer.status).toBe(429);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(await answer.json()).toMatchObject({ status: 429, code });
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
}

describe('the limit of registrations', () => {
  it('answers a burst with 429 and Retry-After, and lets it pass after that time', async () => {
    const server = await limitedServer({ rateLimitWindowSeconds: WINDOW });
    expect(await statuses(times(3, () => server.register()))).toEqual([200, 200, 200]);
    const refused = await server.register();
    await expectLimited(refused, 'rate-limited');
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeLessThanOrEqual(WINDOW);
    await sleep(wait * 1_000);
    expect((await server.register()).status).toBe(200);
    expect(await server.counted(RATE, { route: '/register', outcome: 'limited' })).toBe(1);
    expect(await server.counted(RATE, { route: '/register', outcome: 'allowed' })).toBe(4);
    expect(server.logged()).toContain('"outcome":"limited"');
  });

  it('says in headers what is left, on allowed and on refused answers', async () => {
    const window = 60;
    const server = await limitedServer({ rateLimitWindowSeconds: window });
    const left: (string | null)[] = [];
    for (let sent = 0; sent < 4; sent++) {
      const { headers } = await server.register();
      left.push(headers.get('ratelimit-remaining'));
      expect(headers.get('ratelimit-limit')).toBe('3');
      expect(headers.get('ratelimit-policy')).toBe(`3;w=${window}`);
      const reset = Number(headers.get('ratelimit-reset'));
      expect([reset > 0, reset <= window, Number.isInteger(reset)]).toEqual([true, true, true]);
    }
    expect(left).toEqual(['2', '1', '0', '0']);
  });

  it('is apart from that of reads, and neither holds for health', async () => {
    const server = await limitedServer();
    await Promise.all(times(3, () => server.register()));
    expect(await statuses(times(5, () => server.read()))).toEqual([200, 200, 200, 200, 200]);
    await expectLimited(await server.read(), 'rate-limited');
    const free = await Promise.all(times(20, () => fetch(`${server.url}/free`)));
    expect(new Set(free.map(({ status }) => status))).toEqual(new Set([200]));
    expect(free[0]?.headers.has('ratelimit-limit')).toBe(false);
  });

  it('lets everything pass in a dry run, and counts and logs what it would have limited', async () => {
    const server = await limitedServer({ rateLimitDryRun: true, registrationsAtATime: 1 });
    expect(await statuses(times(8, () => server.register()))).toEqual(Array(8).fill(200));
    expect(await server.counted(RATE, { route: '/register', outcome: 'would-limit' })).toBe(5);
    expect(await server.counted(RATE, { route: '/register', outcome: 'limited' })).toBe(0);
    expect(server.logged()).toContain('"outcome":"would-limit"');
  });

  it('writes a line a second about a flood, not one a request', async () => {
    const server = await limitedServer();
    const begun = performance.now();
    await Promise.all(times(50, () => server.register()));
    const seconds = Math.ceil((performance.now() - begun) / 1_000);
    expect(server.logged().split('requests over a limit').length - 1).toBeLessThanOrEqual(seconds + 1);
  });
});

describe('the limit of registrations at a time', () => {
  const open = (server: Limited) => server.register();
  const HEAD = 'POST /register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ';
  const waitingServer = (registrationsAtATime: number) =>
    limitedServer({ registrationsAtATime, registrationsPerMinute: 100 }, { isWaiting: true });
  /** Waits until so many were let in. */
  const admitted = (server: Limited, count: number) =>
    until(async () => (await server.counted(CONCURRENCY, { outcome: 'allowed' })) === count);

  it('refuses one too many, counts it apart, and takes the next when one has ended', async () => {
    const server = await waitingServer(2);
    const waiting = times(2, () => open(server));
    await admitted(server, 2);
    await expectLimited(await open(server), 'concurrency-limited');
    expect(await server.counted(CONCURRENCY, { route: '/register', outcome: 'limited' })).toBe(1);
    expect(await server.counted(RATE, { route: '/register', outcome: 'limited' })).toBe(0);
    server.goOn();
    expect(await statuses(waiting)).toEqual([200, 200]);
    expect((await open(server)).status).toBe(200);
  });

  it('has each client send two at a time, and decides before the body of a third is read', async () => {
    const server = await waitingServer(2);
    const halves = times(2, () => connectRaw(server.url).socket);
    // Of the bodies that are promised nothing more ever comes.
    for (const half of halves) half.write(`${HEAD}1000\r\n\r\n{`);
    await sleep(100);
    const { socket } = connectRaw(server.url);
    socket.write(`${HEAD}1000\r\n\r\n`);
    const [first] = (await new Promise((resolve) => socket.once('data', (...data) => resolve(data)))) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1\.1 429 /);
    for (const half of halves) half.destroy();
    server.goOn();
    await until(async () => (await open(server)).status === 200);
  });

  it('keeps nobody waiting for what another client sends slowly', async () => {
    const server = await limitedServer(
      { registrationsAtATime: 1, registrationsPerMinute: 100 },
      { trustedProxies: ['127.0.0.0/8'] },
    );
    for (const half of times(8, () => connectRaw(server.url).socket)) {
      half.write(`${HEAD.replace('Host: x', 'Host: x\r\nX-Forwarded-For: 203.0.113.1')}1000\r\n\r\n{`);
    }
    await sleep(100);
    const others = times(16, (place) => server.register({ 'x-forwarded-for': `198.51.100.${place}` }));
    expect(new Set(await statuses(others))).toEqual(new Set([200]));
  });

  it('keeps the place of a client who has gone as long as the work goes on', async () => {
    const server = await waitingServer(1);
    const { socket: whole } = connectRaw(server.url);
    whole.write(`${HEAD}2\r\n\r\n{}`);
    await admitted(server, 1);
    whole.destroy();
    await sleep(100);
    expect((await open(server)).status).toBe(429);
    server.goOn();
    await until(async () => (await open(server)).status === 200);
  });

  it('gives a place back once, however often that is asked', async () => {
    const time = manualTime();
    const slots = new AdmissionQueue(2, time);
    const leave = slots.take();
    slots.take();
    const late = slots.wait(1);
    await time.advance(1);
    expect(await late).toBeUndefined();
    leave();
    leave();
    expect(await slots.wait(1)).toBeDefined();
    const later = slots.wait(1);
    await time.advance(1);
    expect(await later).toBeUndefined();
  });

  it('lets more of them than there are places wait for each other', async () => {
    const server = await waitingServer(2);
    const all = times(50, () => open(server));
    await admitted(server, 2);
    server.goOn();
    expect(new Set(await statuses(all))).toEqual(new Set([200]));
    expect(await server.counted(CONCURRENCY, { outcome: 'allowed' })).toBe(50);
  });

  it('gives places to those who waited longest, and none to who has given up', async () => {
    const time = manualTime();
    const slots = new AdmissionQueue(1, time);
    const leave = slots.take();
    const [late, first, second] = [slots.wait(1), slots.wait(1_000), slots.wait(1_000)];
    await time.advance(999);
    expect(await late).toBeUndefined();
    leave();
    const leaveFirst = await first;
    expect(leaveFirst).toBeDefined();
    leaveFirst?.();
    expect(await second).toBeDefined();
  });
});

describe('who is one client', () => {
  it('takes an IPv4 address as one, however it is written, and an IPv6 network of 64 bits', () => {
    expect(clientKey('10.1.2.3')).toBe(clientKey('::ffff:10.1.2.3'));
    expect(clientKey('10.1.2.3')).not.toBe(clientKey('10.1.2.4'));
    expect(clientKey('2001:db8::1')).toBe(clientKey('2001:0DB8:0:0:ffff::9'));
    expect(clientKey('2001:db8::1')).not.toBe(clientKey('2001:db8:0:1::1'));
    expect(clientKey('fe80::1%eth0')).toBe(clientKey('fe80::2'));
    expect(clientKey('::1')).toBe(clientKey('0:0:0:0:1:2:3:4'));
  });

  it('takes the port of a connection for no part of a client', () => {
    for (const same of ['10.1.2.3:1', '10.1.2.3:65535', '[::ffff:10.1.2.3]:80', '[::ffff:10.1.2.3]']) {
      expect(clientKey(same), same).toBe(clientKey('10.1.2.3'));
    }
    expect(clientKey('[2001:db8::1]:443')).toBe(clientKey('2001:db8::9'));
  });

  it('holds for every IPv6 address and spelling', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), group, (groups, other) => {
        const plain = groups.map((one) => one.toString(16)).join(':');
        const padded = groups.map((one) => one.toString(16).toUpperCase().padStart(4, '0')).join(':');
        // How a URL writes it: shortened.
        const short = new URL(`http://[${plain}]`).hostname.slice(1, -1);
        const neighbour = groups.map((one, place) => (place < 4 ? one : other).toString(16)).join(':');
        const elsewhere = groups.map((one, place) => (place === 3 ? one ^ 1 : one).toString(16)).join(':');
        for (const same of [padded, short, neighbour]) expect(clientKey(same)).toBe(clientKey(plain));
        expect(clientKey(elsewhere)).not.toBe(clientKey(plain));
      }),
    );
  });

  it('shows no address', () => {
    expect(clientKey('203.0.113.77')).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('believes X-Forwarded-For from trusted proxies alone', async () => {
    const direct = await limitedServer();
    for (let sent = 0; sent < 3; sent++) await direct.register({ 'x-forwarded-for': `203.0.113.${sent}` });
    expect((await direct.register({ 'x-forwarded-for': '203.0.113.99' })).status).toBe(429);

    const proxied = await limitedServer({}, { trustedProxies: ['127.0.0.0/8'] });
    for (let sent = 0; sent < 3; sent++) await proxied.register({ 'x-forwarded-for': '203.0.113.1' });
    expect((await proxied.register({ 'x-forwarded-for': '203.0.113.1' })).status).toBe(429);
    // What the client itself wrote stands before what the proxy added.
    expect((await proxied.register({ 'x-forwarded-for': '198.51.100.7, 203.0.113.1' })).status).toBe(429);
    expect((await proxied.register({ 'x-forwarded-for': '203.0.113.2' })).status).toBe(200);
  });
});

it('limits by memory at once when the shared store is not there', async () => {
  const server = await limitedServer({ rateLimitStoreUrl: 'redis://127.0.0.1:9' });
  expect(await statuses(times(4, () => server.register()))).toEqual([200, 200, 200, 429]);
  await until(() => server.logged().includes('"event":"disconnected"'));
});
