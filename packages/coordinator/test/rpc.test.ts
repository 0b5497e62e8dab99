import { buildTransaction, retryAfterMs, type SignedTransaction, systemTime } from '@payouts/client';
import { type RunningBaseLedger as BaseNode, NOOP_PROGRAM, startBaseLedger } from '@payouts/localnet';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import type { Fault } from '@payouts/testing/faults/rule';
import { type ManualTime, manualTime } from '@payouts/testing/manualTime';
import { type Address, createSolanaRpc, generateKeyPairSigner, lamports, type Signature } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLOCK_ADDRESS } from '../src/ledger/clock.ts';
import { connectHistory } from '../src/ledger/history.ts';
import { connectLanded } from '../src/ledger/landed.ts';
import type { BaseLedger } from '../src/ledger/ledger.ts';
import { connectBase } from '../src/ledger/rpc.ts';
import { createMetrics, type Metrics } from '../src/platform/metrics.ts';
import { sharedFolder } from './support/temporary.ts';

let node: BaseNode;
let proxy: FaultProxy;
let base: BaseLedger;
let metrics: Metrics;
let payer: Awaited<ReturnType<typeof generateKeyPairSigner>>;
/** Makes each transaction differ from the last. */
let nonce = 0;

beforeAll(async () => {
  node = await startBaseLedger({ directory: sharedFolder(), time: systemTime });
  proxy = await FaultProxy.start(node, 1);
  payer = await generateKeyPairSigner();
  await createSolanaRpc(node.rpcUrl).requestAirdrop(payer.address, lamports(1_000_000_000n)).send();
});
beforeEach(() => {
  proxy.set();
  metrics = createMetrics();
  // A connection of its own, which nobody has asked to wait.
  base = connectBase({ url: proxy.rpcUrl, time: systemTime, signal: new AbortController().signal, metrics });
});
afterAll(async () => {
  await proxy?.stop();
  await node?.stop();
});

async function transaction(lifetime = base.lifetime()): Promise<SignedTransaction> {
  nonce += 1;
  const instruction = { programAddress: NOOP_PROGRAM, data: Uint8Array.of(1) };
  const computeUnitLimit = 100_000 + nonce;
  return buildTransaction({ feePayer: payer, instructions: [instruction], lifetime: await lifetime, computeUnitLimit });
}

const landed = async (signature: Signature) => (await base.statuses([signature]))[0] !== null;

describe('a node that lacks something', () => {
  beforeEach(() => () => node.admin.setHabits({}));

  it('has no history: recent transactions are known all the same, and the reason is told right', async () => {
    const { wire, signature } = await transaction();
    await base.send(wire);
    await node.admin.setHabits({ hasHistory: false });
    expect(await landed(signature)).toBe(true);
    expect(await landed(signature)).toBe(true);
    const counted = await metrics.scrape();
    expect(counted).toMatch(/method="getSignatureStatuses",outcome="failed"\} 1\n/);
    const find = connectLanded({ url: node.rpcUrl, time: systemTime, signal: new AbortController().signal });
    expect(await find(signature)).toBeUndefined();
    const history = connectHistory({ url: node.rpcUrl, time: systemTime, signal: new AbortController().signal });
    expect(await history.signatures(payer.address)).toEqual([]);
    expect(await history.transaction(signature)).toBeUndefined();
  });

  it('lists no accounts: that is said, and not asked again and again', async () => {
    await node.admin.setHabits({ listsAccounts: false });
    await expect(base.programAccounts(NOOP_PROGRAM, [])).rejects.toMatchObject({
      code: 'ledger-unsupported',
      message: "The base ledger's node does not offer getProgramAccounts: name another node in BASE_RPC_URL.",
    });
    expect(await metrics.scrape()).toMatch(/method="getProgramAccounts",outcome="failed"\} 1\n/);
  });
});

