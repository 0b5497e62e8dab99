import { readExecutions } from '@payouts/cli';
import { fetchMaybeBatch, fetchSchedule } from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Employer, until, World } from '../support/world.ts';

const RECIPIENTS = 3_000;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  employer = await world.employer(
    keys.map(({ address }) => ({ recipient: address, amount: 5n })),
    { executions: 1, firstExecution: BigInt(Math.floor(Date.now() / 1000) + 5) },
  );
});
afterAll(() => world?.stop());

it('pays nobody twice and ends the window once when the coordinator is killed in the middle of the claims', async () => {
  await world.startCoordinator();
  await world.register(employer);
  const batch = await world.batch(employer);
  const paidAtDeath = await until(
    async () => {
      const found = await fetchMaybeBatch(world.ledgers.layer, batch).catch(() => undefined);
      const paid = found?.exists ? found.data.paidCount : 0;
      return paid > 0 ? paid : undefined;
    },
    'the first claims',
    60_000,
    1,
  );
  await world.killCoordinator();
  expect(paidAtDeath).toBeLessThan(RECIPIENTS);
  const found = await fetchMaybeBatch(world.ledgers.layer, batch);
  expect(found.exists && found.data.paidCount).toBeLessThan(RECIPIENTS);

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
}, 120_000);
