import { patiently, readExecutions, registerSchedule, type WindowRun } from '@payouts/cli';
import { systemTime } from '@payouts/client';
import { clockAheadBy } from '@payouts/testing/clockAhead';
import { Cluster } from '@payouts/testing/cluster';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, until, World } from '@payouts/testing/world';
import { afterEach, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 15;
const SCHEDULES = 4;
const WINDOWS = 3;
/** Seconds between two windows of a schedule. */
const EVERY = 3;
const SKEW = 90;
/** Seconds within which a window is opened that can be; a wrong clock that counted would cost 90. */
const OPENED_WITHIN = 85;

let world: World;
let cluster: Cluster;

beforeAll(async () => {
  world = await World.start();
});
afterEach(() => cluster?.stop());

/** Coordinators on one database whose clocks are so many seconds ahead. */
async function startSkewed(...skews: readonly number[]): Promise<void> {
  cluster = await Cluster.start(world, []);
  await Promise.all(
    skews.map((skew, place) => cluster.startOne(`skewed-${place}`, { NODE_OPTIONS: clockAheadBy(skew) })),
  );
}

const healthTime = async (url: string) =>
  ((await (await fetch(`${url}/api/health`)).json()) as { timestamp: number }).timestamp;

/** Schedules whose first windows are due at this time of the base ledger. */
async function promise(first: number): Promise<Employer[]> {
  const employers: Employer[] = [];
  for (let place = 0; place < SCHEDULES; place++) {
    const terms = {
      executions: WINDOWS,
      calendar: everySeconds(EVERY),
      firstExecution: BigInt(first),
      batchTimeout: 600,
    };
    employers.push(await world.employer(await somePayees(RECIPIENTS, 4n), terms));
  }
  return employers;
}

/** Openings that the base ledger saw, failed ones too, by schedule: in them the ledger program calls the delegation program. */
async function openings(employers: readonly Employer[]): Promise<Map<string, { at: number; err: unknown }[]>> {
  const batches = new Map<string, string>();
  for (const employer of employers) batches.set(await world.batch(employer), employer.schedule);
  const found = new Map<string, { at: number; err: unknown }[]>();
  for await (const { accountKeys, logMessages, blockTime, err } of world.localnet.admin.listTransactions()) {
    const schedule = accountKeys.map((key) => batches.get(key)).find((address) => address !== undefined);
    if (schedule === undefined || !logMessages.some((line) => /^Program DELeGG\w+ invoke \[2\]/.test(line))) continue;
    found.set(schedule, [...(found.get(schedule) ?? []), { at: blockTime, err }]);
  }
  return found;
}

it.each<[string, number, readonly number[]]>([
  ['the ledger is 90 s ahead of the coordinator', SKEW, [0]],
  ['the ledger is 90 s behind the coordinator', -SKEW, [0]],
  ['of two coordinators one is 90 s ahead of the ledger and one 90 s behind', 0, [SKEW, -SKEW]],
])('no window opens early, twice or never when %s', async (_, ledgerSkew, skews) => {
  const ledgerTime = () => Math.floor(Date.now() / 1_000) + ledgerSkew;
  await world.localnet.admin.warpClock(ledgerTime());
  await startSkewed(...skews);
  const urls = skews.map((_, place) => cluster.of(`skewed-${place}`).url);
  for (const [place, url] of urls.entries()) {
    const skewMs = (skews[place] ?? 0) * 1_000;
    const before = Date.now();
    const told = (await healthTime(url)) - skewMs;
    expect([told >= before, told <= Date.now()]).toEqual([true, true]);
  }
  const first = ledgerTime() + 10;
  const due = (window: number) => first + window * EVERY;
  const employers = await promise(first);
  for (const [place, { schedule, list }] of employers.entries()) {
    await patiently(systemTime, () => registerSchedule(urls[place % urls.length] ?? '', schedule, list));
  }
  const registeredAt = ledgerTime();

  for (const employer of employers) {
    const runs = await until<WindowRun[]>(
      async () => {
        const found = await readExecutions(cluster.apiUrl, employer.schedule).catch(() => []);
        return found.filter(({ state }) => state === 'settled').length === WINDOWS && found;
      },
      'all windows to settle',
      150_000,
      200,
    );
    expect(runs.map(({ window }) => window)).toEqual(['2', '1', '0']);
    const codes = runs.flatMap(({ attempts }) => attempts.map(({ errorCode }) => errorCode));
    expect(codes).not.toContain('not-due');
  }
  for (const opened of (await openings(employers)).values()) {
    expect(opened.map(({ err }) => err)).toEqual([null, null, null]);
    for (const [window, { at }] of opened.entries()) {
      expect(at).toBeGreaterThanOrEqual(due(window));
      const couldBeAt = Math.max(due(window), registeredAt, opened[window - 1]?.at ?? 0);
      expect(at - couldBeAt).toBeLessThan(OPENED_WITHIN);
    }
  }
  expect((await openings(employers)).size).toBe(SCHEDULES);
  await world.checkPaid(WINDOWS, ...employers);
});
