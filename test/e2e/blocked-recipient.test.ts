import { somePayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { beFirstAt } from './beFirstAt.ts';

const RECIPIENTS = 70;
const BLOCKED = 33;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.shared();
  employer = await world.employer(await somePayees(RECIPIENTS, 7_000n), { executions: 1, batchTimeout: 20 });
  // Whoever knows a balance's address can send lamports to it on the base ledger, which keeps the layer from creating it.
  await beFirstAt(world, employer.balances[BLOCKED] as Address);
});

it('pays everybody else when one recipient can’t be paid, reports how many and why, and returns the rest at the batch timeout', async () => {
  await world.startCoordinator();
  const run = await world.registerAndSettle(employer);
  expect(run.claims).toEqual({ paid: RECIPIENTS - 1, total: RECIPIENTS });
  expect(run.unpaid).toEqual({ count: 1, reasons: { 'balance-address-occupied': 1 } });
  const proof = await world.checkMoneyRules(employer);
  expect(proof.vaults[0]).toMatchObject({ available: 7_000n, open: 0n, paid: 7_000n * BigInt(RECIPIENTS - 1) });
  const balances = await world.privateBalances(employer);
  expect(balances.map((amount, index) => index === BLOCKED || amount === 7_000n)).not.toContain(false);
});