describe('an account', () => {
  const read = async (address: Address) => (await base.accounts([address])).accounts[0];
  const shown = { lamports: 7n, owner: NOOP_PROGRAM, executable: false, data: Uint8Array.of(1, 2) };

  it('that is shown as it was before is the same object, and another one once anything of it has changed', async () => {
    const { address } = await generateKeyPairSigner();
    expect(await read(address)).toBeNull();
    await node.admin.setAccount({ address, ...shown });
    const first = await read(address);
    expect(first).toEqual({ address, lamports: 7n, owner: NOOP_PROGRAM, data: shown.data });
    expect(await read(address)).toBe(first);
    for (const change of [{ data: Uint8Array.of(1, 3) }, { lamports: 8n }, { owner: payer.address }]) {
      await node.admin.setAccount({ address, ...shown, ...change });
      expect(await read(address)).toMatchObject(change);
    }
    expect(first?.data).toEqual(shown.data);
  });
});

describe('what a send is answered with', () => {
  it.each<[string, Fault]>([
    ['a node that is behind', { kind: 'node-behind' }],
    ['a layer that could not follow its accounts in time', { kind: 'accounts-late' }],
    ['HTTP 500', { kind: 'server-error', status: 500 }],
    ['HTTP 503', { kind: 'server-error', status: 503 }],
    ['HTTP 429', { kind: 'too-many' }],
    ['a reset connection', { kind: 'drop-after' }],
    ['no JSON', { kind: 'garbage' }],
    ['half an answer', { kind: 'cut-off' }],
  ])('%s says nothing about the transaction, which is not taken for refused', async (_, fault) => {
    for (let turn = 0; turn < 6; turn++) {
      const { wire } = await transaction();
      proxy.set({ faults: [fault], methods: ['sendTransaction'] });
      await expect(base.send(wire)).rejects.toMatchObject({ code: 'ledger-unavailable' });
      proxy.set();
    }
    const counted = await metrics.scrape();
    expect(counted).toMatch(/calls_total\{ledger="base",method="sendTransaction",outcome="failed"\} 6\n/);
    expect(counted).toMatch(/calls_total\{ledger="base",method="sendTransaction",outcome="refused"\} 0\n/);
  });

  it('nodes of which some are behind take it all the same', async () => {
    await node.admin.setHabits({ behindMs: 800 });
    try {
      for (let turn = 0; turn < 6; turn++) {
        const { wire } = await transaction();
        expect(await base.send(wire)).toEqual({ kind: 'taken' });
        // The next one meets the other node first.
        if (turn % 2 === 0) await base.accounts([CLOCK_ADDRESS]);
      }
    } finally {
      await node.admin.setHabits({});
    }
  });

  it('the same bytes once more are a duplicate', async () => {
    const { wire, signature } = await transaction();
    proxy.set({ faults: [{ kind: 'double' }], methods: ['sendTransaction'] });
    expect(await base.send(wire)).toEqual({ kind: 'duplicate' });
    expect(await landed(signature)).toBe(true);
  });

  it('a preflight that failed is a refusal, with the error', async () => {
    const poor = await generateKeyPairSigner();
    const { wire } = await buildTransaction({
      feePayer: poor,
      instructions: [{ programAddress: NOOP_PROGRAM, data: Uint8Array.of(1) }],
      lifetime: await base.lifetime(),
      computeUnitLimit: 100_000,
    });
    expect(await base.send(wire)).toEqual({ kind: 'refused', err: 'AccountNotFound', logs: [] });
  });

  it('bytes that are no transaction are refused', async () => {
    const wire = Buffer.from('none').toString('base64') as SignedTransaction['wire'];
    expect(await base.send(wire)).toEqual({ kind: 'refused', err: 'InvalidParams', logs: [] });
  });

  it('a blockhash that this node does not know yet says nothing', async () => {
    const { blockhash } = await base.lifetime();
    const unknown = { blockhash: `${payer.address}` as typeof blockhash, lastValidBlockHeight: 10n ** 9n };
    const { wire } = await transaction(Promise.resolve(unknown));
    await expect(base.send(wire)).rejects.toMatchObject({ code: 'ledger-unavailable' });
  });
});

