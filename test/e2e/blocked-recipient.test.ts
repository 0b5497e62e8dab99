import { addressToBytes } from '@payouts/client';
import { type Gateway, gatewayOf } from '@payouts/testing/tee/gateway';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 70;
const BLOCKED = 33;
const HELD = 5;

let world: World;
let gateway: Gateway;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  gateway = await gatewayOf(world);
  employer = await world.employer(await somePayees(RECIPIENTS, 7_000n), { executions: 1, batchTimeout: 30 });
  await world.hold(employer, HELD);
  // The layer takes nothing that names the owner of one balance.
  const owner = Buffer.from(addressToBytes(employer.balances[BLOCKED] as Address));
  gateway.refuses = (data) => Buffer.from(data).includes(owner);
});

it('pays everybody else when one recipient can’t be paid and one is held back, reports how many and why, and returns the rest at the batch timeout', async () => {
  await world.startCoordinator({ LAYER_RPC_URL: gateway.url, LAYER_SIGN_IN: 'true' });
  const run = await world.registerAndSettle(employer);
  expect(run.claims).toEqual({ paid: RECIPIENTS - 2, total: RECIPIENTS });
  expect(run.unpaid).toEqual({ count: 2, reasons: { 'claim-refused': 1, held: 1 } });
  const proof = await world.checkMoneyRules(employer);
  expect(proof.vaults[0]).toMatchObject({ available: 14_000n, open: 0n, paid: 7_000n * BigInt(RECIPIENTS - 2) });
  const balances = await world.privateBalances(employer);
  expect(balances.map((amount, index) => [BLOCKED, HELD].includes(index) || amount === 7_000n)).not.toContain(false);
});
