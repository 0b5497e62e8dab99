import { fetchMaybeBatch } from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { type Employer, until, World } from '../support/world.ts';

const NAMES = ['one', 'two', 'three'];
const RECIPIENTS = 3_000;
const LEASE_SECONDS = 5;
/** What a takeover may take beyond the lease. */
const SLACK_MS = 5_000;
const TAKEN_OVER = 'the runs of a dead process were taken over';
const LOST = 'this process was taken for dead, and its runs were taken over; it begins anew';

let world: World;
let cluster: Cluster;
let payees: { recipient: Employer['schedule']; amount: bigint }[];
beforeAll(async () => {
  world = await World.start();
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  payees = keys.map(({ address }) => ({ recipient: address, amount: 5n }));
  cluster = await Cluster.start(world, NAMES, { LEASE_SECONDS: String(LEASE_SECONDS) });
}, 120_000);
afterAll(async () => {
  await cluster?.stop();
  await world?.stop();
});

/** A schedule in the middle of its claims, and who makes them. */
async function amongClaims(): Promise<{ employer: Employer; worker: string }> {
  const employer = await world.employer(payees, {
    executions: 1,
    firstExecution: BigInt(Math.floor(Date.now() / 1_000) + 5),
    batchTimeout: 600,
  });
  await cluster.register(employer);
  const batch = await world.batch(employer);
  const worker = await until(() => cluster.workerOf(employer, 0n), 'somebody to take the run', 30_000, 5);
  await until(
    async () => {
      const found = await fetchMaybeBatch(world.ledgers.layer, batch).catch(() => undefined);
      return (found?.exists ? found.data.paidCount : 0) > 0 || undefined;
    },
    'the first claims',
    60_000,
    1,
  );
  return { employer, worker };
}

/** Waits until another one has the run, and returns after how many milliseconds it has. */
async function takenFrom(worker: string, employer: Employer): Promise<number> {
  const began = performance.now();
  await until(
    async () => {
      const now = await cluster.workerOf(employer, 0n);
      return now !== undefined && now !== worker ? now : undefined;
    },
    `another one to take the run of ${worker}`,
    30_000,
    20,
  );
  return performance.now() - began;
}

async function expectPaidOnce(employer: Employer): Promise<void> {
  const run = await cluster.settled(employer, 0n);
  expect(run.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
  expect(new Set(await world.privateBalances(employer))).toEqual(new Set([5n]));
  await world.checkMoneyRules(employer);
  const claims = run.attempts.filter(({ stage }) => stage === 'claim').map(({ outcome }) => outcome);
  expect(claims).toEqual(['interrupted', 'succeeded']);
}

const linesOf = (message: string) =>
  NAMES.flatMap((name) =>
    cluster
      .logOf(name)
      .filter(({ msg }) => msg === message)
      .map(() => name),
  );

it('a coordinator killed in the middle of the claims has its run ended by another within lease + 5 s', async () => {
  const { employer, worker } = await amongClaims();
  await cluster.kill(worker);
  const tookMs = await takenFrom(worker, employer);
  console.log(`killed: another one had the run after ${Math.round(tookMs)} ms, with a lease of ${LEASE_SECONDS} s`);
  expect(tookMs).toBeLessThan(LEASE_SECONDS * 1_000 + SLACK_MS);
  await expectPaidOnce(employer);
  expect(linesOf(TAKEN_OVER)).toHaveLength(1);
  await cluster.startOne(worker);
}, 180_000);

it('a coordinator frozen in the middle of the claims does no harm when it goes on beside its successor', async () => {
  const { employer, worker } = await amongClaims();
  cluster.freeze(worker);
  const tookMs = await takenFrom(worker, employer);
  console.log(`frozen: another one had the run after ${Math.round(tookMs)} ms, with a lease of ${LEASE_SECONDS} s`);
  expect(tookMs).toBeLessThan(LEASE_SECONDS * 1_000 + SLACK_MS);
  // Its claims go on where they were, while the other one makes the same.
  cluster.thaw(worker);
  await until(async () => linesOf(LOST).includes(worker) || undefined, 'the frozen one to notice');
  await expectPaidOnce(employer);

  // It is one of them again.
  const [row] = await cluster.rows('select count(*)::int as live from instance_leases where expires_at > now()');
  expect(row?.live).toBe(NAMES.length);
  for (const name of NAMES.filter((other) => other !== worker)) expect(await cluster.stopOne(name)).toBe(0);
  const next = await world.promise(employer, payees.slice(0, 20), { id: 1n, executions: 1 });
  await cluster.register(next);
  expect((await cluster.settled(next, 0n)).claims).toEqual({ paid: 20, total: 20 });
  expect(await cluster.stopOne(worker)).toBe(0);
}, 180_000);
