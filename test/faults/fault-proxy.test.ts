import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import type { Fault, FaultRule } from '@payouts/testing/faults/rule';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** Milliseconds by which the proxy's clock and this one's may differ. */
const MARGIN_MS = 20;

/** What the ledger got, in order: ids of calls. */
let got: number[];
let ledger: Server;
let echo: TcpServer;
let proxy: FaultProxy;

const addressOf = (server: Server | TcpServer) => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const proxyOf = (seed: number) =>
  FaultProxy.start({ rpcUrl: `http://${addressOf(ledger)}`, wsUrl: `ws://${addressOf(echo)}` }, seed);

beforeEach(async () => {
  got = [];
  ledger = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request));
    got.push(id);
    const statuses = { context: { slot: got.length }, value: (params[0] ?? []) as unknown };
    const result = method === 'getSignatureStatuses' ? statuses : got.length;
    response.end(JSON.stringify({ jsonrpc: '2.0', result, id }));
  }).listen(0, '127.0.0.1');
  echo = createTcpServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await Promise.all([once(ledger, 'listening'), once(echo, 'listening')]);
  proxy = await proxyOf(1);
});
afterEach(async () => {
  await proxy.stop();
  ledger.closeAllConnections();
  ledger.close();
  echo.close();
});

type Told = { readonly status: number; readonly body: string; readonly retryAfter: string | null } | 'nothing';

/** What a caller is told who waits so many milliseconds at most. */
async function call(
  id: number,
  method = 'getSlot',
  params: unknown[] = [],
  through = proxy,
  withinMs = 30_000,
): Promise<Told> {
  try {
    const response = await fetch(through.rpcUrl, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      signal: AbortSignal.timeout(withinMs),
    });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, body: await response.text(), retryAfter };
  } catch {
    return 'nothing';
  }
}

const answered = (id: number, result: unknown): Told => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', result, id }),
  retryAfter: null,
});

it('lets everything through that no rule is about', async () => {
  proxy.set({ faults: [{ kind: 'drop-before' }], methods: ['sendTransaction'] });
  expect(await call(7)).toEqual(answered(7, 1));
  expect([proxy.calls('getSlot'), proxy.count(), proxy.delivered]).toEqual([1, 0, 1]);
});

it.each<[Fault, number[], Told]>([
  [{ kind: 'drop-before' }, [], 'nothing'],
  [{ kind: 'drop-after' }, [7], 'nothing'],
  [{ kind: 'hang' }, [7], 'nothing'],
  [{ kind: 'cut-off' }, [7], 'nothing'],
  [{ kind: 'double' }, [7, 7], answered(7, 2)],
  [{ kind: 'too-many' }, [], { status: 429, body: '', retryAfter: null }],
  [{ kind: 'too-many', retryAfter: '3' }, [], { status: 429, body: '', retryAfter: '3' }],
  [{ kind: 'garbage' }, [7], { status: 200, body: '<html>Bad gateway</html>', retryAfter: null }],
])('%o: the ledger gets %o, the caller %o', async (fault, delivered, told) => {
  proxy.set({ faults: [fault] });
  expect(await call(7, 'getSlot', [], proxy, fault.kind === 'hang' ? 5_000 : undefined)).toEqual(told);
  await expect.poll(() => got).toEqual(delivered);
  expect([proxy.count(fault.kind), proxy.count(), proxy.delivered]).toEqual([1, 1, delivered.length]);
});

it.each<[Fault, number, string]>([
  [{ kind: 'server-error', status: 503 }, 503, '<html>'],
  [
    { kind: 'node-behind' },
    200,
    '{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is behind by 42 slots"},"id":1}',
  ],
])('%o comes before and after the delivery', async (fault, status, body) => {
  proxy.set({ faults: [fault] });
  for (let turn = 0; turn < 20; turn++) expect(await call(1)).toEqual({ status, body, retryAfter: null });
  expect(got.length).toBeGreaterThan(2);
  expect(got.length).toBeLessThan(18);
});

it('swallows a transaction, answering its signature', async () => {
  proxy.set({ faults: [{ kind: 'swallow' }] });
  const wire = Buffer.concat([Buffer.of(1), Buffer.alloc(64, 0), Buffer.alloc(40, 9)]).toString('base64');
  expect(await call(3, 'sendTransaction', [wire])).toEqual(answered(3, '1'.repeat(64)));
  expect(got).toEqual([]);
});

it('refuses a send as a layer does whose accounts are late, and nothing else', async () => {
  proxy.set({ faults: [{ kind: 'accounts-late' }] });
  expect(await call(1, 'sendTransaction', [''])).toMatchObject({ body: expect.stringContaining('"code":-32003') });
  expect(got).toEqual([]);
  expect(await call(2)).toEqual(answered(2, 1));
});

