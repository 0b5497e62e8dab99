import { fetchVault } from '@payouts/client';
import { variedPayees } from '@payouts/testing/wallets';
import { everySeconds, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 20;
const WINDOWS = 2n;

let world: World;
beforeAll(async () => {
  world = await World.shared();
});

it('pays everybody exactly once in each window, the same sums on both ledgers, and records what divides the pool exactly', async () => {
  const employer = await world.begin(await variedPayees(RECIPIENTS, 1_000n), {
    executions: Number(WINDOWS),
    calendar: everySeconds(1),
    batchTimeout: 600,
  });
  const { list, vault } = employer;
  await world.checkMoneyRules(employer);
  await world.register(employer);
  for (let window = 0n; window < WINDOWS; window += 1n) {
    const run = await world.settledInFull(employer, window);
    expect(run.paidAmount).toBe(String(list.total));
  }

  const paid = WINDOWS * list.total;
  expect((await fetchVault(world.ledgers.base, vault)).data).toMatchObject({ paid, reserved: 0n, open: 0n });
  const { pool } = await world.checkPaid(WINDOWS, employer);
  expect(pool).toMatchObject({ privateBalances: paid, openBudgets: 0n, withdrawalsUnderWay: 0n });

  await world.stopCoordinator();
  const { held, liabilitiesLeft } = await world.pool(employer);
  expect({ held, liabilitiesLeft }).toEqual({ held: paid, liabilitiesLeft: paid });
  expect(await world.checkLiabilities(employer, employer.balances)).toHaveLength(RECIPIENTS);
});
