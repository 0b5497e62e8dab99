import { sendToBase } from '@payouts/client';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, lamports } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 70;
const BLOCKED = 33;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.shared();
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  employer = await world.employer(
    keys.map(({ address }) => ({ recipient: address, amount: 7_000n })),
    { executions: 1, batchTimeout: 6 },
  );
  // Whoever knows a balance's address can send lamports to it on the base ledger, which keeps the layer from creating it.
  await sendToBase(
    world.ledgers,
    [
      getTransferSolInstruction({
        source: world.admin,
        destination: employer.balances[BLOCKED] as Address,
        amount: lamports(1_000_000n),
      }),
    ],
    world.admin,
  );
});
afterAll(() => world?.stop());

it('pays everybody else when one recipient can’t be paid, reports how many and why, and returns the rest at the batch timeout', async () => {
  await world.startCoordinator();
  await world.register(employer);
  const run = await world.settled(employer, 0n);
  expect(run.claims).toEqual({ paid: RECIPIENTS - 1, total: RECIPIENTS });
  expect(run.unpaid).toEqual({ count: 1, reasons: { 'balance-address-occupied': 1 } });
  const proof = await world.checkMoneyRules(employer);
  expect(proof.vaults[0]).toMatchObject({ available: 7_000n, open: 0n, paid: 7_000n * BigInt(RECIPIENTS - 1) });
  const balances = await world.privateBalances(employer);
  expect(balances.map((amount, index) => index === BLOCKED || amount === 7_000n)).not.toContain(false);
}, 300_000);
