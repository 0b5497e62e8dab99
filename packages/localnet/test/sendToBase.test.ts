import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type FeePolicy,
  type FollowedLedger,
  followTransaction,
  type KeptBytes,
  patientTransport,
  type SignatureStatus,
  sendStepsToBase,
  sendToBase,
  settleKept,
  TransactionFailed,
  TransactionUnknown,
} from '@payouts/client';
import {
  type Base64EncodedWireTransaction,
  createSolanaRpcFromTransport,
  generateKeyPairSigner,
  isSolanaError,
  type Rpc,
  type RpcTransport,
  type Signature,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  SolanaError,
  type SolanaRpcApi,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { answerBody } from '../src/baseLedger/rpc/dispatch.ts';
import { CALLER, manualLedger } from './manualLedger.ts';

const SOL = 1_000_000_000;

type Slow = Awaited<ReturnType<typeof manualLedger>>;
/**
 * What becomes of a call: refused, not let in or lost before the ledger had it, or lost after; swallowed: answered, and nothing else; silent: never answered;
 * the others: the ledger had it, and a gateway answers in its place; undefined: answered.
 */
type Trouble = (
  method: string,
  call: number,
) =>
  | 'busy'
  | 'lost before'
  | 'lost after'
  | 'swallowed'
  | 'silent'
  | 'no JSON'
  | 'internal error'
  | 'not let in'
  | 520
  | 524
  | undefined;

let slow: Slow;
let calls: Map<string, number>;
let asked: { readonly method: string; readonly params: readonly unknown[] }[];
/** What the ledger says that recent transactions paid, micro-lamports a unit. */
let recentFee: bigint;

beforeEach(async () => {
  slow = await manualLedger();
  await slow.ask('localnet_setHabits', { landMs: 600, finalMs: 12_800 });
  calls = new Map();
  asked = [];
  recentFee = 0n;
  return () => slow.ledger.close();
});

/** What a transport throws for an HTTP status. */
const answered = (statusCode: number, headers = new Headers()) =>
  new SolanaError(SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, { headers, message: '', statusCode });

/** One node's transport. */
function nodeWith(trouble: Trouble): RpcTransport {
  const transport = async ({ payload, signal }: Parameters<RpcTransport>[0]) => {
    const { method, params } = payload as { readonly method: string; readonly params: readonly unknown[] };
    const call = (calls.get(method) ?? 0) + 1;
    calls.set(method, call);
    asked.push({ method, params });
    const what = trouble(method, call);
    if (what === 'busy') throw answered(429);
    if (what === 'lost before') throw new TypeError('fetch failed');
    if (what === 'not let in') throw answered(401);
    if (what === 'swallowed') return { result: '1'.repeat(64) };
    const body = JSON.stringify(payload, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
    const answer = JSON.parse(await answerBody(slow.context, body, CALLER), (_, value) =>
      Number.isInteger(value) ? BigInt(value) : value,
    );
    if (what === 'lost after') throw new TypeError('fetch failed');
    if (what === 'silent') {
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    }
    if (what === 'no JSON') throw new SyntaxError('Unexpected token <');
    if (what === 'internal error')
      return { jsonrpc: '2.0', id: answer.id, error: { code: -32_603, message: 'Internal error' } };
    if (typeof what === 'number') throw answered(what);
    if (method === 'getRecentPrioritizationFees' && recentFee > 0n) {
      return { ...answer, result: [{ slot: 1n, prioritizationFee: recentFee }] };
    }
    return answer;
  };
  return transport as RpcTransport;
}

const rpcWith = (...nodes: readonly Trouble[]): Rpc<SolanaRpcApi> =>
  createSolanaRpcFromTransport(
    patientTransport(
      nodes.map((_, place) => String(place)),
      { time: slow.time, transportOf: (url) => nodeWith(nodes[Number(url)] as Trouble) },
    ),
  );

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
async function pay(trouble: Trouble, { fees, others = [] }: { fees?: FeePolicy; others?: readonly Trouble[] } = {}) {
  const [payer, receiver] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  await slow.send(payer.address, 10_000_000_000n);
  await slow.time.advance(20_000);
  const instruction = getTransferSolInstruction({
    source: payer,
    destination: receiver.address,
    amount: 1_000_000_000n,
  });
  const began = slow.time.monotonic();
  const ledgers = { base: rpcWith(trouble, ...others), time: slow.time, sending: { ...(fees && { fees }) } };
  const end = await turning(() => sendToBase(ledgers, [instruction], payer));
  const tookMs = slow.time.monotonic() - began;
  await slow.time.advance(20_000);
  const [received, left] = await Promise.all(
    [receiver, payer].map(async ({ address }) => (await slow.ask('getBalance', address)).value as number),
  );
  return { end, tookMs, received, paidLamports: 10 * SOL - Number(received) - Number(left) };
}

const asBytes = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));

