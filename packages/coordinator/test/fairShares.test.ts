import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_LEAVES } from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { monitoringServer } from '../src/http/monitoringServer.ts';
import { readBody } from '../src/lists/body.ts';
import { testApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { until } from './support/limited.ts';
import { connectRaw } from './support/rawHttp.ts';
import { useStore } from './support/stores.ts';

const store = useStore();
const ledger = useLedger();
const HEALTH = 'GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n';
const REFUSED = 'service_api_connections_refused_total';
const LIMIT = 100_000_000;
const TOO_SLOW = { code: 'request-timeout', message: expect.stringContaining('bytes a second') };

/** A listening API; it ends with the test. */
async function listening(input: Parameters<typeof testApi>[2]) {
  const service = await testApi(store.database, ledger.url, input);
  onTestFinished(async () => {
    service.api.server.closeAllConnections();
    await service.api.close();
  });
  return { ...service, url: await service.api.listen({ host: '127.0.0.1', port: 0 }) };
}

/** What health is answered on a connection of its own; empty: the connection was ended. */
async function askedFrom(address: string, url: string): Promise<string> {
  const { socket, ended } = connectRaw(url, address);
  socket.write(HEALTH.replace('Host: x', 'Host: x\r\nConnection: close'));
  return (await ended).text;
}

/** A body that a test sends piece by piece. */
function slowBody() {
  const payload = new Readable({ read() {} });
  const time = manualTime();
  return { payload, time, reading: readBody(payload, { limitBytes: LIMIT, time }).catch((error: unknown) => error) };
}

describe('a body', () => {
  it('is given up when too little of it comes for five seconds', async () => {
    const { payload, time, reading } = slowBody();
    payload.push('{"schedulePda":');
    for (let second = 0; second < 6; second++) {
      await time.advance(1_000);
      payload.push(' ');
      await sleep(1);
    }
    expect(await reading).toMatchObject(TOO_SLOW);
  });

  it('may take as long as it likes at the least rate', async () => {
    const { payload, time, reading } = slowBody();
    payload.push('{"recipients":[');
    for (let second = 0; second < 30; second++) {
      await time.advance(1_000);
      payload.push(`0,${' '.repeat(40_000)}`);
      await sleep(1);
    }
    payload.push('0]}');
    payload.push(null);
    expect(await reading).toMatchObject({ code: 'invalid-body' });
  });

  it('with more entries than any list has is read no further', async () => {
    let pieces = 0;
    function* endless() {
      yield Buffer.from('{"recipients":[');
      for (; ; pieces++) yield Buffer.from('0,'.repeat(10_000));
    }
    const time = manualTime();
    const refused = await readBody(Readable.from(endless()), { limitBytes: LIMIT, time }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: 'invalid-body', message: expect.stringContaining(String(MAX_LEAVES)) });
    expect(pieces).toBeLessThan(MAX_LEAVES / 10_000 + 32);
  });
});

describe('connections', () => {
  it('of one client are a share of all, whatever comes over them', async () => {
    const time = manualTime();
    const { url, counted } = await listening({ connectionsPerClient: 3, time });
    const own = [connectRaw(url), connectRaw(url), connectRaw(url)];
    await Promise.all(own.map(({ socket }) => once(socket, 'connect')));
    expect(await askedFrom('127.0.0.1', url)).toBe('');
    expect(await counted(REFUSED, { reason: 'open' })).toBe(1);
    own[0]?.socket.destroy();
    await time.advance(10_000);
    await until(async () => (await askedFrom('127.0.0.1', url)).startsWith('HTTP/1.1 200'));
  });

  it('that one client opens one after the other are so many in ten seconds; others open theirs meanwhile', async () => {
    const time = manualTime();
    const { url, counted } = await listening({ connectionsPerClient: 20, time });
    const answers = async (from: string, count: number) => {
      const all: string[] = [];
      for (let sent = 0; sent < count; sent++) all.push(await askedFrom(from, url));
      return all.filter((text) => text.startsWith('HTTP/1.1 200')).length;
    };
    expect(await answers('127.0.0.2', 50)).toBe(20);
    expect(await counted(REFUSED, { reason: 'opened' })).toBe(30);
    expect(await answers('127.0.0.3', 5)).toBe(5);
    await time.advance(9_999);
    expect(await answers('127.0.0.2', 5)).toBe(0);
    await time.advance(1);
    expect(await answers('127.0.0.2', 25)).toBe(20);
  });

  it('of a trusted proxy are those of many clients', async () => {
    const { url } = await listening({ connectionsPerClient: 1, trustedProxies: ['127.0.0.1'] });
    await Promise.all([connectRaw(url), connectRaw(url)].map(({ socket }) => once(socket, 'connect')));
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
  });

  it('that reset in the middle of a request are no fault of the service', async () => {
    const { url, counted, logged, api } = await listening({});
    for (let sent = 0; sent < 200; sent++) {
      const { socket } = connectRaw(url);
      await once(socket, 'connect');
      socket.write('GET /api/schedules/x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3), () => socket.resetAndDestroy());
    }
    await until(() => new Promise((resolve) => api.server.getConnections((_, open) => resolve(open === 0))));
    expect(logged()).not.toContain('a request failed');
    expect(await counted('service_api_requests_total', { route: '/api/schedules/:schedulePda', status: '500' })).toBe(
      0,
    );
  });

  it('that reset while they wait to be taken are ended unread', async () => {
    const { url, counted } = await listening({});
    const { port } = new URL(url);
    const resetting = `const socket = require('node:net').connect(${port}, '127.0.0.1');
      socket.write('GET /api/schedules/x HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', () => socket.resetAndDestroy());`;
    // This process takes none of them before all are reset.
    execFileSync(process.execPath, ['-e', `for (let at = 0; at < 100; at++) { ${resetting} }`]);
    await until(async () => (await counted(REFUSED, { reason: 'gone' })) === 100);
    expect(
      await counted('service_api_requests_total', { route: '/api/schedules/:schedulePda', status: 'aborted' }),
    ).toBe(0);
  });

  it('of whoever watches the service are apart from those of its clients', async () => {
    const { url, api } = await listening({ connectionsPerClient: 1 });
    const taken = connectRaw(url);
    await once(taken.socket, 'connect');
    const monitoring = monitoringServer(api).listen(0, '127.0.0.1');
    onTestFinished(() => monitoring.closeAllConnections());
    onTestFinished(() => void monitoring.close());
    await once(monitoring, 'listening');
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${(monitoring.address() as AddressInfo).port}${path}`, {
        headers: { authorization: 'Bearer token-of-the-tests' },
      });
    expect((await ask('/api/health')).status).toBe(200);
    expect((await ask('/api/metrics?x=1')).status).not.toBe(404);
    expect((await ask('/api/schedules/x')).status).toBe(404);
    await expect(fetch(`${url}/api/health`)).rejects.toThrow();
  });
});

describe('streams of events', () => {
  it('of one client are a share of all', async () => {
    const { url } = await listening({
      dashboard: { isPublic: true },
      eventStreamsPerClient: 1,
      trustedProxies: ['127.0.0.1'],
    });
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const open = async (client: string) => {
      const headers = { 'x-forwarded-for': client };
      return (await fetch(`${url}/api/events`, { headers, signal: ending.signal })).status;
    };
    expect([await open('203.0.113.1'), await open('203.0.113.1'), await open('203.0.113.2')]).toEqual([200, 429, 200]);
  });
});
