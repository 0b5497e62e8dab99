import type { Payee } from '@payouts/client';
import { Cluster } from '@payouts/testing/cluster';
import { Failpoints, type Passing } from '@payouts/testing/failpoints';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const NAMES = ['one', 'two', 'three'];
/** More than two claims pay. */
const RECIPIENTS = 2_500;
/** Longer than a process is ever silent that works. */
const LEASE_SECONDS = 10;
/** What a takeover may take beyond the lease: it takes about a second, but nothing else than the lease's end would ever bring it. */
const SLACK_MS = 30_000;
const TAKEN_OVER = 'the runs of a dead process were taken over';
const LOST = 'the lease on runs expired and another process took them over; starting again with none';

let world: World;
let cluster: Cluster;
const failpoints = new Failpoints();
let payees: Payee[];
beforeAll(async () => {
  world = await World.start();
  payees = await somePayees(RECIPIENTS, 5n);
  cluster = await Cluster.start(world, NAMES, { LEASE_SECONDS: String(LEASE_SECONDS) }, failpoints);
});

/** A schedule in the middle of its claims, one of which waits, and who makes them. */
async function amongClaims(): Promise<{ employer: Employer; worker: string; held: Passing }> {
  const employer = await world.employer(payees, { executions: 1, batchTimeout: 3_600 });
  const standing = failpoints.hold('claim:before-send', employer, { nth: 2 });
  await cluster.register(employer);
  const held = await standing;
  const worker = await until(() => cluster.workerOf(employer, 0n), 'who has taken the run');
  return { employer, worker, held };
}

/** Waits until another one has the run, and returns after how many milliseconds it has. */
async function takenFrom(worker: string, employer: Employer): Promise<number> {
  const began = performance.now();
  await until(
    async () => {
      const now = await cluster.workerOf(employer, 0n);
      return now !== worker && now;
    },
    `another one to take the run of ${worker}`,
    60_000,
    20,
  );
  return performance.now() - began;
}

async function expectPaidOnce(employer: Employer): Promise<void> {
  const run = await cluster.settledInFull(employer, 0n);
  await world.checkPaid(1, employer);
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

it('a coordinator killed in the middle of the claims has its run ended by another as soon as its lease is over', async () => {
  const { employer, worker } = await amongClaims();
  await cluster.kill(worker);
  const tookMs = await takenFrom(worker, employer);
  console.log(`killed: another one had the run after ${Math.round(tookMs)} ms, with a lease of ${LEASE_SECONDS} s`);
  expect(tookMs).toBeLessThan(LEASE_SECONDS * 1_000 + SLACK_MS);
  await expectPaidOnce(employer);
  // It is written after the run was given away.
  await expect.poll(() => linesOf(TAKEN_OVER)).toHaveLength(1);
  await cluster.startOne(worker);
});

it('a coordinator frozen in the middle of the claims does no harm when it goes on beside its successor', async () => {
  const { employer, worker, held } = await amongClaims();
  cluster.freeze(worker);
  const tookMs = await takenFrom(worker, employer);
  console.log(`frozen: another one had the run after ${Math.round(tookMs)} ms, with a lease of ${LEASE_SECONDS} s`);
  expect(tookMs).toBeLessThan(LEASE_SECONDS * 1_000 + SLACK_MS);
  // Its claims go on where they were, while the other one makes the same.
  cluster.thaw(worker);
  held.goOn();
  await until(async () => linesOf(LOST).includes(worker), 'the frozen one to notice');
  await expectPaidOnce(employer);

  // It is one of them again.
  const live = 'select instance from instance_leases where expires_at > now()';
  await expect.poll(() => cluster.rows(live)).toHaveLength(NAMES.length);
  for (const name of NAMES.filter((other) => other !== worker)) expect(await cluster.stopOne(name)).toBe(0);
  const next = await world.promise(employer, payees.slice(0, 20), { id: 1n, executions: 1 });
  await cluster.register(next);
  await cluster.settledInFull(next, 0n);
  expect(await cluster.stopOne(worker)).toBe(0);
});
