import { manualTime } from '@payouts/testing/manualTime';
import type { Address } from '@solana/kit';
import { type Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { observeStore } from '../src/monitoring/store.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import { countWork } from '../src/store/queries/gauges.ts';
import type { Tables } from '../src/store/schema.ts';
import { setPartSize } from '../src/withdrawals/partSizes.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { putRun } from './support/runs.ts';
import { usePostgres } from './support/servers.ts';

const NOW = 1_800_000_000n;

const postgres = usePostgres();

/** A migrated, empty database that is closed with the test. */
async function emptyDatabase(): Promise<Database> {
  const databaseUrl = await postgres.createDatabase();
  const database = await openDatabase({ databaseUrl, databasePoolSize: 5, dataDir: 'unused', onError: () => {} });
  onTestFinished(() => database.close());
  await migrate(database.query);
  return database;
}

const value = (text: string, series: string): number => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  if (line === undefined) throw new Error(`there is no ${series}`);
  return Number(line.slice(series.length + 1));
};

it('gauges from the store show unfinished runs by state, what lacks funds, what is overdue, and schedules by status', async () => {
  const database = await emptyDatabase();
  const metrics = createMetrics();
  // However slowly the database answers, the scrape waits for it.
  const time = manualTime();
  observeStore({ metrics, store: database, now: () => NOW, time });
  const empty = await metrics.scrape();
  expect(value(empty, 'service_database_up')).toBe(1);
  expect(value(empty, 'service_schedule_overdue_seconds')).toBe(0);
  for (const state of ['queued', 'running', 'held', 'waiting', 'exhausted', 'failed']) {
    expect(value(empty, `service_execution_runs{state="${state}"}`)).toBe(0);
  }

  await addSchedule(database.query, {});
  const settled = await addSchedule(database.query, { window: 1 });
  await putRun(database.query, { schedule: settled, state: 'settled', finished: 2 });
  const short = await addSchedule(database.query, { due: NOW - 50n });
  await putRun(database.query, { schedule: short, state: 'held', code: 'funding-short' });
  const paused = await addSchedule(database.query, { status: 'paused', due: NOW - 900n });
  await putRun(database.query, { schedule: paused, state: 'held', code: 'schedule-paused' });
  const open = await addSchedule(database.query, { due: NOW - 70n, phase: 'open' });
  await putRun(database.query, { schedule: open, state: 'exhausted' });
  const work = await countWork(database.query, NOW);
  expect(work).toEqual({ runs: { held: 2, exhausted: 1 }, fundingShort: 1, dueSince: NOW - 70n });

  // A window that is due and has no run yet counts as well; one of a paused schedule, or over on the ledger, does not.
  await addSchedule(database.query, { due: NOW - 400n });
  await addSchedule(database.query, { status: 'paused', due: NOW - 500n });
  const over = await addSchedule(database.query, { due: NOW - 600n, window: 3 });
  await putRun(database.query, { schedule: over, state: 'running', window: 2 });
  await changeSchedule(database.query, over, { next_execution: NOW + 5n });
  expect((await countWork(database.query, NOW)).dueSince).toBe(NOW - 400n);

  // Of the six tokens of active schedules.
  await setPartSize(database.query, over as Address, 500n, time.now());
  const fresh = createMetrics();
  observeStore({ metrics: fresh, store: database, now: () => NOW, time });
  const text = await fresh.scrape();
  expect(value(text, 'service_schedule_overdue_seconds')).toBe(400);
  expect(value(text, 'service_funding_short_runs')).toBe(1);
  expect(value(text, 'service_execution_runs{state="held"}')).toBe(2);
  expect(value(text, 'service_execution_runs{state="running"}')).toBe(1);
  expect(value(text, 'service_schedules_registered{status="active"}')).toBe(6);
  expect(value(text, 'service_schedules_registered{status="paused"}')).toBe(2);
  expect(value(text, 'service_part_sizes_missing')).toBe(5);
  expect(value(text, 'service_database_connections{pool="runs",state="waiting"}')).toBe(0);
});

it('read nothing but unfinished and due work, however much is over and registered', async () => {
  const database = await emptyDatabase();
  const first = await addSchedule(database.query, {});
  const same = sql`vault, mint, root, root_version, status, phase, window_number, executions_left, recipients, amount,
      batch_timeout, run_window, seen_slot, seen_at, registered_at, unit, every, day, employer`;
  await sql`insert into schedules (address, next_execution, ${same})
      select address || n, next_execution + n, ${same} from schedules, generate_series(1, 20000) n`.execute(
    database.query,
  );
  await putRun(database.query, { schedule: first, state: 'held' });
  await sql`insert into execution_runs (schedule, window_number, state, claims_total, created_at, finished_at)
      select ${first}, n, 'settled', 1, 1, 2 from generate_series(1, 20000) n`.execute(database.query);
  await sql`analyze`.execute(database.query);
  // On one connection, since each reports by itself what it has read.
  await database.query.connection().execute(async (query) => {
    const before = await rowsRead(query);
    await countWork(query, NOW);
    const after = await rowsRead(query);
    expect(after.sequential - before.sequential).toBeLessThan(100);
    expect(after.index - before.index).toBeLessThan(100);
    expect(after.index - before.index).toBeGreaterThan(0);
  });
});

/** Rows that have been read of runs and schedules, one after the other and by an index. */
async function rowsRead(query: Kysely<Tables>): Promise<{ sequential: number; index: number }> {
  await sql`select pg_stat_force_next_flush()`.execute(query);
  const { rows } = await sql<{ sequential: string; index: string }>`
    select sum(seq_tup_read) as sequential, sum(idx_tup_fetch) as index from pg_stat_user_tables
    where relname in ('schedules', 'execution_runs')`.execute(query);
  return { sequential: Number(rows[0]?.sequential), index: Number(rows[0]?.index) };
}

/** What has come back is seen after a few tries. */
const SOON = { timeout: 60_000, interval: 100 };

it('never hold a scrape up: a database that hangs or is gone leaves the last values, and service_database_up at 0', async () => {
  const database = await emptyDatabase();
  const metrics = createMetrics();
  const time = manualTime();
  const isUp = async () => value(await metrics.scrape(), 'service_database_up');
  const schedule = await addSchedule(database.query, { due: NOW - 70n, phase: 'open' });
  await putRun(database.query, { schedule, state: 'exhausted' });
  observeStore({ metrics, store: database, now: () => NOW, time });
  expect(await isUp()).toBe(1);
  await time.advance(4_100);
  postgres.freeze();
  for (let scrapes = 0; scrapes < 3; scrapes++) {
    const scraping = metrics.scrape();
    // What a scrape waits for the database; the second one and the third do not wait any more.
    if (scrapes === 0) await time.advance(1_500);
    const text = await scraping;
    expect(value(text, 'service_database_up')).toBe(0);
    expect(value(text, 'service_execution_runs{state="exhausted"}')).toBe(1);
    expect(value(text, 'service_schedule_overdue_seconds')).toBe(70);
  }
  postgres.thaw();
  await expect.poll(isUp, SOON).toBe(1);

  await time.advance(4_100);
  await postgres.stop('immediate');
  expect(await isUp()).toBe(0);
  await postgres.start();
  // An answer, and a refusal, is good for some seconds.
  await expect.poll(() => time.advance(4_100).then(isUp), SOON).toBe(1);
});