it('delays for the time asked for, half of it before the delivery', async () => {
  proxy.set({ faults: [{ kind: 'delay', ms: 600 }] });
  const began = performance.now();
  const delivery = once(ledger, 'request').then(() => performance.now());
  expect(await call(1)).toEqual(answered(1, 1));
  const deliveredAt = await delivery;
  // A timer may be early by what the loop's turn has taken.
  expect(deliveredAt - began).toBeGreaterThan(270);
  expect(performance.now() - deliveredAt).toBeGreaterThan(270);
});

it('holds a call back until later ones have gone through, and not for ever', async () => {
  const reorder = (withinMs: number) =>
    proxy.set({ faults: [{ kind: 'reorder', later: 2, withinMs }], methods: ['sendTransaction'] });
  reorder(60_000);
  const held = call(1, 'sendTransaction');
  await expect.poll(() => proxy.count('reorder')).toBe(1);
  await call(2);
  await call(3);
  await held;
  expect(got).toEqual([2, 3, 1]);
  reorder(200);
  await call(4, 'sendTransaction');
  expect(got).toEqual([2, 3, 1, 4]);
});

it('answers reads as they were some time ago, and never a transaction', async () => {
  await call(1, 'getSlot');
  await new Promise((resolve) => setTimeout(resolve, 300));
  proxy.set({ faults: [{ kind: 'stale', ms: 200 }] });
  expect(await call(2, 'getSlot')).toEqual(answered(2, 1));
  // Nothing older is known of these.
  expect(await call(3, 'getBlockHeight')).toEqual(answered(3, 3));
  expect(await call(4, 'sendTransaction')).toEqual(answered(4, 4));
  expect(proxy.count('stale')).toBe(1);
});

it('answers that a signature is not known, until it has been for some time', async () => {
  proxy.set({ faults: [{ kind: 'stale', ms: 300 }] });
  const known = { context: { slot: 1 }, value: ['a', 'b'] };
  expect(await call(1, 'getSignatureStatuses', [['a', 'b']])).toEqual(answered(1, { ...known, value: [null, null] }));
  await new Promise((resolve) => setTimeout(resolve, 400));
  const later = await call(2, 'getSignatureStatuses', [['a', 'b', 'c']]);
  expect(later).toEqual(answered(2, { context: { slot: 2 }, value: ['a', 'b', null] }));
});

it('storms for the time asked for at the beginning of each period', async () => {
  proxy.set({ faults: [{ kind: 'too-many' }], storm: { everyMs: 1_000, lastsMs: 400 } });
  const setAt = performance.now();
  /** Even while it storms. */
  const phaseOf = (at: number) => Math.floor((at - setAt) / 1_000) * 2 + ((at - setAt) % 1_000 < 400 ? 0 : 1);
  const seen = new Set<number>();
  const phases = (kind: number) => [...seen].filter((phase) => phase % 2 === kind).length;
  while (phases(0) < 2 || phases(1) < 2) {
    const began = performance.now();
    const told = await call(1);
    const phase = phaseOf(began - MARGIN_MS);
    // Only calls that were begun and answered well within one say something.
    if (phase !== phaseOf(performance.now() + MARGIN_MS)) continue;
    expect(told).toMatchObject({ status: phase % 2 === 0 ? 429 : 200 });
    seen.add(phase);
    await sleep(20);
  }
});

it('decides alike for the same seed and the same calls, however methods follow each other', async () => {
  const rules: FaultRule[] = [{ probability: 0.4, faults: [{ kind: 'too-many' }, { kind: 'garbage' }] }];
  const heard = async (seed: number, methods: readonly string[]) => {
    const through = await proxyOf(seed);
    through.set(...rules);
    const told = new Map<string, string[]>();
    for (const method of methods) {
      const answer = await call(1, method, [], through);
      const status = answer === 'nothing' ? '' : `${answer.status}${answer.body.startsWith('<') ? ' garbage' : ''}`;
      told.set(method, [...(told.get(method) ?? []), status]);
    }
    await through.stop();
    return told;
  };
  const one = Array.from({ length: 60 }, (_, place) => (place % 2 === 0 ? 'getSlot' : 'sendTransaction'));
  const other = one.toSorted();
  const first = await heard(5, one);
  expect(await heard(5, other)).toEqual(first);
  expect(await heard(6, one)).not.toEqual(first);
  const struck = [...first.values()].flat().filter((status) => status !== '200').length;
  expect(struck).toBeGreaterThan(12);
  expect(struck).toBeLessThan(36);
});

it('passes a websocket through, cuts it, and lets nobody in until it is mended', async () => {
  const { port } = new URL(proxy.subscriptions.url);
  const open = () => connect(Number(port), '127.0.0.1').on('error', () => {});
  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  const socket = open();
  socket.write('hello');
  expect(String((await once(socket, 'data'))[0])).toBe('hello');
  proxy.subscriptions.cut();
  await closed(socket);
  await closed(open());
  proxy.subscriptions.remedy();
  const again = open();
  again.write('there');
  expect(String((await once(again, 'data'))[0])).toBe('there');
  again.destroy();
});
