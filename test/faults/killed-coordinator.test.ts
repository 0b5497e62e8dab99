import { readExecutions } from '@payouts/cli';
import { fetchMaybeBatch, fetchSchedule } from '@payouts/client';
import { Failpoints } from '@payouts/testing/failpoints';
import { type Employer, until, World } from '@payouts/testing/world';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Many more than are claimed at a time. */
const RECIPIENTS = 1_000;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  employer = await world.employer(
    keys.map(({ address }) => ({ recipient: address, amount: 5n })),
    { executions: 1 },
  );
});
afterAll(() => world?.stop());

it('pays nobody twice and ends the window once when the coordinator is killed in the middle of the claims', async () => {
  const failpoints = new Failpoints();
  await world.startCoordinator({}, failpoints);
  const held = failpoints.hold('claim:before-send', employer, { nth: 2 });
  await world.register(employer);
  await held;
  const batch = await world.batch(employer);
  const paidCount = async () => {
    const found = await fetchMaybeBatch(world.ledgers.layer, batch);
    return found.exists ? found.data.paidCount : 0;
  };
  await until(async () => (await paidCount()) > 0 || undefined, 'the claims beside it');
  await world.killCoordinator();
  expect(await paidCount()).toBeLessThan(RECIPIENTS);

  await world.startCoordinator();
  const run = await world.settled(employer, 0n);
  expect(run.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
  expect(new Set(await world.privateBalances(employer))).toEqual(new Set([5n]));
  expect((await fetchSchedule(world.ledgers.base, employer.schedule)).data).toMatchObject({
    window: 1n,
    executionsLeft: 0,
    paidTotal: 5n * BigInt(RECIPIENTS),
  });
  expect((await readExecutions(world.apiUrl, employer.schedule)).map(({ window }) => window)).toEqual(['0']);
  await world.checkMoneyRules(employer);
}, 300_000);
