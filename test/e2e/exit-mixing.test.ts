import {
  personalOf,
  privateBalance,
  redirectWithdrawal,
  requestWithdrawal,
  sendFor,
  setStandingOrder,
  walletTokens,
  withdrawalCleared,
  withdrawInParts,
} from '@payouts/cli';
import { addressToBytes, releaseInstant, requestWithdrawalInstructions } from '@payouts/client';
import { clockAheadBy } from '@payouts/testing/clockAhead';
import { rounds } from '@payouts/testing/rounds';
import { underWay } from '@payouts/testing/underWay';
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
    const { mint } = person(line);
    await sendFor(world.ledgers, person(line), (acting) =>
      requestWithdrawalInstructions({ ...acting, mint, wallet, amount, dueAt }),
    );
  };
  const amountOf = (line: number) => privateBalance(world.ledgers, person(line).balance);
  const underWayOf = (line: number) => underWay(world.ledgers, person(line).balance);

  it('does not pay one before the time that was drawn for it, nor number it, nor record the liabilities tree for it', async () => {
    const wallet = await freshWallet();
    const before = await world.pool(employer);
    const dueAt = releaseInstant(inSeconds(15), BATCH);
    await request(0, wallet, dueAt, 400_000n);
    let looks = 0;
    for (;;) {
      const [amount, found, pool] = [await amountOf(0), await underWayOf(0), await world.pool(employer)];
      // A look that has taken longer may have seen the release.
      if (inSeconds(0) >= dueAt) break;
      looks += 1;
      expect({ amount, found }).toMatchObject({ amount: AMOUNT, found: [{ number: 0n, amount: 400_000n, dueAt }] });
      expect([pool.sequence, pool.coveredTo, pool.paidOut]).toEqual([
        before.sequence,
        before.coveredTo,
        before.paidOut,
      ]);
      await world.checkMoneyRules(employer);
      await rounds(world, 'withdrawal', 1);
    }
    expect(looks).toBeGreaterThan(0);
    await withdrawalCleared(world.ledgers, person(0), dueAt);
    await world.arrived(wallet, employer, 400_000n);
    expect(await amountOf(0)).toBe(AMOUNT - 400_000n);
    await world.checkMoneyRules(employer);
  });

  it('pays one that waits for weeks as soon as its recipient needs it', async () => {
    const [wallet, other] = [await freshWallet(), await freshWallet()];
    const drawn = await requestWithdrawal(world.ledgers, { ...person(1), wallet, amount: 'all', within: FAR });
    expect(drawn).toBeGreaterThan(inSeconds(0));
    expect(drawn % 600n).toBe(0n);
    expect(await redirectWithdrawal(world.ledgers, { ...person(1), wallet })).toBe(drawn);
    expect(await underWayOf(1)).toMatchObject([{ dueAt: drawn, wallet }]);
    expect(await redirectWithdrawal(world.ledgers, { ...person(1), wallet: other, within: 0 })).toBe(0n);
    await withdrawalCleared(world.ledgers, person(1));
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
    await Promise.all([2, 3].map((line) => withdrawalCleared(world.ledgers, person(line), dueAt)));
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
    await withdrawalCleared(world.ledgers, { recipient, balance });
    expect(await amountOf(4)).toBe(AMOUNT - 3n * part);
    expect(await personalOf(world.ledgers, { recipient, balance })).toMatchObject({
      numbered: 0,
      waits: 0,
      watched: 1,
      waiting: 0n,
    });
    await world.checkMoneyRules(employer);
  });

  it('draws the release of a standing order within its delays, and pays it when hurried', async () => {
    const wallet = await freshWallet();
    const { balance, recipient } = person(5);
    const began = inSeconds(0);
    const order = { recipient, balance, wallet, threshold: 500_000n, part: 500_000n, delayMin: 60, delayMax: 120 };
    await setStandingOrder(world.ledgers, order);
    const draw = (after: number) =>
      until(async () => {
        const found = (await underWayOf(5)).filter(({ id }) => id > after);
        return found.length === 1 && found[0];
      }, 'the release to be drawn');
    const first = await draw(0);
    expect(first).toMatchObject({ number: 0n, amount: 500_000n });
    expect(first.dueAt % BigInt(BATCH)).toBe(0n);
    expect(first.dueAt).toBeGreaterThanOrEqual(began + 3_600n);
    expect(first.dueAt).toBeLessThanOrEqual(inSeconds(7_200) + BigInt(BATCH));
    expect(await underWayOf(5)).toHaveLength(1);
    await redirectWithdrawal(world.ledgers, { recipient, balance, id: first.id, wallet, within: 0 });
    await world.arrived(wallet, employer, 500_000n);
    // The next part has a time of its own.
    const next = await draw(first.id);
    expect(next).toMatchObject({ number: 0n, amount: 500_000n });
    expect(next.dueAt).toBeGreaterThanOrEqual(began + 3_600n);
    await world.checkMoneyRules(employer);
  });

  it('takes a balance out in round parts, each to a wallet of its own', async () => {
    const wallets = [await freshWallet(), await freshWallet()];
    const input = { ...person(0), part: 250_000n, within: 5, releaseSeconds: BATCH };
    const walletOf = (part: number) => wallets[part] as Address;
    expect(await withdrawInParts(world.ledgers, { ...input, walletOf })).toBe(2);
    expect(await Promise.all(wallets.map(tokensOf))).toEqual([250_000n, 250_000n]);
    expect(await amountOf(0)).toBe(100_000n);
  });

  it('releases at its start what a coordinator that was down has missed', async () => {
    const wallet = await freshWallet();
    const dueAt = inSeconds(15);
    await request(4, wallet, dueAt);
    await world.stopCoordinator();
    while (inSeconds(0) < dueAt + BigInt(BATCH)) await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await underWayOf(4)).toMatchObject([{ number: 0n }]);
    await startCoordinator();
    await withdrawalCleared(world.ledgers, person(4));
    await world.arrived(wallet, employer, 100_000n);
  });

  it('leaves a liabilities tree that divides the pool exactly, with one that waits', async () => {
    await world.stopCoordinator();
    const proofs = await world.checkLiabilities(employer, employer.balances);
    const balances = proofs.filter(({ leaf }) => leaf.kind === 'balance' && leaf.number === 0n);
    expect(balances).toHaveLength(RECIPIENTS);
    // What waits has no number, so it is part of the balance still.
    const owner = addressToBytes(person(5).owner);
    const ofOne = proofs.filter(({ leaf }) => leaf.kind === 'balance' && Buffer.compare(leaf.owner, owner) === 0);
    expect(ofOne.find(({ leaf }) => leaf.kind === 'balance' && leaf.number === 0n)?.leaf).toMatchObject({
      amount: 500_000n,
    });
  });
});
