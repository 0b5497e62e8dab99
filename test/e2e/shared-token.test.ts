import { join } from 'node:path';
import { readExecutions, registerSchedule } from '@payouts/cli';
import { lockNumber } from '@payouts/coordinator/testing';
import type { CoordinatorProcess } from '@payouts/sandbox';
import { recordStore } from '@payouts/testing/dump';
import { Failpoints, type Passing, startHoldable } from '@payouts/testing/failpoints';
import { type SharedPostgres, sharedPostgres } from '@payouts/testing/postgres';
import { type Employer, until, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const SCHEDULES = 60;
const RECIPIENTS = 10;
const AMOUNT = 3n;
/** Seconds until the windows are due, by a clock that is set forward once everything is registered. */
const LEAD = 3_600;

let world: World;
let postgres: SharedPostgres;
let databaseUrl: string;
let settings: Record<string, string>;
const failpoints = new Failpoints();
const coordinators: CoordinatorProcess[] = [];
/** By how much the base ledger's clock was set forward, in seconds. */
let ahead = 0;
const start = (name: string) =>
  startHoldable({ ...settings, INSTANCE_NAME: name }, join(world.folder, `${name}.log`), failpoints.onPassing);

beforeAll(async () => {
  [world, postgres] = await Promise.all([World.start(), sharedPostgres()]);
  databaseUrl = await postgres.createDatabase();
  settings = {
    ...world.settings,
    DATABASE_URL: databaseUrl,
    PAYLOAD_KEY: world.payloadKey,
    METRICS_PUBLIC: 'true',
    LEASE_SECONDS: '3',
    // Runs that are held keep their place.
    RUN_CONCURRENCY: String(SCHEDULES),
  };
  coordinators.push(...(await Promise.all(['one', 'two', 'three'].map(start))));
}, 300_000);
afterAll(async () => {
  await Promise.all(coordinators.map((coordinator) => coordinator.stop().catch(() => {})));
  await recordStore({ databaseUrl, dataDir: world.folder });
  await world?.stop();
  await postgres?.remove();
});

const rowsOf = (query: string) => postgres.rows(databaseUrl, query);
/** The coordinator that keeps the token's tree: the one whose session holds the token's lock for good. */
async function keeperOf(mint: Address): Promise<CoordinatorProcess> {
  const rows = await rowsOf(`select split_part(application_name, ' ', 2) as executor from pg_locks
    join pg_stat_activity using (pid) where datname = current_database() and locktype = 'advisory' and mode = 'ExclusiveLock'
    and (classid::bigint << 32) | objid::bigint = ${lockNumber(`liabilities ${mint}`)}`);
  const names = ['one', 'two', 'three'].filter((name) =>
    rows.some(({ executor }) => `${executor}`.startsWith(`${name}/`)),
  );
  expect(names).toHaveLength(1);
  return coordinators[['one', 'two', 'three'].indexOf(names[0] as string)] as CoordinatorProcess;
}

/** Schedules of one token, registered at all coordinators by turns; they are due when the clock is turned. */
async function promised(first: Employer | undefined, count: number, ids: number): Promise<Employer[]> {
  ahead += LEAD;
  const firstExecution = BigInt(Math.floor(Date.now() / 1_000) + ahead);
  const employers: Employer[] = [];
  for (let place = 0; place < count; place++) {
    const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
    // Every list has another total, so that no two deposits are the same transaction.
    const payees = keys.map(({ address }) => ({ recipient: address, amount: AMOUNT + BigInt(ids + place) }));
    const terms = { firstExecution, executions: 1, id: BigInt(ids + place), batchTimeout: 600 };
    const known = first ?? employers[0];
    const employer =
      known === undefined ? await world.employer(payees, terms) : await world.promise(known, payees, terms);
    employers.push(employer);
    const { url } = coordinators[place % coordinators.length] as CoordinatorProcess;
    await registerSchedule(url, employer.schedule, employer.list);
  }
  return employers;
}

/** Has all of them due at once. */
const allDue = () => world.localnet.admin.advanceClock(LEAD);

/** Waits until whoever keeps the tree has signed a settlement that this window is part of, and not sent it. */
async function settlementOf(employer: Employer): Promise<Passing> {
  for (;;) {
    const held = await failpoints.hold('commit:before-send', employer);
    const kept = await rowsOf(`select 1 from settled_runs join execution_runs on execution_runs.id = run_id
      where schedule = '${employer.schedule}'`);
    if (kept.length > 0) return held;
    // It is closed in the layer before.
    held.goOn();
  }
}

/** Waits until every window has one settled run. */
async function allSettled(employers: readonly Employer[], { url }: CoordinatorProcess): Promise<void> {
  const waiting = new Set(employers);
  await until(
    async () => {
      for (const employer of waiting) {
        const runs = await readExecutions(url, employer.schedule);
        expect(runs.length).toBeLessThanOrEqual(1);
        if (runs[0]?.state === 'settled') waiting.delete(employer);
      }
      return waiting.size === 0 ? true : undefined;
    },
    'all windows to settle',
    120_000,
    100,
  );
}

async function checkPaidOnce(employers: readonly Employer[]): Promise<void> {
  for (const employer of employers) {
    expect(await world.privateBalances(employer)).toEqual(employer.list.recipients.map(({ amount }) => amount));
  }
  await world.checkMoneyRules(...employers);
}

/** A metric's value over all processes that answer. */
async function total(name: string): Promise<number> {
  let sum = 0;
  for (const { url } of coordinators) {
    const text = await fetch(`${url}/api/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    for (const line of text.split('\n')) if (line.startsWith(name)) sum += Number(line.split(' ').at(-1));
  }
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
  await allSettled(first, coordinators[0] as CoordinatorProcess);
  await checkPaidOnce(first);

  const settled = await rowsOf(`select settled_runs.run_id, transaction_id from settled_runs
    join ledger_transactions as sent on sent.id = transaction_id where sent.outcome = 'landed'`);
  expect(settled).toHaveLength(SCHEDULES);
  const transactions = new Set(settled.map(({ transaction_id }) => transaction_id)).size;
  expect(transactions).toBeLessThan(SCHEDULES / 2);
  expect(await total('service_reconciliation_differences_total{kind="liabilities-rebuilt"}')).toBe(0);
  expect(await rowsOf('select 1 from settlements')).toEqual([]);
  // Each run shows the transaction that settled it, whichever process sent it.
  for (const { schedule } of first) {
    const [run] = await readExecutions((coordinators[2] as CoordinatorProcess).url, schedule);
    const commit = run?.attempts.filter(({ stage }) => stage === 'commit') ?? [];
    expect(commit.flatMap(({ signatures }) => signatures).length).toBeGreaterThanOrEqual(2);
  }
}, 300_000);

it('goes on when the process that keeps the tree is killed in the middle', async () => {
  const second = await promised(first[0], 30, SCHEDULES);
  const settling = settlementOf(second[0] as Employer);
  await allDue();
  const held = await settling;
  const victim = await keeperOf((first[0] as Employer).mint);
  expect(victim.process).toBe(held.process);
  victim.process.kill('SIGKILL');
  const other = coordinators.find((coordinator) => coordinator !== victim) as CoordinatorProcess;
  await allSettled(second, other);
  await checkPaidOnce([...first, ...second]);
  // Whoever was told of changes, somebody is now.
  await oneWatches();
  expect(await total('service_reconciliation_differences_total{kind="liabilities-rebuilt"}')).toBe(0);
}, 300_000);
