import { fetchSchedule, fetchVault } from '@payouts/client';
import { payeesWithKeys } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 20;
const WINDOWS = 2n;

let world: World;
beforeAll(async () => {
  world = await World.shared();
});
afterAll(() => world?.stop());

it('pays everybody exactly once in each window, the same sums on both ledgers, and records what divides the pool exactly', async () => {
  const { payees } = await payeesWithKeys(RECIPIENTS, 1_000n);
  const [employer] = await Promise.all([
    world.employer(payees, {
      executions: Number(WINDOWS),
      calendar: { unit: 'seconds', every: 1, day: 0 },
      batchTimeout: 600,
    }),
    world.startCoordinator(),
  ]);
  const { list, schedule, vault } = employer;
  await world.checkMoneyRules(employer);
  await world.register(employer);
  for (let window = 0n; window < WINDOWS; window += 1n) {
    const run = await world.settled(employer, window);
    expect(run.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
    expect(run.paidAmount).toBe(String(list.total));
  }

  expect(await world.privateBalances(employer)).toEqual(list.recipients.map(({ amount }) => WINDOWS * amount));
  const paid = WINDOWS * list.total;
  expect((await fetchVault(world.ledgers.base, vault)).data).toMatchObject({ paid, reserved: 0n, open: 0n });
  const onLedger = await fetchSchedule(world.ledgers.base, schedule);
  expect(onLedger.data).toMatchObject({ window: WINDOWS, executionsLeft: 0, paidTotal: paid });
  const { pool } = await world.checkMoneyRules(employer);
  expect(pool).toMatchObject({ privateBalances: paid, openBudgets: 0n, withdrawalsUnderWay: 0n });

  await world.stopCoordinator();
  const { held, liabilitiesTotal } = await world.pool(employer);
  expect({ held, liabilitiesTotal }).toEqual({ held: paid, liabilitiesTotal: paid });
  expect(await world.checkLiabilities(employer, employer.balances)).toHaveLength(RECIPIENTS);
});
