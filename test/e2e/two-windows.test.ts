import { withdraw } from '@payouts/cli';
import { fetchSchedule, fetchVault } from '@payouts/client';
import { claimRange, openWindow } from '@payouts/testing/claims';
import { freshWallet, personAt, variedPayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 200;
const LEFT_OUT = 137;
/** Seconds. */
const BATCH_TIMEOUT = 600;
/** Leaves of the liabilities tree that a page has. */
const PAGE_LEAVES = 256;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  // The layer goes by the machine's clock: a window that was opened by a ledger so far behind it is over there at once.
  const behind = await world.localnet.admin.advanceClock(-BATCH_TIMEOUT - 1);
  employer = await world.employer(await variedPayees(RECIPIENTS, 1_000_000n), {
    executions: 2,
    firstExecution: BigInt(behind),
    batchTimeout: BATCH_TIMEOUT,
  });
});

it('pays 200 recipients over two windows, one left unpaid in the first by timeout, ten withdraw; every money rule holds throughout', async () => {
  const { list } = employer;
  const leftOut = list.recipients[LEFT_OUT]?.amount ?? 0n;
  await world.checkMoneyRules(employer);

  // Window 0: somebody opens it and dies after all claims but one. The coordinator finds it when its time is over.
  await openWindow(world, employer, 0n);
  await world.checkMoneyRules(employer);
  await claimRange(world, employer, 0, LEFT_OUT);
  await world.checkMoneyRules(employer);
  await claimRange(world, employer, LEFT_OUT + 1, RECIPIENTS);
  await world.checkMoneyRules(employer);
  await world.localnet.admin.advanceClock(BATCH_TIMEOUT + 1);
  await world.startCoordinator();

  const first = await world.registerAndSettle(employer);
  expect(first.claims).toEqual({ paid: RECIPIENTS - 1, total: RECIPIENTS });
  const afterFirst = await world.checkMoneyRules(employer);
  expect(afterFirst.pool).toMatchObject({ privateBalances: list.total - leftOut, openBudgets: 0n });
  expect((await fetchVault(world.ledgers.base, employer.vault)).data).toMatchObject({
    paid: list.total - leftOut,
    reserved: list.total,
    open: 0n,
  });
  expect(afterFirst.vaults[0]?.available).toBe(leftOut);
  await expectLiabilities(1n);

  // Window 1, an hour later: the coordinator's own, everybody paid.
  await world.localnet.admin.advanceClock(HOUR);
  await world.settledInFull(employer, 1n);
  const afterSecond = await world.checkMoneyRules(employer);
  expect(afterSecond.pool.privateBalances).toBe(2n * list.total - leftOut);
  const balances = await world.privateBalances(employer);
  for (const [index, { amount }] of list.recipients.entries()) {
    expect(balances[index]).toBe(index === LEFT_OUT ? amount : 2n * amount);
  }
  const { data: schedule } = await fetchSchedule(world.ledgers.base, employer.schedule);
  expect(schedule).toMatchObject({ window: 2n, executionsLeft: 0, paidTotal: 2n * list.total - leftOut });

  await expectLiabilities(2n);

  // Ten recipients take everything out, each to a wallet nobody has seen.
  for (let index = 0; index < 10; index += 1) {
    const { amount, ...person } = personAt(employer, index);
    const asked = { ...person, wallet: await freshWallet(), amount: 'all' } as const;
    expect(await withdraw(world.ledgers, asked)).toBe(2n * amount);
    await world.checkMoneyRules(employer);
    const { coveredTo, highestWithdrawal, withdrawals } = await world.pool(employer);
    expect({ coveredTo, highestWithdrawal, withdrawals }).toEqual({
      coveredTo: BigInt(index + 2),
      highestWithdrawal: BigInt(index + 1),
      withdrawals: BigInt(index + 1),
    });
  }
  const afterAllWithdrawals = await until(async () => {
    const proof = await world.checkMoneyRules(employer);
    return proof.pool.withdrawalsUnderWay === 0n && proof;
  }, 'the withdrawals to be confirmed');
  const withdrawn = list.recipients.slice(0, 10).reduce((sum, { amount }) => sum + 2n * amount, 0n);
  expect(afterAllWithdrawals.pool.privateBalances).toBe(2n * list.total - leftOut - withdrawn);

  // The recorded tree has everybody's part, with the database and the base ledger alone.
  await world.stopCoordinator();
  const proofs = await world.checkLiabilities(employer, employer.balances);
  // Withdrawals that were paid since the last recording have leaves, too.
  expect(proofs.filter(({ leaf }) => leaf.kind === 'balance' && leaf.number === 0n)).toHaveLength(RECIPIENTS);
});

/** A settlement has recorded a tree over all that the pool holds. */
async function expectLiabilities(sequence: bigint): Promise<void> {
  const { held, liabilitiesLeft, liabilityLeaves, ...pool } = await world.pool(employer);
  expect({ sequence: pool.sequence, liabilitiesLeft }).toEqual({ sequence, liabilitiesLeft: held });
  // Whole pages, in which there is a leaf for each that was paid.
  expect([liabilityLeaves % PAGE_LEAVES, liabilityLeaves >= RECIPIENTS]).toEqual([0, true]);
}
