import {
  approveScheduleInstructions,
  fetchSchedule,
  getSetApprovalInstructionAsync,
  NO_DAILY_LIMIT,
  sendToBase,
} from '@payouts/client';
import { variedPayees } from '@payouts/testing/wallets';
import { everySeconds, World } from '@payouts/testing/world';
import { generateKeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const TERMS = { executions: 1, batchTimeout: 600 };

let world: World;
beforeAll(async () => {
  world = await World.shared();
});

it("opens nothing above the approver's limit before the approver agrees, and then pays the list that they saw", async () => {
  const [small, large] = await Promise.all([variedPayees(3, 1_000n), variedPayees(3, 1_000_000n)]);
  const [below, approver] = await Promise.all([
    world.employer(small, TERMS),
    generateKeyPairSigner(),
    world.startCoordinator(),
  ]);
  const { signer, vault } = below;
  const wanted = { approver: approver.address, limit: 10_000n, dailyLimit: NO_DAILY_LIMIT };
  const set = await getSetApprovalInstructionAsync({ employer: signer, payer: signer, vault, ...wanted });
  await Promise.all([world.fund(approver.address), sendToBase(world.ledgers, [set], signer)]);
  // What falls due while it waits is skipped: a second later there is another time.
  const calendar = everySeconds(1);
  const above = await world.promise(below, large, { id: 1n, calendar, ...TERMS });
  await world.register(above);
  const view = async () =>
    (await fetch(`${world.apiUrl}/api/schedules/${above.schedule}`)).json() as Promise<Record<string, unknown>>;
  expect(await view()).toMatchObject({ status: 'awaiting', nextWindow: null, proposal: { kind: 'schedule' } });

  // Another schedule of the vault, due at the same time, is paid meanwhile.
  await world.registerAndSettle(below);
  expect(await world.executions(above)).toEqual([]);
  expect((await view()).status).toBe('awaiting');
  const { data: schedule } = await fetchSchedule(world.ledgers.base, above.schedule);
  const asking = { address: above.schedule, schedule };
  const alone = await approveScheduleInstructions({ approver: signer, ...asking });
  await expect(sendToBase(world.ledgers, alone, signer)).rejects.toThrow(/NotApprover|0x17ae|not the approver/);

  await sendToBase(world.ledgers, await approveScheduleInstructions({ approver, ...asking }), approver);
  await world.settled(above, 0n);
  await world.checkPaid(1, below, above);
});
