import { type Lifetime, type SignedTransaction, systemTime } from '@payouts/client';
import { NOOP_PROGRAM, type RunningBaseLedger, startBaseLedger } from '@payouts/localnet';
import { manualTime } from '@payouts/testing/manualTime';
import { createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectFeeSource, FeeBidder, type FeeSource } from '../src/ledger/feeBidder.ts';
import type { BaseLedger } from '../src/ledger/ledger.ts';
import { connectBase } from '../src/ledger/rpc.ts';
import { createMetrics, type Metrics } from '../src/platform/metrics.ts';
import { sharedFolder } from './support/temporary.ts';

const UNITS = 200_000;
const POLICY = { floor: 0n, cap: 500_000n };

let node: RunningBaseLedger;
let base: BaseLedger;
let real: FeeSource;
let payer: Awaited<ReturnType<typeof generateKeyPairSigner>>;
let metrics: Metrics;
/** What recent slots took, micro-lamports a unit, and how often that was asked. */
let recent: bigint[];
let asked: number;
const time = manualTime();

beforeAll(async () => {
  node = await startBaseLedger({ directory: sharedFolder(), time: systemTime });
  const at = { url: node.rpcUrl, time: systemTime, signal: new AbortController().signal };
  base = connectBase(at);
  real = connectFeeSource(at);
  payer = await generateKeyPairSigner();
  await createSolanaRpc(node.rpcUrl).requestAirdrop(payer.address, lamports(1_000_000_000n)).send();
});
afterAll(() => node?.stop());
beforeEach(() => {
  metrics = createMetrics();
  recent = [];
  asked = 0;
});

const bidder = (policy = POLICY) => {
  const recentFees = async () => {
    asked += 1;
    return recent;
  };
  return new FeeBidder({ source: { ...real, recentFees }, policy, time, metrics });
};

let nonce = 0;
function draft(lifetime: Lifetime, of = 'window') {
  nonce += 1;
  return {
    purpose: 'delegate' as const,
    of,
    contended: [payer.address],
    feePayer: payer,
    instructions: [{ programAddress: NOOP_PROGRAM, data: Uint8Array.of(nonce % 256, nonce >> 8) }],
    lifetime,
    computeUnitLimit: UNITS,
  };
}

const sizeOf = ({ wire }: SignedTransaction) => Buffer.from(wire, 'base64').length;
const balance = async () => (await createSolanaRpc(node.rpcUrl).getBalance(payer.address).send()).value as bigint;
const series = async (name: string) =>
  Number(new RegExp(`^service_${name}\\{purpose="delegate"\\} (\\d+)$`, 'm').exec(await metrics.scrape())?.[1]);

/** Sends it, and what it has cost beside its signature, lamports. */
async function priceOf(signed: SignedTransaction): Promise<bigint> {
  const before = await balance();
  expect(await base.send(signed.wire)).toEqual({ kind: 'taken' });
  return before - (await balance()) - 5_000n;
}

it('adds nothing where nobody pays', async () => {
  const signed = await bidder().sign(draft(await base.lifetime()));
  expect(await priceOf(signed)).toBe(0n);
  recent = [100_000n];
  expect(sizeOf(await bidder().sign(draft(await base.lifetime()))) - sizeOf(signed)).toBe(12);
});

it('bids what others pay, for the units that a simulation used and a tenth, and counts what was paid', async () => {
  recent = [100_000n];
  const bidding = bidder();
  const signed = await bidding.sign(draft(await base.lifetime()));
  const paid = await priceOf(signed);
  expect(paid).toBeGreaterThan(0n);
  expect(paid).toBeLessThan((100_000n * BigInt(UNITS)) / 1_000_000n / 10n);
  bidding.ended(signed.signature, 'landed');
  expect([await series('priority_fee_bid_micro_lamports'), await series('priority_fees_paid_lamports_total')]).toEqual([
    100_000,
    Number(paid),
  ]);
});

it('bids twice as much each time that the last one has expired, up to the cap, and no more once one landed', async () => {
  recent = [100_000n];
  const bidding = bidder();
  const bids: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const { signature } = await bidding.sign(draft(await base.lifetime()));
    bids.push(await series('priority_fee_bid_micro_lamports'));
    bidding.ended(signature, turn === 3 ? 'landed' : 'expired');
  }
  expect(bids).toEqual([100_000, 200_000, 400_000, 500_000, 100_000]);
  expect(await series('priority_fees_capped_total')).toBe(1);
  await bidding.sign(draft(await base.lifetime(), 'another'));
  expect(await series('priority_fee_bid_micro_lamports')).toBe(100_000);
});

it('begins to bid where nobody seems to pay and nothing lands', async () => {
  const bidding = bidder();
  const { signature } = await bidding.sign(draft(await base.lifetime()));
  bidding.ended(signature, 'expired');
  await bidding.sign(draft(await base.lifetime()));
  expect(await series('priority_fee_bid_micro_lamports')).toBe(2_000);
});

it('asks what others pay once in some seconds, and never where nothing may be paid', async () => {
  const bidding = bidder();
  for (let turn = 0; turn < 4; turn++) await bidding.sign(draft(await base.lifetime()));
  expect(asked).toBe(1);
  await time.advance(5_000);
  await bidding.sign(draft(await base.lifetime()));
  expect(asked).toBe(2);
  recent = [100_000n];
  expect(await priceOf(await bidder({ floor: 0n, cap: 0n }).sign(draft(await base.lifetime())))).toBe(0n);
  expect(asked).toBe(2);
});

it('takes the floor where the node does not tell', async () => {
  const source = { ...real, recentFees: async () => [] };
  const bidding = new FeeBidder({ source, policy: { floor: 7_000n, cap: 500_000n }, time, metrics });
  await bidding.sign(draft(await base.lifetime()));
  expect(await series('priority_fee_bid_micro_lamports')).toBe(7_000);
});
