import { setTimeout as sleep } from 'node:timers/promises';
import { readExecutions } from '@payouts/cli';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { type Employer, World } from '../support/world.ts';

const NAMES = ['one', 'two', 'three'];
const SCHEDULES = 4;
const RECIPIENTS = 100;
const WINDOWS = 5;
const EVERY_SECONDS = 4;
/** Longer than a restart takes: what is handed over must not wait for it. */
const LEASE_SECONDS = 120;
/** From due to final, with a coordinator that starts beside it on the same few processors. */
const LONGEST_MS = 60_000;

let world: World;
let cluster: Cluster;
beforeAll(async () => {
  world = await World.start();
  cluster = await Cluster.start(world, NAMES, { LEASE_SECONDS: String(LEASE_SECONDS), SHUTDOWN_GRACE_MS: '1000' });
}, 120_000);
afterAll(async () => {
  await cluster?.stop();
  await world?.stop();
});

it('three coordinators that are restarted one after the other while windows come due lose nothing and pay nothing twice', async () => {
  const employers: Employer[] = [];
  const firstExecution = BigInt(Math.floor(Date.now() / 1_000) + 10);
  for (let place = 0; place < SCHEDULES; place++) {
    const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
    const employer = await world.employer(
      keys.map(({ address }) => ({ recipient: address, amount: 3n })),
      {
        executions: WINDOWS,
        firstExecution,
        calendar: { unit: 'seconds', every: EVERY_SECONDS, day: 0 },
        batchTimeout: 600,
      },
    );
    await cluster.register(employer);
    employers.push(employer);
  }
  await sleep(Math.max(0, Number(firstExecution) * 1_000 - Date.now()));
  const beganAt = Date.now();
  for (const name of NAMES) {
    expect(await cluster.stopOne(name)).toBe(0);
    await cluster.startOne(name);
  }
  const endedAt = Date.now();

  let dueMeanwhile = 0;
  const delays: number[] = [];
  for (const employer of employers) {
    for (let window = 0n; window < WINDOWS; window += 1n) {
      const run = await cluster.settled(employer, window, 180_000);
      expect(run.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
      const due = Number(firstExecution + window * BigInt(EVERY_SECONDS)) * 1_000;
      if (due > beganAt && due < endedAt) dueMeanwhile += 1;
      delays.push((run.finishedAt ?? Number.POSITIVE_INFINITY) - due);
    }
    expect(new Set(await world.privateBalances(employer))).toEqual(new Set([3n * BigInt(WINDOWS)]));
    expect(await readExecutions(cluster.apiUrl, employer.schedule, 50)).toHaveLength(WINDOWS);
  }
  await world.checkMoneyRules(...employers);
  delays.sort((a, b) => a - b);
  const at = (part: number) => Math.round(delays[Math.ceil(delays.length * part) - 1] ?? 0);
  console.log(`${delays.length} windows, from due to final: median ${at(0.5)} ms, longest ${at(1)} ms`);
  expect(dueMeanwhile).toBeGreaterThan(0);
  expect(at(1)).toBeLessThan(LONGEST_MS);

  const lines = NAMES.flatMap((name) => cluster.logOf(name).map(({ msg }) => msg));
  for (const trouble of ['run exhausted', 'run stopped', 'run taken up again']) expect(lines).not.toContain(trouble);
  // Nobody was taken for dead: everything was handed over.
  expect(lines).not.toContain('the runs of a dead process were taken over');
}, 300_000);
