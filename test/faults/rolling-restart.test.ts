import { readExecutions } from '@payouts/cli';
import { Cluster } from '@payouts/testing/cluster';
import { Failpoints, untilStopping } from '@payouts/testing/failpoints';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, inSeconds, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const NAMES = ['one', 'two', 'three'];
/** As many as all of them take at most, each one that it works on and one ahead: so each has one. */
const SCHEDULES = NAMES.length * 2;
const RECIPIENTS = 100;
/** In each of which one of them is restarted. */
const WINDOWS = NAMES.length;
/** Longer than everything else takes: what is handed over must not wait for it. */
const LEASE_SECONDS = 300;

let world: World;
let cluster: Cluster;
const failpoints = new Failpoints();
beforeAll(async () => {
  world = await World.start();
  const settings = { LEASE_SECONDS: String(LEASE_SECONDS), SHUTDOWN_GRACE_MS: '1000', RUN_CONCURRENCY: '1' };
  cluster = await Cluster.start(world, NAMES, settings, failpoints);
});

/** Restarts one of them with runs under way in all. */
async function restart(name: string, employers: readonly Employer[], window: bigint): Promise<void> {
  const standing = employers.map((employer) => failpoints.hold('claim:before-send', employer, { window }));
  const holders = new Set<unknown>();
  for (const each of standing) void each.then((held) => holders.add(held.process));
  await world.localnet.admin.advanceClock(HOUR);
  await until(async () => holders.size === NAMES.length, 'a run under way in each', 120_000);
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
  const terms = { executions: WINDOWS, firstExecution: inSeconds(HOUR), batchTimeout: 3_000 };
  for (let place = 0; place < SCHEDULES; place++) {
    const employer = await world.employer(await somePayees(RECIPIENTS, 3n), terms);
    await cluster.register(employer);
    employers.push(employer);
  }
  for (const [window, name] of NAMES.entries()) {
    await restart(name, employers, BigInt(window));
    for (const employer of employers) await cluster.settledInFull(employer, BigInt(window), 180_000);
  }
  for (const employer of employers) {
    expect(await readExecutions(cluster.apiUrl, employer.schedule, 50)).toHaveLength(WINDOWS);
  }
  await world.checkPaid(WINDOWS, ...employers);

  const lines = NAMES.flatMap((name) => cluster.logOf(name).map(({ msg }) => msg));
  for (const trouble of ['run needs attention', 'run stopped', 'run requeued']) expect(lines).not.toContain(trouble);
  // No lease expired: everything was handed over.
  expect(lines).not.toContain('a process was silent for longer than its lease');
}, 400_000);
