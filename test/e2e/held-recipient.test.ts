import { fetchVault, getHoldRecipientInstruction, getReleaseRecipientInstruction, sendToBase } from '@payouts/client';
import { type Employer, World } from '@payouts/testing/world';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 5;
const HELD = 2;
const HOUR = 3_600;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  employer = await world.employer(
    keys.map(({ address }, line) => ({ recipient: address, amount: 1_000n + BigInt(line) })),
    { executions: 2, batchTimeout: 600, calendar: { unit: 'seconds', every: HOUR, day: 0 } },
  );
});
afterAll(() => world?.stop());

it('leaves out whom the employer holds back, says so, and pays them again after their release', async () => {
  const { signer, vault, schedule, list } = employer;
  const input = { employer: signer, vault, schedule, index: HELD };
  await sendToBase(world.ledgers, [getHoldRecipientInstruction(input)], signer);
  await world.startCoordinator();
  await world.register(employer);

  // The batch timeout is ten minutes: nobody waits for whoever is held back.
  const first = await world.settled(employer, 0n);
  expect(first.claims).toEqual({ paid: RECIPIENTS - 1, total: RECIPIENTS });
  expect(first.unpaid).toEqual({ count: 1, reasons: { held: 1 } });
  const heldAmount = list.recipients[HELD]?.amount ?? 0n;
  const proof = await world.checkMoneyRules(employer);
  expect(proof.vaults[0]).toMatchObject({ available: heldAmount, paid: list.total - heldAmount });

  await sendToBase(world.ledgers, [getReleaseRecipientInstruction(input)], signer);
  await world.localnet.admin.advanceClock(HOUR);
  const second = await world.settled(employer, 1n);
  expect(second.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
  expect(second.unpaid).toEqual({ count: 0, reasons: {} });
  expect((await world.privateBalances(employer))[HELD]).toBe(heldAmount);
  expect((await fetchVault(world.ledgers.base, vault)).data.paid).toBe(2n * list.total - heldAmount);
  await world.checkMoneyRules(employer);
}, 300_000);
