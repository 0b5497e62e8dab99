import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS, systemTime } from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { LedgerAccount } from '../src/ledger/ledger.ts';
import { watchAccounts } from '../src/ledger/watch.ts';
import { createLogger } from '../src/platform/log/log.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { randomAddress } from './support/promised.ts';

const KIND = 7;
/** The u64 that is in each account that has no rent to pay any more. */
const LAST_EPOCH = '18446744073709551615';

type Behave = (socket: WebSocket, request: { readonly id: unknown; readonly params: unknown }) => void;

const answer = (socket: WebSocket, id: unknown, said: object) =>
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
const tell = (socket: WebSocket, address: string, lamports: number, slot: number, data: Uint8Array) =>
  socket.send(
    `{"jsonrpc":"2.0","method":"programNotification","params":{"result":{"context":{"slot":${slot}},"value":{"pubkey":"${address}",` +
      `"account":{"lamports":${lamports},"data":["${Buffer.from(data).toString('base64')}","base64"],"owner":"${PAYOUT_LEDGER_PROGRAM_ADDRESS}",` +
      `"executable":false,"rentEpoch":${LAST_EPOCH},"space":${data.length}}}},"subscription":5}}`,
  );

let over = new AbortController();
let servers: WebSocketServer[] = [];
afterEach(async () => {
  over.abort();
  for (const server of servers) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
  servers = [];
  over = new AbortController();
});

/** A node's websocket; `behave` is told of each subscription, `greet` of each connection. */
async function node({ behave = () => {}, greet = () => {} }: { behave?: Behave; greet?: (socket: WebSocket) => void }) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push(server);
  const requests: { id: unknown; method: string; params: unknown }[] = [];
  server.on('connection', (socket) => {
    greet(socket);
    socket.on('message', (text) => {
      const request = JSON.parse(String(text));
      if (request.method !== 'programSubscribe') return;
      requests.push(request);
      behave(socket, request);
    });
  });
  await once(server, 'listening');
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function watch(url: string, time = systemTime) {
  const seen: { account: LedgerAccount; slot: bigint }[] = [];
  const states: boolean[] = [];
  const lines: string[] = [];
  const watching = watchAccounts({
    name: 'schedule-changes',
    url,
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    kind: KIND,
    time,
    log: createLogger({ level: 'debug', pretty: false, time, to: { write: (line) => lines.push(line) } }),
    metrics: createMetrics(),
    signal: over.signal,
    onChange: (account, slot) => seen.push({ account, slot }),
    onState: (connected) => states.push(connected),
  });
  return { seen, states, lines, watching };
}

describe('a subscription to accounts', () => {
  it('reports each change as the node tells it', async () => {
    const address = randomAddress();
    const data = Uint8Array.of(KIND, 1, 2, 3);
    const { url, requests } = await node({
      behave: (socket, { id }) => {
        answer(socket, id, { result: 5 });
        tell(socket, address, 1_234, 17, data);
      },
    });
    const { seen, states } = watch(url);
    await expect.poll(() => seen).toHaveLength(1);
    expect(seen[0]).toEqual({
      account: { address, owner: PAYOUT_LEDGER_PROGRAM_ADDRESS, lamports: 1_234n, data },
      slot: 17n,
    });
    expect(states).toEqual([true]);
    expect(requests[0]?.params).toEqual([
      PAYOUT_LEDGER_PROGRAM_ADDRESS,
      {
        commitment: 'confirmed',
        encoding: 'base64',
        filters: [{ memcmp: { offset: 0, bytes: '8', encoding: 'base58' } }],
      },
    ]);
  });

  it.each<[string, Parameters<typeof node>[0]]>([
    ['closes at once', { greet: (socket) => socket.close() }],
    ['cuts the connection', { greet: (socket) => socket.terminate() }],
    ['closes when it is asked', { behave: (socket) => socket.close() }],
    ['refuses', { behave: (socket, { id }) => answer(socket, id, { error: { code: -32_601, message: 'no' } }) }],
    ['answers with nothing', { behave: (socket, { id }) => answer(socket, id, { result: null }) }],
    ['answers what is no JSON', { behave: (socket) => socket.send('<html>') }],
    [
      'tells nonsense',
      {
        behave: (socket, { id }) => {
          answer(socket, id, { result: 5 });
          socket.send('{"method":"programNotification","params":{}}');
        },
      },
    ],
  ])('is made anew with a node that %s, and the process lives', async (_, behaviour) => {
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on('unhandledRejection', onUncaught);
    const bad = await node(behaviour);
    const good = await node({ behave: (socket, { id }) => answer(socket, id, { result: 5 }) });
    const { states, lines } = watch(`${bad.url},${good.url}`);
    await expect.poll(() => good.requests).toHaveLength(1);
    await expect.poll(() => states.at(-1)).toBe(true);
    expect(states).toContain(false);
    expect(lines.some((line) => JSON.parse(line).msg === 'loop failed; retrying')).toBe(true);
    await new Promise(setImmediate);
    process.off('unhandledRejection', onUncaught);
    expect(uncaught).toEqual([]);
  });

  it('that tells nothing for a minute is made anew, for it may be dead', async () => {
    const time = manualTime();
    const { url, requests } = await node({ behave: (socket, { id }) => answer(socket, id, { result: 5 }) });
    const { states } = watch(url, time);
    await expect.poll(() => states).toEqual([true]);
    await time.advance(59_000);
    expect(requests).toHaveLength(1);
    await time.advance(1_000);
    await expect.poll(() => time.advance(1).then(() => requests)).toHaveLength(2);
    expect(states).not.toContain(false);
  });

  it('ends with the service', async () => {
    const { url } = await node({ behave: (socket, { id }) => answer(socket, id, { result: 5 }) });
    const { states, watching } = watch(url);
    await expect.poll(() => states).toEqual([true]);
    over.abort();
    await watching;
    await expect.poll(() => servers[0]?.clients.size).toBe(0);
  });
});
