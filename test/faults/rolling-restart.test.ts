import { readExecutions } from '@payouts/cli';
import { Cluster } from '@payouts/testing/cluster';
import { Failpoints, untilStopping } from '@payouts/testing/failpoints';
import { type Employer, until, World } from '@payouts/testing/world';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const NAMES = ['one', 'two', 'three'];
/** As many as all of them take at most, each one that it works on and one ahead: so each has one. */
const SCHEDULES = NAMES.length * 2;
const RECIPIENTS = 100;
/** In each of which one of them is restarted. */
const WINDOWS = NAMES.length;
const HOUR = 3_600;
/** Longer than everything else takes: what is handed over must not wait for it. */
const LEASE_SECONDS = 300;

let world: World;
let cluster: Cluster;
const failpoints = new Failpoints();
beforeAll(async () => {
  world = await World.start();
  cluster = await Cluster.start(
    world,
    NAMES,
    { LEASE_SECONDS: String(LEASE_SECONDS), SHUTDOWN_GRACE_MS: '1000', RUN_CONCURRENCY: '1' },
    failpoints,
  );
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await world?.stop();
});

/** Restarts one of them with runs under way in all. */
async function restart(name: string, employers: readonly Employer[], window: bigint): Promise<void> {
  const standing = employers.map((employer) => failpoints.hold('claim:before-send', employer, { window }));
  const holders = new Set<unknown>();
  for (const each of standing) void each.then((held) => holders.add(held.process));
  await world.localnet.admin.advanceClock(HOUR);
  await until(async () => holders.size === NAMES.length || undefined, 'a run under way in each', 120_000);
  const { url } = cluster.of(name);
  const stopped = cluster.stopOne(name);
  await untilStopping(url);
  // Those that come to the point later, too.
  for (const each of standing) void each.then((held) => held.goOn());
  expect(await stopped).toBe(0);
  await cluster.startOne(name);
}

it('three coordinators that are restarted one after the other with runs under way lose nothing and pay nothing twice', async () => {
  const employers: Employer[] = [];
  // Due when the clock is turned.
  const firstExecution = BigInt(Math.floor(Date.now() / 1_000) + HOUR);
  for (let place = 0; place < SCHEDULES; place++) {
    const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
    const employer = await world.employer(
      keys.map(({ address }) => ({ recipient: address, amount: 3n })),
      {
        executions: WINDOWS,
        firstExecution,
        calendar: { unit: 'seconds', every: HOUR, day: 0 },
        batchTimeout: 3_000,
      },
    );
    await cluster.register(employer);
    employers.push(employer);
  }
  for (const [window, name] of NAMES.entries()) {
    await restart(name, employers, BigInt(window));
    for (const employer of employers) {
      const run = await cluster.settled(employer, BigInt(window), 180_000);
      expect(run.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
    }
  }
  for (const employer of employers) {
    expect(new Set(await world.privateBalances(employer))).toEqual(new Set([3n * BigInt(WINDOWS)]));
    expect(await readExecutions(cluster.apiUrl, employer.schedule, 50)).toHaveLength(WINDOWS);
  }
  await world.checkMoneyRules(...employers);

  const lines = NAMES.flatMap((name) => cluster.logOf(name).map(({ msg }) => msg));
  for (const trouble of ['run needs attention', 'run stopped', 'run requeued']) expect(lines).not.toContain(trouble);
  // Nobody was taken for dead: everything was handed over.
  expect(lines).not.toContain('a process was silent for longer than its lease');
}, 400_000);
