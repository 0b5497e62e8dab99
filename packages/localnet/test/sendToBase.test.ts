import { setImmediate as nextTurn } from 'node:timers/promises';
import { sendToBase, TransactionFailed, TransactionUnknown } from '@payouts/client';
import {
  createSolanaRpcFromTransport,
  generateKeyPairSigner,
  type Rpc,
  type RpcTransport,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  SolanaError,
  type SolanaRpcApi,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { answerBody } from '../src/baseLedger/rpc/dispatch.ts';
import { CALLER, manualLedger } from './manualLedger.ts';

type Slow = Awaited<ReturnType<typeof manualLedger>>;
/** What becomes of a call: refused before or lost after the ledger had it; undefined: answered. */
type Trouble = (method: string, call: number) => 'busy' | 'lost before' | 'lost after' | undefined;

let slow: Slow;
let calls: Map<string, number>;

beforeEach(async () => {
  slow = await manualLedger();
  await slow.ask('localnet_setHabits', { landMs: 600, finalMs: 12_800 });
  calls = new Map();
  return () => slow.ledger.close();
});

function rpcWith(trouble: Trouble): Rpc<SolanaRpcApi> {
  const transport = async ({ payload }: Parameters<RpcTransport>[0]) => {
    const { method } = payload as { readonly method: string };
    const call = (calls.get(method) ?? 0) + 1;
    calls.set(method, call);
    const what = trouble(method, call);
    if (what === 'busy') {
      const headers = new Headers();
      throw new SolanaError(SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, { headers, message: 'busy', statusCode: 429 });
    }
    if (what === 'lost before') throw new TypeError('fetch failed');
    const body = JSON.stringify(payload, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
    const answer = await answerBody(slow.context, body, CALLER);
    if (what === 'lost after') throw new TypeError('fetch failed');
    return JSON.parse(answer, (_, value) => (Number.isInteger(value) ? BigInt(value) : value));
  };
  return createSolanaRpcFromTransport(transport as RpcTransport);
}

/** Turns time on while something waits in turns, and only then: a signature that takes a while must not cost blocks. */
async function turning<T>(working: () => Promise<T>): Promise<T | Error> {
  const idle = slow.time.waits();
  let end: { readonly value: T | Error } | undefined;
  working().then(
    (value) => (end = { value }),
    (value: Error) => (end = { value }),
  );
  while (end === undefined) {
    await nextTurn();
    if (slow.time.waits() > idle) await slow.time.advance(10);
  }
  return end.value;
}

/** Sends 1 SOL to somebody new; what came of it and what they have in the end, lamports. */
async function pay(trouble: Trouble) {
  const [payer, receiver] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  await slow.send(payer.address, 10_000_000_000n);
  await slow.time.advance(20_000);
  const instruction = getTransferSolInstruction({
    source: payer,
    destination: receiver.address,
    amount: 1_000_000_000n,
  });
  const began = slow.time.monotonic();
  const end = await turning(() => sendToBase({ base: rpcWith(trouble), time: slow.time }, [instruction], payer));
  const tookMs = slow.time.monotonic() - began;
  await slow.time.advance(20_000);
  return { end, tookMs, received: (await slow.ask('getBalance', receiver.address)).value };
}

const SOL = 1_000_000_000;

describe('a transaction on a cluster', () => {
  it('is looked at a few times only until it is final', async () => {
    const { end, received, tookMs } = await pay(() => undefined);
    expect([typeof end, received]).toEqual(['string', SOL]);
    expect(tookMs).toBeGreaterThanOrEqual(13_400);
    // Public nodes answer 40 calls of a method in 10 s.
    expect(calls.get('getSignatureStatuses')).toBeLessThan(30);
    expect(calls.get('sendTransaction')).toBe(1);
  });

  it('is executed once, and never called failed, while a node is busy or loses connections', async () => {
    const troubles: readonly Trouble[] = [
      (method, call) => (method === 'getSignatureStatuses' && call < 6 ? 'busy' : undefined),
      (method, call) => (method === 'getSignatureStatuses' && call % 2 === 1 ? 'lost before' : undefined),
      (method, call) => (method === 'sendTransaction' && call === 1 ? 'lost after' : undefined),
      (method, call) => (method === 'sendTransaction' && call < 4 ? 'lost before' : undefined),
      (method, call) => (method === 'sendTransaction' && call < 3 ? 'busy' : undefined),
      (method, call) => (method === 'getLatestBlockhash' && call < 3 ? 'busy' : undefined),
      (_, call) => (call % 3 === 1 ? 'busy' : undefined),
    ];
    for (const [place, trouble] of troubles.entries()) {
      calls.clear();
      const { end, received } = await pay(trouble);
      expect([place, end, received]).toEqual([place, expect.any(String), SOL]);
    }
  });

  it('that no node took is told as expired, when it can no longer be executed', async () => {
    const { end, received } = await pay((method) => (method === 'sendTransaction' ? 'lost before' : undefined));
    expect(end).toBeInstanceOf(TransactionFailed);
    expect(end).toMatchObject({ code: 'transaction-expired' });
    expect(received).toBe(0);
  });

  it('whose end nobody tells is named by its signature, and not called failed', async () => {
    const { end, received } = await pay((method) => (method === 'getSignatureStatuses' ? 'busy' : undefined));
    expect(end).toBeInstanceOf(TransactionUnknown);
    const { signature, message } = end as TransactionUnknown;
    expect((await slow.ask('getSignatureStatuses', [signature])).value[0].err).toBeNull();
    expect(message).toContain(signature);
    expect(received).toBe(SOL);
  });
});
