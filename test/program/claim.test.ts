import { randomBytes } from 'node:crypto';
import * as payouts from '@payouts/client';
import { type Address, generateKeyPairSigner, getAddressDecoder, type KeyPairSigner, lamports } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fixture, PROGRAM } from './fixture.ts';

const COUNT = 300;
const AMOUNT = 1_000n;
const randomAddress = () => getAddressDecoder().decode(randomBytes(32));

/**
 * Claims of known recipients, run in litesvm: the open batch and the balances are put there as the execution layer would hold
 * them. Creation of balances and commits need the real layer: see test/e2e.
 */
describe('claim_payment', () => {
  let f: Fixture;
  let authority: KeyPairSigner;
  let batch: Address;
  let leaves: payouts.Leaf[];
  let tree: payouts.MerkleTree;
  let balances: Address[];

  const put = (at: Address, data: ArrayLike<number>) =>
    f.svm.setAccount({
      address: at,
      data: Uint8Array.from(data),
      executable: false,
      lamports: lamports(100_000_000n),
      programAddress: PROGRAM,
      space: BigInt(data.length),
    });
  const readBatch = () => payouts.getBatchDecoder().decode(f.data(batch));
  const balanceOf = (index: number) => payouts.getBalanceDecoder().decode(f.data(balances[index] as Address)).amount;

  beforeEach(async () => {
    f = await Fixture.create();
    authority = f.authority;
    await f.succeed([await f.initConfig()], f.admin);
    leaves = Array.from({ length: COUNT }, (_, index) => ({
      index,
      recipient: randomAddress(),
      amount: AMOUNT,
      delivery: 'balance' as const,
      salt: randomBytes(16),
    }));
    tree = new payouts.MerkleTree(leaves.map(payouts.leafHash));
    balances = leaves.map(randomAddress);
    for (const [index, leaf] of leaves.entries()) {
      put(
        balances[index] as Address,
        payouts.getBalanceEncoder().encode({
          bump: 255,
          amount: 0n,
          mint: f.mint,
          recipient: leaf.recipient,
          pendingNumber: 0n,
          pendingAmount: 0n,
          pendingWallet: '11111111111111111111111111111111' as Address,
          pendingSince: 0n,
        }),
      );
    }
    const schedule = randomAddress();
    let bump: number;
    [batch, bump] = await payouts.findBatchPda({ schedule });
    put(
      batch,
      payouts.getBatchEncoder().encode({
        bump,
        phase: payouts.BatchPhase.Open,
        recipients: COUNT,
        schedule,
        mint: f.mint,
        root: tree.root,
        window: 0n,
        openedAt: 1_800_000_000n,
        batchTimeout: 30,
        paidCount: 0,
        amount: BigInt(COUNT) * AMOUNT,
        paidAmount: 0n,
        bitmapHash: new Uint8Array(32),
        bitmap: new Uint8Array(Math.ceil(COUNT / 8)),
      }),
    );
  });

  const claim = (
    start: number,
    count: number,
    change: Partial<{
      signer: KeyPairSigner;
      entries: payouts.ClaimEntryArgs[];
      proof: Uint8Array[];
      balances: Address[];
    }> = {},
  ) =>
    payouts.getClaimPaymentInstructionAsync({
      authority: change.signer ?? authority,
      batch,
      start,
      entries:
        change.entries ??
        leaves.slice(start, start + count).map((leaf) => ({ ...leaf, delivery: payouts.Delivery.Balance, bump: 255 })),
      proof: change.proof ?? tree.rangeProof(start, count),
      balances: change.balances ?? balances.slice(start, start + count),
    });

  it('pays every range once, whatever is sent again, for at most 700 compute units a claim', async () => {
    let units = 0n;
    for (let start = 0; start < COUNT; start += 50) {
      units += (await f.succeed([await claim(start, 50)], authority)).computeUnits;
    }
    expect(Number(units) / COUNT).toBeLessThan(700);
    expect(readBatch()).toMatchObject({ paidCount: COUNT, paidAmount: BigInt(COUNT) * AMOUNT });
    await f.succeed([await claim(10, 50)], authority);
    expect(readBatch()).toMatchObject({ paidCount: COUNT, paidAmount: BigInt(COUNT) * AMOUNT });
    for (let index = 0; index < COUNT; index += 1) expect(balanceOf(index)).toBe(AMOUNT);
  });

  it('pays a single leaf within 5,400 compute units', async () => {
    expect((await f.succeed([await claim(COUNT - 1, 1)], authority)).computeUnits).toBeLessThan(5_400n);
    expect(balanceOf(COUNT - 1)).toBe(AMOUNT);
  });

  it.each<[string, string, () => Promise<Parameters<typeof claim>[2]>]>([
    ['another signer', 'NotExecutionAuthority', async () => ({ signer: f.stranger })],
    [
      'another amount',
      'InvalidProof',
      async () => ({ entries: entries().map((entry) => ({ ...entry, amount: AMOUNT + 1n })) }),
    ],
    [
      'another salt',
      'InvalidProof',
      async () => ({ entries: entries().map((entry) => ({ ...entry, salt: randomBytes(16) })) }),
    ],
    [
      'another order',
      'InvalidProof',
      async () => ({ entries: entries().toReversed(), balances: balances.slice(4, 8).toReversed() }),
    ],
    ['a hash too many', 'InvalidProof', async () => ({ proof: [...tree.rangeProof(4, 4), randomBytes(32)] })],
    ['a hash too few', 'InvalidProof', async () => ({ proof: tree.rangeProof(4, 4).slice(1) })],
    ["somebody else's balance", 'InvalidAccount', async () => ({ balances: balances.slice(5, 9) })],
    ['a balance too few', 'InvalidRange', async () => ({ balances: balances.slice(4, 7) })],
  ])('refuses %s', async (_, expected, change) => {
    expect((await f.send([await claim(4, 4, await change())], await signerOf(change))).failure).toBe(expected);
    expect(readBatch()).toMatchObject({ paidCount: 0, paidAmount: 0n });
  });

  const entries = (): payouts.ClaimEntryArgs[] =>
    leaves.slice(4, 8).map((leaf) => ({ ...leaf, delivery: payouts.Delivery.Balance, bump: 255 }));
  const signerOf = async (change: () => Promise<Parameters<typeof claim>[2]>) => (await change())?.signer ?? authority;

  it('leaves out a balance that somebody has sent lamports ahead to, and pays the others', async () => {
    const blocked = (await generateKeyPairSigner()).address;
    f.svm.airdrop(blocked, lamports(1_000_000n));
    const accounts = balances.slice(0, 4);
    accounts[2] = blocked;
    const outcome = await f.succeed([await claim(0, 4, { balances: accounts })], authority);
    expect(outcome.logs.join()).toContain('0x3, 0x0, 0x1');
    expect(readBatch()).toMatchObject({ paidCount: 3, paidAmount: 3n * AMOUNT });
  });
});
