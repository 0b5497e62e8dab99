import { join } from 'node:path';
import { fetchSchedule, SchedulePhase } from '@payouts/client';
import { runCommand } from '@payouts/testing/command';
import { payoutHere } from '@payouts/testing/payout';
import { somePayees } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';

const AMOUNT = 1_000_000n;

it('opens no window of a pool that another validator serves, and says so', async () => {
  const world = await World.start();
  const own = await world.employer(await somePayees(3, AMOUNT), { executions: 1 });
  const { address: other } = await generateKeyPairSigner();
  const { baseRpcUrl, validatorIdentity } = world.localnet;
  const updated = await payoutHere(
    { PAYOUT_RPC: baseRpcUrl },
    ...['governance', 'update', '--validator', other, '--yes'],
    ...['--keypair', join(world.folder, 'keys', 'admin.json')],
  );
  expect(updated).toMatchObject({ code: 0 });
  // Its pool was created since.
  const theirs = await world.employer(await somePayees(3, AMOUNT), { executions: 1 });
  await world.startCoordinator();
  await Promise.all([world.register(own), world.register(theirs)]);

  const { errorDetail } = await world.runIn(theirs, 'held', { errorCode: 'validator-mismatch' });
  expect(errorDetail).toBe(
    `The token's pool belongs to the validator ${other}, and the execution layer is ${validatorIdentity}.`,
  );
  const { data } = await fetchSchedule(world.ledgers.base, theirs.schedule);
  expect([data.window, data.phase]).toEqual([0n, SchedulePhase.Idle]);
  await world.settled(own, 0n);
  await world.checkMoneyRules(own, theirs);

  const { printed } = await runCommand(world.settings, 'config', 'check');
  expect(printed).toContain(
    `! execution layer: the pool of ${theirs.mint} belongs to ${other}: no window of it opens here`,
  );
  expect(printed).not.toContain(`the pool of ${own.mint}`);
});
