import { createSolanaRpcSubscriptions, generateKeyPairSigner, lamports, type Signature } from '@solana/kit';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { atEnd, SOL, startWithClient } from './support.ts';

const { ledger, client } = await startWithClient();

/** A plain websocket; when it is open, and when it is cut: milliseconds from its opening. */
async function open(url: string) {
  const socket = new WebSocket(url);
  atEnd(() => socket.terminate());
  await new Promise((resolve) => socket.once('open', resolve));
  const since = performance.now();
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
    expect(after).toBeLessThan(5_000);
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
  expect(await told(ledger.wsUrl, 'confirmed')).toBeLessThan(1_900);
  await ledger.admin.setHabits({ behindMs: 2_000 });
  const took = [await told(ledger.wsUrl, 'confirmed'), await told(ledger.wsUrl, 'confirmed')];
  expect(took[0]).toBeLessThan(1_900);
  expect(took[1]).toBeGreaterThanOrEqual(1_990);
  expect(await told(ledger.ownNode.wsUrl, 'confirmed')).toBeLessThan(1_900);
  await ledger.admin.setHabits({});
});

test('a signature that landed before is told as soon as it is final, and not later', async () => {
  await ledger.admin.setHabits({ finalMs: 3_000 });
  const { address } = await generateKeyPairSigner();
  const signature: Signature = await client.rpc.requestAirdrop(address, lamports(SOL)).send();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const began = performance.now();
  const stop = new AbortController();
  const notifications = await createSolanaRpcSubscriptions(ledger.wsUrl)
    .signatureNotifications(signature, { commitment: 'finalized' })
    .subscribe({ abortSignal: stop.signal });
  for await (const { value } of notifications) {
    expect(value).toEqual({ err: null });
    break;
  }
  stop.abort();
  expect(performance.now() - began).toBeGreaterThan(1_000);
  expect(performance.now() - began).toBeLessThan(2_900);
  await ledger.admin.setHabits({});
});
