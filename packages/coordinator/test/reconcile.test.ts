import { systemTime } from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { type SharedPostgres, sharedPostgres } from '@payouts/testing/postgres';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunKey } from '../src/domain/run.ts';
import { unshared } from '../src/platform/lease.ts';
import { createLogger } from '../src/platform/log/log.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { type Engine, startEngine } from '../src/runs/engine.ts';
import { reconcileRuns } from '../src/runs/requeueRuns.ts';
import { resumeRun } from '../src/runs/resume.ts';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import { prepareDatabase } from '../src/store/db/prepare.ts';
import { createRuns, findResumable, type RunRow } from '../src/store/queries/runs.ts';
import { registerMany } from './support/manySchedules.ts';

const NOW = 1_800_000_000;
const INSTANCE = 'reconciled';

let postgres: SharedPostgres;
let database: Database;
let engine: Engine;
const attempts: string[] = [];
const time = manualTime();
const log = createLogger({ level: 'silent', pretty: false, time });

beforeAll(async () => {
  postgres = await sharedPostgres();
  const databaseUrl = await postgres.createDatabase();
  database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  await registerMany(database.query, { count: 3, due: 3, now: NOW });
  const never = new AbortController().signal;
  engine = await startEngine({
    pool: database.pool,
    runConcurrency: 4,
    lease: { ...unshared, executor: INSTANCE },
    time,
    log,
    draining: never,
    signal: never,
    runner: {
      async attempt({ schedule }, stage) {
        attempts.push(`${schedule.at(-1)} ${stage}`);
        return { result: 'done' };
      },
    },
  });
});
afterAll(async () => {
  await engine?.stop();
  await database?.close();
  await postgres?.remove();
});

async function until(what: () => Promise<boolean>, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await what())) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${attempts.join(', ')}`);
    await time.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it('takes up runs that the engine has never heard of, has ended, or has left behind', async () => {
  const metrics = createMetrics();
  const reconcile = () => time.during(reconcileRuns({ database: database.query, engine, time, log, metrics }));
  const { rows } = await sql<{ address: string }>`select address from schedules order by address`.execute(
    database.query,
  );
  const keys = rows.map(({ address }) => ({ schedule: address, window: 3n }));
  const [unknown, ended, left] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
  await createRuns(
    database.query,
    keys.map((key) => ({ ...key, recipients: 1 })),
    NOW,
  );
  await engine.enqueue([ended, left]);
  const names = [ended, left].map(({ schedule, window }) => `${schedule}:${window}`);
  await until(async () => [...(await engine.statesOf([ended, left])).values()].every((state) => state === 'ended'));
  // As if the record of its last step had been the last thing that reached the database.
  await sql`update dbos.workflow_status set status = 'PENDING', executor_id = ${INSTANCE}
    where workflow_uuid = ${names[1]}`.execute(database.query);
  expect([...(await engine.statesOf(keys)).values()]).toEqual(['unknown', 'ended', 'active']);

  attempts.length = 0;
  await reconcile();
  const last = ({ schedule }: { schedule: string }) => schedule.at(-1);
  await until(async () => attempts.filter((attempt) => attempt.endsWith('commit')).length === 2);
  expect(attempts.toSorted()).toEqual(
    [unknown, ended]
      .flatMap((key) => ['claim', 'commit', 'delegate'].map((stage) => `${last(key)} ${stage}`))
      .toSorted(),
  );
  // What is under way in another process, or was a moment ago here, is left alone; what nobody works on is not.
  await until(async () => (await engine.statesOf([left])).get(names[1] as string) === 'orphaned');
  await sql`update execution_runs set finished_at = 1 where schedule <> ${left.schedule}`.execute(database.query);
  await reconcile();
  await until(async () => (await engine.statesOf([left])).get(names[1] as string) === 'ended');
  const text = await metrics.registry.metrics();
  for (const kind of ['engine-unknown', 'engine-ended', 'engine-orphaned']) {
    expect(text).toContain(`service_reconciliation_differences_total{kind="${kind}"} 1`);
  }
});

it('leaves alone what another process is about to record', async () => {
  const metrics = createMetrics();
  const { rows } = await sql<{ address: string }>`select address from schedules order by address limit 2`.execute(
    database.query,
  );
  const [begun, ended] = rows.map(({ address }) => ({ schedule: address, window: 5n })) as [RunKey, RunKey];
  await sql`update execution_runs set finished_at = 1`.execute(database.query);
  await createRuns(
    database.query,
    [begun, ended].map((key) => ({ ...key, recipients: 1 })),
    NOW,
  );
  await engine.enqueue([ended]);
  await until(async () => (await engine.statesOf([ended])).get(`${ended.schedule}:5`) === 'ended');
  attempts.length = 0;
  // Both are between their two records when they are looked at first.
  const statesOf: Engine['statesOf'] = async (keys) => {
    const states = await engine.statesOf(keys);
    await sql`update execution_runs set finished_at = 1 where schedule = ${ended.schedule} and window_number = 5`.execute(
      database.query,
    );
    await engine.enqueue([begun]);
    return states;
  };
  const engineThen = { ...engine, statesOf };
  await time.during(reconcileRuns({ database: database.query, engine: engineThen, time, log, metrics }));
  const text = await metrics.registry.metrics();
  for (const kind of ['engine-unknown', 'engine-ended'])
    expect(text).not.toContain(`service_reconciliation_differences_total{kind="${kind}"} 1`);
  expect(attempts.filter((attempt) => attempt.startsWith(ended.schedule.at(-1) as string))).toEqual([]);
  await sql`update execution_runs set finished_at = 1 where window_number = 5`.execute(database.query);
});

it('goes on with a stopped run whose workflow was left behind', async () => {
  const { rows } = await sql<{ address: string }>`select address from schedules order by address limit 1`.execute(
    database.query,
  );
  const key = { schedule: rows[0]?.address as string, window: 4n };
  const name = `${key.schedule}:4`;
  const stateOf = async () => (await engine.statesOf([key])).get(name);
  await createRuns(database.query, [{ ...key, recipients: 1 }], NOW);
  await engine.enqueue([key]);
  await until(async () => (await stateOf()) === 'ended');
  // As if another process had stopped the run, to which this one, whose workflow it is, had given way.
  await sql`update execution_runs set state = 'waiting', resume_at = 1 where window_number = 4`.execute(database.query);
  await sql`update dbos.workflow_status set status = 'PENDING', executor_id = ${INSTANCE} where workflow_uuid = ${name}`.execute(
    database.query,
  );

  const [run] = await findResumable(database.query, Date.now(), 10);
  attempts.length = 0;
  expect(await resumeRun({ database: database.query, engine, log }, run as RunRow)).toBe(false);
  await until(() => resumeRun({ database: database.query, engine, log }, run as RunRow));
  await until(async () => (await stateOf()) === 'ended');
  expect(attempts).toHaveLength(3);
});
