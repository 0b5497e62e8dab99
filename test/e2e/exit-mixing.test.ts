import {
  redirectWithdrawal,
  requestWithdrawal,
  setStandingOrder,
  walletTokens,
  withdrawalCleared,
  withdrawInParts,
} from '@payouts/cli';
import { actFor, fetchBalance, releaseInstant, requestWithdrawalInstructions, sendToLayer } from '@payouts/client';
import { clockAheadBy } from '@payouts/testing/clockAhead';
import { rounds } from '@payouts/testing/rounds';
import { freshWallet, personAt, somePayees } from '@payouts/testing/wallets';
import { type Employer, inSeconds, until, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

const AMOUNT = 1_000_000n;
const RECIPIENTS = 6;
/** Seconds between two release instants. */
const BATCH = 4;
const FAR = 30 * 86_400;

describe('withdrawals that mix', () => {
  let world: World;
  let employer: Employer;

  beforeAll(async () => {
    world = await World.shared();
    await startCoordinator();
    employer = await world.employer(await somePayees(RECIPIENTS, AMOUNT), { executions: 1 });
    await world.registerAndSettle(employer);
  });

  const startCoordinator = (more: Readonly<Record<string, string>> = {}) =>
    world.startCoordinator({ WITHDRAWAL_BATCH_SECONDS: String(BATCH), METRICS_PUBLIC: 'true', ...more });
  const person = (index: number) => personAt(employer, index);
  const tokensOf = (wallet: Address) => walletTokens(world.ledgers, wallet, employer.mint);
  const request = async (line: number, wallet: Address, dueAt: bigint, amount: bigint | 'all' = 'all') => {
    const { recipient, balance, mint } = person(line);
    const input = { balance, mint, wallet, amount, dueAt };
    const { instructions, feePayer } = await actFor(recipient, { ...input, time: world.ledgers.time }, (signer) =>
      requestWithdrawalInstructions({ ...input, signer }),
    );
    await sendToLayer(world.ledgers, instructions, feePayer);
  };
  const dataOf = async (line: number) => (await fetchBalance(world.ledgers.layer, person(line).balance)).data;

  it('does not pay one before the time that was drawn for it, nor number it, nor record the liabilities tree for it', async () => {
    const wallet = await freshWallet();
    const before = await world.pool(employer);
    const dueAt = releaseInstant(inSeconds(10), BATCH);
    await request(0, wallet, dueAt, 400_000n);
    let looks = 0;
    for (;;) {
      const [{ amount, pendingNumber, pendingAmount }, pool] = [await dataOf(0), await world.pool(employer)];
      // A look that has taken longer may have seen the release.
      if (inSeconds(0) >= dueAt) break;
      looks += 1;
      expect({ amount, pendingNumber, pendingAmount }).toEqual({
        amount: AMOUNT,
        pendingNumber: 0n,
        pendingAmount: 400_000n,
      });
      expect([pool.sequence, pool.coveredTo, pool.paidOut]).toEqual([
        before.sequence,
        before.coveredTo,
        before.paidOut,
      ]);
      await world.checkMoneyRules(employer);
      await rounds(world, 'withdrawal', 1);
    }
    expect(looks).toBeGreaterThan(0);
    await withdrawalCleared(world.ledgers, person(0).balance, dueAt);
    await world.arrived(wallet, employer, 400_000n);
    expect((await dataOf(0)).amount).toBe(AMOUNT - 400_000n);
    await world.checkMoneyRules(employer);
  });

  it('pays one that waits for weeks as soon as its recipient needs it', async () => {
    const [wallet, other] = [await freshWallet(), await freshWallet()];
    const drawn = await requestWithdrawal(world.ledgers, { ...person(1), wallet, amount: 'all', within: FAR });
    expect(drawn).toBeGreaterThan(inSeconds(0));
    expect(drawn % 600n).toBe(0n);
    expect(await redirectWithdrawal(world.ledgers, { ...person(1), wallet })).toBe(drawn);
    expect((await dataOf(1)).dueAt).toBe(drawn);
    expect(await redirectWithdrawal(world.ledgers, { ...person(1), wallet: other, within: 0 })).toBe(0n);
    await withdrawalCleared(world.ledgers, person(1).balance);
    await world.arrived(other, employer, AMOUNT);
    expect(await tokensOf(wallet)).toBe(0n);
    await world.checkMoneyRules(employer);
  });

  it('releases those of one instant together, by numbers that follow each other, though the layer’s clock is behind', async () => {
    // For the layer it is not yet time when it is for the coordinator, of the second one alone.
    await world.stopCoordinator();
    await startCoordinator({ NODE_OPTIONS: clockAheadBy(0.9) });
    const wallets = [await freshWallet(), await freshWallet()] as const;
    const dueAt = releaseInstant(inSeconds(30), BATCH);
    const { coveredTo, sequence } = await world.pool(employer);
    // Asked for apart from each other, and for times within one instant of the coordinator's.
    await request(2, wallets[0], dueAt);
    await rounds(world, 'withdrawal', 5);
    await request(3, wallets[1], dueAt - 1n);
    await Promise.all([2, 3].map((line) => withdrawalCleared(world.ledgers, person(line).balance, dueAt)));
    for (const wallet of wallets) await world.arrived(wallet, employer, AMOUNT);
    const after = await world.pool(employer);
    expect([after.coveredTo - coveredTo, after.sequence - sequence]).toEqual([2n, 1n]);
    await world.checkMoneyRules(employer);
    await world.stopCoordinator();
    await startCoordinator();
  });

  it('pays a standing order in equal parts, and leaves in the balance what is below its threshold', async () => {
    const wallet = await freshWallet();
    const { balance, recipient } = person(4);
    const part = 300_000n;
    await setStandingOrder(world.ledgers, { recipient, balance, wallet, threshold: 350_000n, part });
    await until(
      async () => {
        const tokens = await tokensOf(wallet);
        expect(tokens % part).toBe(0n);
        return tokens === 3n * part;
      },
      'three parts to arrive',
      60_000,
    );
    await withdrawalCleared(world.ledgers, balance);
    expect(await dataOf(4)).toMatchObject({ amount: AMOUNT - 3n * part, attention: 0 });
    await world.checkMoneyRules(employer);
  });

  it('draws the release of a standing order within its delays, and pays it when hurried', async () => {
    const wallet = await freshWallet();
    const { balance, recipient } = person(5);
    const began = inSeconds(0);
    const order = { recipient, balance, wallet, threshold: 500_000n, part: 500_000n, delayMin: 60, delayMax: 120 };
    await setStandingOrder(world.ledgers, order);
    const drawn = await until(async () => {
      const { dueAt, pendingAmount } = await dataOf(5);
      return pendingAmount === 500_000n ? dueAt : undefined;
    }, 'the release to be drawn');
    expect(drawn % BigInt(BATCH)).toBe(0n);
    expect(drawn).toBeGreaterThanOrEqual(began + 3_600n);
    expect(drawn).toBeLessThanOrEqual(inSeconds(7_200) + BigInt(BATCH));
    expect((await dataOf(5)).pendingNumber).toBe(0n);
    await redirectWithdrawal(world.ledgers, { recipient, balance, wallet, within: 0 });
    await world.arrived(wallet, employer, 500_000n);
    // The next part has a time of its own.
    const next = await until(async () => {
      const { dueAt, pendingAmount, pendingNumber } = await dataOf(5);
      return pendingNumber === 0n && pendingAmount === 500_000n && dueAt > 0n ? dueAt : undefined;
    }, 'the next release to be drawn');
    expect(next).toBeGreaterThanOrEqual(began + 3_600n);
    await world.checkMoneyRules(employer);
  });

  it('takes a balance out in round parts, each to a wallet of its own', async () => {
    const wallets = [await freshWallet(), await freshWallet()];
    const input = { ...person(0), part: 250_000n, within: 5, releaseSeconds: BATCH };
    const walletOf = (part: number) => wallets[part] as Address;
    expect(await withdrawInParts(world.ledgers, { ...input, walletOf })).toBe(2);
    expect(await Promise.all(wallets.map(tokensOf))).toEqual([250_000n, 250_000n]);
    expect((await dataOf(0)).amount).toBe(100_000n);
  });

  it('releases at its start what a coordinator that was down has missed', async () => {
    const wallet = await freshWallet();
    const dueAt = inSeconds(10);
    await request(4, wallet, dueAt);
    await world.stopCoordinator();
    while (inSeconds(0) < dueAt + BigInt(BATCH)) await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await dataOf(4)).pendingNumber).toBe(0n);
    await startCoordinator();
    await withdrawalCleared(world.ledgers, person(4).balance);
    await world.arrived(wallet, employer, 100_000n);
  });

  it('leaves a liabilities tree that divides the pool exactly, with one that waits', async () => {
    await world.stopCoordinator();
    const proofs = await world.checkLiabilities(employer, employer.balances);
    expect(proofs).toHaveLength(RECIPIENTS);
    const waits = proofs.filter(({ leaf }) => leaf.kind === 'balance' && leaf.amount === 500_000n);
    expect(waits).toHaveLength(1);
    expect(waits[0]?.leaf).toMatchObject({ pendingNumber: 0n, pendingAmount: 0n });
  });
});
