import { patiently, readExecutions, registerSchedule } from '@payouts/cli';
import { systemTime } from '@payouts/client';
import { lockNumber } from '@payouts/coordinator/testing';
import { Cluster } from '@payouts/testing/cluster';
import { Failpoints, type Passing } from '@payouts/testing/failpoints';
import { metricIn, readMetrics } from '@payouts/testing/metrics';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, inSeconds, until, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const SCHEDULES = 60;
const RECIPIENTS = 10;
const AMOUNT = 3n;
/** Seconds until the windows are due, by a clock that is set forward once everything is registered. */
const LEAD = 3_600;
const NAMES = ['one', 'two', 'three'];

let world: World;
let cluster: Cluster;
const failpoints = new Failpoints();
/** By how much the base ledger's clock was set forward, in seconds. */
let ahead = 0;

beforeAll(async () => {
  world = await World.start();
  // Runs that are held keep their place.
  const settings = { LEASE_SECONDS: '3', RUN_CONCURRENCY: String(SCHEDULES) };
  cluster = await Cluster.start(world, NAMES, settings, failpoints);
});

/** The coordinator that keeps the token's tree: the one whose session holds the token's lock for good. */
async function keeperOf(mint: Address): Promise<string> {
  const rows = await cluster.rows(`select split_part(application_name, ' ', 2) as executor from pg_locks
    join pg_stat_activity using (pid) where datname = current_database() and locktype = 'advisory' and mode = 'ExclusiveLock'
    and (classid::bigint << 32) | objid::bigint = ${lockNumber(`liabilities ${mint}`)}`);
  const names = NAMES.filter((name) => rows.some(({ executor }) => `${executor}`.startsWith(`${name}/`)));
  expect(names).toHaveLength(1);
  return names[0] as string;
}

/** Schedules of one token, registered at all coordinators by turns; they are due when the clock is turned. */
async function promised(first: Employer | undefined, count: number, ids: number): Promise<Employer[]> {
  ahead += LEAD;
  const firstExecution = inSeconds(ahead);
  const employers: Employer[] = [];
  for (let place = 0; place < count; place++) {
    // Every list has another total, so that no two deposits are the same transaction.
    const payees = await somePayees(RECIPIENTS, AMOUNT + BigInt(ids + place));
    const terms = { firstExecution, executions: 1, id: BigInt(ids + place), batchTimeout: 600 };
    const known = first ?? employers[0];
    const employer =
      known === undefined ? await world.employer(payees, terms) : await world.promise(known, payees, terms);
    employers.push(employer);
    const { url } = cluster.of(NAMES[place % NAMES.length] as string);
    await patiently(systemTime, () => registerSchedule(url, employer.schedule, employer.list));
  }
  return employers;
}

/** Has all of them due at once. */
const allDue = () => world.localnet.admin.advanceClock(LEAD);

/** Waits until whoever keeps the tree has signed a settlement that this window is part of, and not sent it. */
async function settlementOf(employer: Employer): Promise<Passing> {
  for (;;) {
    const held = await failpoints.hold('commit:before-send', employer);
    const kept = await cluster.rows(`select 1 from settled_runs join execution_runs on execution_runs.id = run_id
      where schedule = '${employer.schedule}'`);
    if (kept.length > 0) return held;
    // It is closed in the layer before.
    held.goOn();
  }
}

/** Waits until every window has one settled run. */
async function allSettled(employers: readonly Employer[]): Promise<void> {
  const waiting = new Set(employers);
  await until(
    async () => {
      for (const employer of waiting) {
        const runs = await readExecutions(cluster.apiUrl, employer.schedule);
        expect(runs.length).toBeLessThanOrEqual(1);
        if (runs[0]?.state === 'settled') waiting.delete(employer);
      }
      return waiting.size === 0;
    },
    'all windows to settle',
    120_000,
    100,
  );
}

/** A metric's value over all processes. */
async function total(name: string, ...labels: string[]): Promise<number> {
  let sum = 0;
  for (const each of cluster.names) sum += metricIn(await readMetrics(cluster.of(each).url), name, ...labels) || 0;
  return sum;
}

/** Waits until one of the processes, and only one, is told of changes by the base ledger. */
const oneWatches = () =>
  expect.poll(() => total('service_ledger_subscription_connected'), { timeout: 60_000, interval: 200 }).toBe(1);

let first: Employer[];
it('settles the windows of one token from three coordinators, several in a transaction, and rebuilds no tree', async () => {
  await oneWatches();
  first = await promised(undefined, SCHEDULES, 0);
  // All are closed in the layer before the first is settled.
  const closed = first.map((employer) => failpoints.hold('commit:after-landing', employer));
  await allDue();
  for (const { goOn } of await Promise.all(closed)) goOn();
  await allSettled(first);
  await world.checkPaid(1, ...first);

  const settled = await cluster.rows(`select settled_runs.run_id, transaction_id from settled_runs
    join ledger_transactions as sent on sent.id = transaction_id where sent.outcome = 'landed'`);
  expect(settled).toHaveLength(SCHEDULES);
  const transactions = new Set(settled.map(({ transaction_id }) => transaction_id)).size;
  expect(transactions).toBeLessThan(SCHEDULES / 2);
  expect(await total('service_reconciliation_differences_total', 'kind="liabilities-rebuilt"')).toBe(0);
  // Its row goes after a settlement has landed, and a run may be found settled before.
  await expect.poll(() => cluster.rows('select 1 from settlements')).toEqual([]);
  // Each run shows the transaction that settled it, and no other, whichever process sent it.
  const settlements = await cluster.rows(
    `select signature from ledger_transactions where purpose in ('settle', 'commit')`,
  );
  const known = new Set(settlements.map(({ signature }) => signature));
  for (const { schedule } of first) {
    const [run] = await readExecutions(cluster.of('three').url, schedule);
    const commit = run?.attempts.filter(({ stage }) => stage === 'commit') ?? [];
    const shown = commit.flatMap(({ signatures }) => signatures);
    expect(shown).not.toEqual([]);
    expect(shown.filter((signature) => !known.has(signature))).toEqual([]);
  }
});

it('goes on when the process that keeps the tree is killed in the middle', async () => {
  const second = await promised(first[0], 30, SCHEDULES);
  const settling = settlementOf(second[0] as Employer);
  await allDue();
  const held = await settling;
  const victim = await keeperOf((first[0] as Employer).mint);
  expect(cluster.of(victim).process).toBe(held.process);
  await cluster.kill(victim);
  await allSettled(second);
  await world.checkPaid(1, ...first, ...second);
  // Whoever was told of changes, somebody is now.
  await oneWatches();
  expect(await total('service_reconciliation_differences_total', 'kind="liabilities-rebuilt"')).toBe(0);
});
