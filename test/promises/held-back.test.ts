import { variedPayees } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 5;
const HELD = 2;

let world: World;
beforeAll(async () => {
  world = await World.shared();
});

it('leaves out whom the employer holds back, waits for nobody, and returns the amount to the vault', async () => {
  const employer = await world.begin(await variedPayees(RECIPIENTS, 1_000n), { executions: 1, batchTimeout: 3_600 });
  const { list } = employer;
  await world.hold(employer, HELD);
  const run = await world.registerAndSettle(employer);
  expect(run.claims).toEqual({ paid: RECIPIENTS - 1, total: RECIPIENTS });
  expect(run.unpaid).toEqual({ count: 1, reasons: { held: 1 } });
  expect(await world.privateBalances(employer)).toEqual(
    list.recipients.map(({ amount, index }) => (index === HELD ? 0n : amount)),
  );
  const held = list.recipients[HELD]?.amount as bigint;
  const { vaults } = await world.checkMoneyRules(employer);
  expect(vaults[0]).toMatchObject({ available: held, open: 0n, paid: list.total - held });
});