describe('a transaction on a cluster', () => {
  it('is looked at a few times only until it is final', async () => {
    const { end, received, tookMs } = await pay(() => undefined);
    expect([typeof end, received]).toEqual(['string', SOL]);
    expect(tookMs).toBeGreaterThanOrEqual(13_400);
    // Public nodes answer 40 calls of a method in 10 s.
    expect(calls.get('getSignatureStatuses')).toBeLessThan(30);
    expect(calls.get('sendTransaction')).toBe(1);
  });

  it('takes no longer where some nodes are behind what was shown before', async () => {
    for (let before = 0; before < 2; before++) {
      await slow.ask('localnet_setHabits', { landMs: 600, finalMs: 2_000, behindMs: 800 });
      if (before === 1) await slow.ask('getHealth');
      const { end, received, tookMs } = await pay(() => undefined);
      expect([typeof end, received]).toEqual(['string', SOL]);
      expect(tookMs).toBeLessThan(6_000);
    }
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
      ...(['silent', 'no JSON', 'internal error', 520, 524] as const).flatMap((what): Trouble[] => [
        (method, call) => (method === 'sendTransaction' && call === 1 ? what : undefined),
        (method, call) => (method === 'getSignatureStatuses' && call === 2 ? what : undefined),
      ]),
    ];
    for (const [place, trouble] of troubles.entries()) {
      calls.clear();
      const { end, received } = await pay(trouble);
      expect([place, end, received]).toEqual([place, expect.any(String), SOL]);
    }
  });

  it('that failed in a block which was dropped may succeed in another one', async () => {
    const time = slow.time;
    const said: (SignatureStatus | null)[] = [
      { err: 'InsufficientFunds', commitment: 'processed' },
      null,
      { err: null, commitment: 'finalized' },
    ];
    const ledger: FollowedLedger = {
      name: 'base',
      statuses: async () => [said.shift() ?? null],
      blockHeight: async () => 0n,
      send: async () => ({ kind: 'taken' }),
    };
    const bytes = { wire: 'AA==' as Base64EncodedWireTransaction, signature: '1' as Signature, isNew: true };
    const following = { ledger, time, commitment: 'finalized', isOpen: () => false } as const;
    const end = await turning(() => followTransaction(following, { ...bytes, lastValidBlockHeight: 150n }));
    expect(end).toEqual({ kind: 'landed' });
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

  it('that nodes swallow is sent again until it lands, the same bytes each time', async () => {
    const { end, received } = await pay((method, call) =>
      method === 'sendTransaction' && call < 4 ? 'swallowed' : undefined,
    );
    expect([typeof end, received]).toEqual(['string', SOL]);
    const sent = asked.filter(({ method }) => method === 'sendTransaction').map(({ params }) => params[0]);
    expect([sent.length, new Set(sent).size]).toEqual([4, 1]);
  });

  it('is refused by a node that lets nobody in, and not sent again', async () => {
    const { end, received } = await pay((method) => (method === 'sendTransaction' ? 'not let in' : undefined));
    expect([isSolanaError(end, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR), received]).toEqual([true, 0]);
    expect(calls.get('sendTransaction')).toBe(1);
  });

  it('goes through the next node where one is gone, busy or silent', async () => {
    const gone: Trouble = () => 'lost before';
    const busy: Trouble = () => 'busy';
    for (const [place, trouble] of [gone, busy].entries()) {
      const { end, received, tookMs } = await pay(trouble, { others: [() => undefined] });
      expect([place, typeof end, received]).toEqual([place, 'string', SOL]);
      expect(tookMs).toBeLessThan(18_000);
    }
  });

  it('does not wait for a silent node where there is another one', async () => {
    const { end, received, tookMs } = await pay(() => 'silent', { others: [() => undefined] });
    expect([typeof end, received]).toEqual(['string', SOL]);
    // Fifteen seconds once, and then it is asked last.
    expect(tookMs).toBeLessThan(2 * 15_000 + 18_000);
  });

  it('that a node has passed on and not answered is not signed again when the next one has seen it', async () => {
    await slow.ask('localnet_setHabits', { landMs: 0, finalMs: 0 });
    const { end, received } = await pay((method) => (method === 'sendTransaction' ? 'lost after' : undefined), {
      others: [() => undefined],
    });
    expect([typeof end, received]).toEqual(['string', SOL]);
  });

  it('is executed as often as it is sent, with the same blockhash, too', async () => {
    await slow.ask('localnet_setHabits', { landMs: 0, finalMs: 0 });
    const [payer, receiver] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
    await slow.send(payer.address, 10_000_000_000n);
    const ledgers = { base: rpcWith(() => undefined), time: slow.time };
    const transfer = getTransferSolInstruction({
      source: payer,
      destination: receiver.address,
      amount: 1_000_000_000n,
    });
    for (let turn = 0; turn < 3; turn++) await turning(() => sendToBase(ledgers, [transfer], payer));
    expect((await slow.ask('getBalance', receiver.address)).value).toBe(3 * SOL);
  });

  it('pays nothing for its place where nobody does, and asks for nothing more', async () => {
    const { paidLamports } = await pay(() => undefined);
    expect(paidLamports).toBe(5_000);
    expect(calls.get('simulateTransaction')).toBeUndefined();
  });

  it('bids what others pay, for as many units as a simulation used and a tenth', async () => {
    recentFee = 400_000n;
    const { end, paidLamports } = await pay(() => undefined);
    expect(typeof end).toBe('string');
    const { meta } = await slow.ask('getTransaction', end, { encoding: 'json', maxSupportedTransactionVersion: 0 });
    const most = Math.ceil((meta.computeUnitsConsumed * 110) / 100);
    expect(paidLamports - 5_000).toBe(Math.ceil(most * 0.4));
  });

  it('bids no more than it may', async () => {
    recentFee = 400_000n;
    const { paidLamports } = await pay(() => undefined, { fees: { floor: 0n, cap: 100_000n } });
    const { paidLamports: none } = await pay(() => undefined, { fees: { floor: 0n, cap: 0n } });
    expect([Math.abs(paidLamports - 5_000) < 400, none]).toEqual([true, 5_000]);
  });

  it('that no node took in its time is signed again with a higher bid, and executed once', async () => {
    // Swallowed for as long as the first signature is good.
    const first = new Set<unknown>();
    const { end, received } = await pay((method) => {
      if (method !== 'sendTransaction') return undefined;
      const wire = asked.at(-1)?.params[0];
      if (first.size === 0) first.add(wire);
      return first.has(wire) ? 'swallowed' : undefined;
    });
    expect([typeof end, received]).toEqual(['string', SOL]);
    const sizes = new Set(
      asked.filter(({ method }) => method === 'sendTransaction').map(({ params }) => asBytes(`${params[0]}`).length),
    );
    // The second has instructions that bid.
    expect(sizes.size).toBe(2);
  });
});

describe('a node that refuses every call', () => {
  it('and says to come again at once, or at a time that is over, is asked less and less often', async () => {
    for (const retryAfter of ['0', 'Sat, 21 Nov 2020 21:00:00 GMT']) {
      let asked = 0;
      const transport = (async () => {
        asked++;
        throw answered(429, new Headers({ 'retry-after': retryAfter }));
      }) as RpcTransport;
      const rpc = createSolanaRpcFromTransport(
        patientTransport(['node'], { time: slow.time, transportOf: () => transport }),
      );
      expect(await turning(() => rpc.getSlot().send())).toBeInstanceOf(SolanaError);
      expect(asked).toBeLessThan(20);
    }
  });
});

describe('transactions in steps', () => {
  it('wait for finality once, and those of a step go side by side', async () => {
    const payer = await generateKeyPairSigner();
    await slow.send(payer.address, 10_000_000_000n);
    await slow.time.advance(20_000);
    const receivers = await Promise.all(Array.from({ length: 5 }, () => generateKeyPairSigner()));
    const steps = [receivers.slice(0, 1), receivers.slice(1, 4), receivers.slice(4)].map((step) =>
      step.map(({ address }) => [
        getTransferSolInstruction({ source: payer, destination: address, amount: 1_000_000_000n }),
      ]),
    );
    const began = slow.time.monotonic();
    const ledgers = { base: rpcWith(() => undefined), time: slow.time };
    const signatures = await turning(() => sendStepsToBase(ledgers, steps, payer));
    // Three landings of 0.6 s, and finality of 12.8 s.
    expect(slow.time.monotonic() - began).toBeLessThan(18_000);
    expect(signatures).toHaveLength(5);
    const { value } = await slow.ask('getSignatureStatuses', signatures);
    for (const status of value) expect(status).toMatchObject({ err: null, confirmationStatus: 'finalized' });
    expect(calls.get('getSignatureStatuses')).toBeLessThan(40);
  });

  it('end as soon as they are confirmed where that is enough', async () => {
    const [payer, receiver] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
    await slow.send(payer.address, 10_000_000_000n);
    await slow.time.advance(20_000);
    const began = slow.time.monotonic();
    const ledgers = {
      base: rpcWith(() => undefined),
      time: slow.time,
      sending: { commitment: 'confirmed' as const },
    };
    const transfer = getTransferSolInstruction({
      source: payer,
      destination: receiver.address,
      amount: 1_000_000_000n,
    });
    await turning(() => sendToBase(ledgers, [transfer], payer));
    expect(slow.time.monotonic() - began).toBeLessThan(2_500);
    expect((await slow.ask('getBalance', receiver.address, { commitment: 'confirmed' })).value).toBe(SOL);
  });
});

describe('a transaction whose sender did not learn its end', () => {
  /** A transaction that was swallowed, and is too old to be executed by now; what a node says of it that keeps what came after `firstSlot`. */
  async function settledBy(firstSlot: (slotNow: number) => number) {
    const payer = await generateKeyPairSigner();
    await slow.send(payer.address, 10_000_000_000n);
    await slow.time.advance(20_000);
    let kept: KeptBytes | undefined;
    const keep = async (bytes: KeptBytes) => {
      kept = bytes;
    };
    const outbox = { keep, drop: async () => {} };
    const swallowing = { base: rpcWith((method) => (method === 'sendTransaction' ? 'swallowed' : undefined)) };
    const instruction = getTransferSolInstruction({ source: payer, destination: payer.address, amount: 1n });
    await turning(() => sendToBase({ ...swallowing, time: slow.time, sending: { outbox } }, [instruction], payer));
    await slow.time.advance(200_000);
    const first = firstSlot((await slow.ask('getSlot')) as number);
    vi.spyOn(slow.ledger.history, 'firstSlot', 'get').mockReturnValue(first);
    return turning(() => settleKept({ base: rpcWith(() => undefined), time: slow.time }, kept as KeptBytes));
  }

  it('has changed nothing where a node that remembers it does not know it', async () => {
    expect(await settledBy(() => 0)).toBe('expired');
    expect(await settledBy((now) => now - 5_000)).toBe('expired');
  });

  it('may have been executed where the node has forgotten that time', async () => {
    expect(await settledBy((now) => now - 100)).toBe('unknown');
  });
});
