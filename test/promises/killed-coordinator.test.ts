import { Failpoints } from '@payouts/testing/failpoints';
import { variedPayees } from '@payouts/testing/wallets';
import { everySeconds, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 10;
/** Where the coordinator of each window dies: claims sent, their end not noted; a settlement signed and not sent. */
const DEATHS = ['claim:after-send', 'commit:before-send'] as const;

let world: World;
beforeAll(async () => {
  world = await World.shared();
});

it('pays nobody twice when the coordinator is killed among claims or before it settles, and ends each window once', async () => {
  const failpoints = new Failpoints();
  const employer = await world.begin(
    await variedPayees(RECIPIENTS, 1_000n),
    { executions: DEATHS.length, calendar: everySeconds(1), batchTimeout: 600 },
    {},
    failpoints,
  );
  const deaths = DEATHS.map((point, window) => failpoints.hold(point, employer, { window: BigInt(window) }));
  await world.register(employer);
  for (const death of deaths) {
    await death;
    await world.killCoordinator();
    await world.startCoordinator({}, failpoints);
  }

  const windows = DEATHS.map((_, window) => BigInt(window));
  for (const window of windows) await world.settledInFull(employer, window);
  const runs = await world.executions(employer);
  expect(runs.map(({ window }) => BigInt(window)).reverse()).toEqual(windows);
  await world.checkPaid(DEATHS.length, employer);
});