describe('reads', () => {
  it.each<[string, Fault]>([
    ['resets', { kind: 'drop-before' }],
    ['HTTP 503', { kind: 'server-error', status: 503 }],
    ['a node that is behind', { kind: 'node-behind' }],
    ['no JSON', { kind: 'garbage' }],
    ['half an answer', { kind: 'cut-off' }],
  ])('are tried three times before %s make the ledger unavailable', async (_, fault) => {
    proxy.set({ faults: [fault] });
    const before = proxy.calls();
    await expect(base.accounts([CLOCK_ADDRESS])).rejects.toMatchObject({ code: 'ledger-unavailable' });
    expect(proxy.calls() - before).toBe(3);
  });

  it('agree with what they are asked', async () => {
    const { accounts, slot } = await base.accounts([CLOCK_ADDRESS, payer.address, NOOP_PROGRAM]);
    expect(accounts.map((account) => account?.address)).toEqual([CLOCK_ADDRESS, payer.address, NOOP_PROGRAM]);
    expect(slot).toBeGreaterThan(0n);
    const { lastValidBlockHeight } = await base.lifetime();
    const height = await base.blockHeight();
    expect(lastValidBlockHeight - height).toBeGreaterThan(140n);
    expect(lastValidBlockHeight - height).toBeLessThanOrEqual(150n);
    expect(await base.statuses(['1'.repeat(64) as Signature])).toEqual([null]);
  });
});

describe('a ledger that has had too many calls', () => {
  let time: ManualTime;
  beforeEach(() => {
    time = manualTime();
    base = connectBase({ url: proxy.rpcUrl, time, signal: new AbortController().signal, metrics });
  });
  /** Waits until so many calls wait for their time. */
  const waiting = (count: number) => expect.poll(() => time.waits()).toBe(count);

  it('is left alone for as long as it asks, by every call', async () => {
    proxy.set({ faults: [{ kind: 'too-many', retryAfter: '1' }], methods: ['getEpochInfo'] });
    const height = base.blockHeight();
    await waiting(1);
    proxy.set();
    const { signature, wire } = await transaction(
      createSolanaRpc(node.rpcUrl)
        .getLatestBlockhash()
        .send()
        .then(({ value }) => value),
    );
    const before = proxy.calls();
    const others = [base.accounts([CLOCK_ADDRESS]), base.send(wire)];
    await waiting(3);
    await time.advance(999);
    expect(proxy.calls()).toBe(before);
    // Those that waited together are spread over a moment.
    await time.advance(201);
    await Promise.all(others);
    expect(await height).toBeGreaterThan(0n);
    expect(await landed(signature)).toBe(true);
  });

  it('is left alone for longer each time that it does not say for how long', async () => {
    proxy.set({ faults: [{ kind: 'too-many' }] });
    const before = proxy.calls();
    const reads = Array.from({ length: 5 }, () => base.blockHeight().catch(() => 'refused'));
    const began = time.monotonic();
    expect(await time.during(Promise.all(reads))).toEqual(Array(5).fill('refused'));
    // Three tries each, half a second and a second apart.
    expect(time.monotonic() - began).toBeGreaterThanOrEqual(1_500);
    expect(proxy.calls() - before).toBe(15);
    proxy.set();
    expect(await time.during(base.blockHeight())).toBeGreaterThan(0n);
    expect(time.monotonic() - began).toBeGreaterThanOrEqual(3_500);
  });

  it('is waited for by a command, behind which nobody tries again', async () => {
    const patient = connectBase({ url: proxy.rpcUrl, time, signal: new AbortController().signal, isPatient: true });
    proxy.set({ faults: [{ kind: 'too-many' }] });
    const began = time.monotonic();
    const message = 'The base ledger refuses calls: its nodes have had too many.';
    await expect(time.during(patient.blockHeight())).rejects.toMatchObject({ code: 'ledger-unavailable', message });
    expect(time.monotonic() - began).toBeGreaterThan(40_000);
    const height = patient.blockHeight();
    await time.advance(5_000);
    proxy.set();
    expect(await time.during(height)).toBeGreaterThan(0n);
  });

  it.each<[string, number | undefined]>([
    ['0', undefined],
    ['3', 3_000],
    ['0.5', 500],
    ['3600', 10_000],
    ['Sat, 21 Nov 2026 22:00:05 GMT', 5_000],
    ['Sat, 21 Nov 2026 21:00:00 GMT', undefined],
    ['Sun, 22 Nov 2026 22:00:00 GMT', 10_000],
    ['soon', undefined],
    ['', undefined],
  ])('waits for Retry-After: %s, or as long as it would without it', (header, milliseconds) => {
    expect(retryAfterMs(header, Date.UTC(2026, 10, 21, 22))).toBe(milliseconds);
  });

  it('ends its wait when the service stops', async () => {
    const stopping = new AbortController();
    const ending = connectBase({ url: proxy.rpcUrl, time, signal: stopping.signal });
    proxy.set({ faults: [{ kind: 'too-many', retryAfter: '9' }] });
    const read = ending.blockHeight();
    await waiting(1);
    stopping.abort();
    await expect(read).rejects.toBeDefined();
  });
});

