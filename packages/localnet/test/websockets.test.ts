import { EventEmitter } from 'node:events';
import { createSolanaRpcSubscriptions, generateKeyPairSigner, lamports, type Signature } from '@solana/kit';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PubSub } from '../src/baseLedger/pubsub.ts';
import { manualLedger } from './manualLedger.ts';
import { atEnd, SOL, startWithClient } from './support.ts';

/** What takes as long is not told meanwhile, even where this machine stands still for some seconds. */
const NEVER_MS = 60_000;

const { ledger, client } = await startWithClient();

/** A plain websocket; when it is open, and when it is cut: milliseconds from its opening. */
async function open(url: string) {
  // Before the ledger counts.
  const since = performance.now();
  const socket = new WebSocket(url);
  atEnd(() => socket.terminate());
  await new Promise((resolve) => socket.once('open', resolve));
  const cut = new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now() - since)));
  return { socket, cut };
}

test('websockets of public nodes are cut every so often, an own node’s never', async () => {
  await ledger.admin.setHabits({ websocketMs: 1_000 });
  const own = await open(ledger.ownNode.wsUrl);
  for (let turn = 0; turn < 2; turn++) {
    const { cut } = await open(ledger.wsUrl);
    const after = await cut;
    expect(after).toBeGreaterThanOrEqual(900);
    expect(after).toBeLessThan(NEVER_MS);
  }
  expect(own.socket.readyState).toBe(WebSocket.OPEN);
  await ledger.admin.setHabits({});
});

/** Milliseconds until a transaction is told by a websocket of its own, from its landing. */
async function told(url: string, commitment: 'confirmed' | 'finalized'): Promise<number> {
  const { address } = await generateKeyPairSigner();
  const stop = new AbortController();
  const notifications = await createSolanaRpcSubscriptions(url)
    .accountNotifications(address, { commitment, encoding: 'base64' })
    .subscribe({ abortSignal: stop.signal });
  const began = performance.now();
  const first = (async () => {
    for await (const { value } of notifications) return value.lamports;
    return undefined;
  })();
  await client.rpc.requestAirdrop(address, lamports(SOL)).send();
  expect(await first).toBe(SOL);
  stop.abort();
  return performance.now() - began;
}

test('changes are told when they are final to whoever asks for that, and by a node that is behind so much later', async () => {
  await ledger.admin.setHabits({ finalMs: 2_000 });
  expect(await told(ledger.wsUrl, 'finalized')).toBeGreaterThanOrEqual(1_990);
  await ledger.admin.setHabits({ finalMs: NEVER_MS });
  expect(await told(ledger.wsUrl, 'confirmed')).toBeLessThan(NEVER_MS);
  // Every second websocket is of the node that is behind, counted from then on.
  await ledger.admin.setHabits({ behindMs: NEVER_MS });
  expect(await told(ledger.wsUrl, 'confirmed')).toBeLessThan(NEVER_MS);
  await ledger.admin.setHabits({ behindMs: 2_000 });
  await told(ledger.wsUrl, 'confirmed');
  expect(await told(ledger.wsUrl, 'confirmed')).toBeGreaterThanOrEqual(1_990);
  await ledger.admin.setHabits({ behindMs: NEVER_MS });
  expect(await told(ledger.ownNode.wsUrl, 'confirmed')).toBeLessThan(NEVER_MS);
  await ledger.admin.setHabits({});
});

test('a signature that landed before is told once it is final', async () => {
  await ledger.admin.setHabits({ finalMs: 3_000 });
  const { address } = await generateKeyPairSigner();
  const began = performance.now();
  const signature: Signature = await client.rpc.requestAirdrop(address, lamports(SOL)).send();
  const stop = new AbortController();
  const notifications = await createSolanaRpcSubscriptions(ledger.wsUrl)
    .signatureNotifications(signature, { commitment: 'finalized' })
    .subscribe({ abortSignal: stop.signal });
  for await (const { value } of notifications) {
    expect(value).toEqual({ err: null });
    break;
  }
  stop.abort();
  expect(performance.now() - began).toBeGreaterThanOrEqual(2_990);
  await ledger.admin.setHabits({});
});

test.each([
  [1_500, 1_500],
  [3_000, 0],
  [9_000, 0],
])(
  'a signature that landed %i ms before whoever waits for it asks is told after %i ms, when it is final',
  async (landedMs, leftMs) => {
    const { time, ledger: manual, context, ask, send } = await manualLedger();
    await ask('localnet_setHabits', { finalMs: 3_000 });
    const signature = await send((await generateKeyPairSigner()).address, SOL);
    await time.advance(landedMs);
    const heard: string[] = [];
    const socket = Object.assign(new EventEmitter(), {
      bufferedAmount: 0,
      send: (text: string) => heard.push(text),
      ping: (id: string) => socket.emit('pong', id),
    });
    new PubSub(manual, context.cluster, time).serve(socket as unknown as WebSocket, false);
    const params = [signature, { commitment: 'finalized' }];
    socket.emit('message', JSON.stringify({ id: 1, method: 'signatureSubscribe', params }));
    const isTold = () => heard.some((text) => text.includes('signatureNotification'));
    if (leftMs > 0) {
      await time.advance(leftMs - 1);
      expect(isTold()).toBe(false);
      await time.advance(1);
    }
    expect(isTold()).toBe(true);
    manual.close();
  },
);
