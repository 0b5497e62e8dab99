import { fetchVault, getHoldRecipientInstruction, getReleaseRecipientInstruction, sendToBase } from '@payouts/client';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 5;
const HELD = 2;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  employer = await world.employer(await variedPayees(RECIPIENTS, 1_000n), { executions: 2, batchTimeout: 600 });
});

it('leaves out whom the employer holds back, says so, and pays them again after their release', async () => {
  const { signer, vault, schedule, list } = employer;
  const input = { employer: signer, vault, schedule, rootVersion: 0, index: HELD };
  await sendToBase(world.ledgers, [getHoldRecipientInstruction(input)], signer);
  // As if another list had come in force between look and landing: somebody else is at that place.
  const other = { ...input, rootVersion: 1, index: HELD + 1 };
  for (const instruction of [getHoldRecipientInstruction(other), getReleaseRecipientInstruction(other)]) {
    const sent = sendToBase(world.ledgers, [instruction], signer);
    await expect(sent).rejects.toMatchObject({ code: 'WrongRootVersion' });
  }
  await world.startCoordinator();
  // The batch timeout is ten minutes: nobody waits for whoever is held back.
  const first = await world.registerAndSettle(employer);
  expect(first.claims).toEqual({ paid: RECIPIENTS - 1, total: RECIPIENTS });
  expect(first.unpaid).toEqual({ count: 1, reasons: { held: 1 } });
  const heldAmount = list.recipients[HELD]?.amount ?? 0n;
  const proof = await world.checkMoneyRules(employer);
  expect(proof.vaults[0]).toMatchObject({ available: heldAmount, paid: list.total - heldAmount });

  await sendToBase(world.ledgers, [getReleaseRecipientInstruction(input)], signer);
  await world.localnet.admin.advanceClock(HOUR);
  const second = await world.settledInFull(employer, 1n);
  expect(second.unpaid).toEqual({ count: 0, reasons: {} });
  expect((await world.privateBalances(employer))[HELD]).toBe(heldAmount);
  expect((await fetchVault(world.ledgers.base, vault)).data.paid).toBe(2n * list.total - heldAmount);
  await world.checkMoneyRules(employer);
});