describe('several nodes', () => {
  /** The proxy in front, and the node itself behind it. */
  const both = () =>
    connectBase({
      url: `${proxy.rpcUrl},${node.rpcUrl}`,
      time: systemTime,
      signal: new AbortController().signal,
      metrics,
    });

  it.each<[string, Fault]>([
    ['is gone', { kind: 'drop-before' }],
    ['has too much to do', { kind: 'server-error', status: 503 }],
    ['has had too many calls', { kind: 'too-many', retryAfter: '10' }],
    ['is behind', { kind: 'node-behind' }],
    ['says nothing that makes sense', { kind: 'garbage' }],
  ])('answer where the first %s, and take what is sent', async (_, fault) => {
    base = both();
    const { wire, signature } = await transaction();
    proxy.set({ faults: [fault] });
    const before = proxy.calls();
    const began = performance.now();
    expect(['taken', 'duplicate']).toContain((await base.send(wire)).kind);
    expect((await base.statuses([signature]))[0]).toMatchObject({ err: null });
    expect((await base.accounts([CLOCK_ADDRESS])).accounts[0]).not.toBeNull();
    // One that waits for as long as the first asks for takes ten seconds.
    expect(performance.now() - began).toBeLessThan(10_000);
    // The others are asked first for a while.
    expect(proxy.calls() - before).toBeLessThanOrEqual(2);
  });

  it('answer what the first does not offer', async () => {
    const lacking = await startBaseLedger({ directory: sharedFolder(), time: systemTime });
    try {
      await lacking.admin.setHabits({ listsAccounts: false, hasHistory: false });
      const url = `${lacking.rpcUrl},${node.rpcUrl}`;
      base = connectBase({ url, time: systemTime, signal: new AbortController().signal });
      expect(await base.programAccounts(NOOP_PROGRAM, [])).toEqual([]);
      // Everything else is asked of the first.
      const poor = await generateKeyPairSigner();
      await createSolanaRpc(lacking.rpcUrl).requestAirdrop(poor.address, lamports(5_000_000n)).send();
      expect((await base.accounts([poor.address])).accounts[0]?.lamports).toBe(5_000_000n);
    } finally {
      await lacking.stop();
    }
  });

  it('are not believed where they are behind what another one has shown', async () => {
    const behind = await startBaseLedger({ directory: sharedFolder(), time: systemTime });
    try {
      // A younger ledger, whose slots come earlier, stands for a node that is behind.
      await node.admin.advanceBlocks(2_000);
      proxy.set();
      base = connectBase({
        url: `${proxy.rpcUrl},${behind.rpcUrl}`,
        time: systemTime,
        signal: new AbortController().signal,
      });
      const { slot } = await base.accounts([CLOCK_ADDRESS]);
      proxy.set({ faults: [{ kind: 'server-error', status: 503 }] });
      await expect(base.accounts([CLOCK_ADDRESS])).rejects.toMatchObject({ code: 'ledger-unavailable' });
      expect(
        (
          await connectBase({ url: behind.rpcUrl, time: systemTime, signal: new AbortController().signal }).accounts([
            CLOCK_ADDRESS,
          ])
        ).slot,
      ).toBeLessThan(slot);
    } finally {
      await behind.stop();
    }
  });
});
