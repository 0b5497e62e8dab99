import { setTimeout as sleep } from 'node:timers/promises';
import { systemTime } from '@payouts/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unshared } from '../src/platform/lease.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { type Engine, startEngine } from '../src/runs/engine.ts';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import { prepareDatabase } from '../src/store/db/prepare.ts';
import { enqueueRun } from '../src/store/queries/jobs.ts';
import { silentLog } from './support/log.ts';
import { usePostgres } from './support/servers.ts';

/** Runs that are at work when the database is lost, as many as there is room for. */
const AT_WORK = 4;

const postgres = usePostgres();
let databaseUrl: string;
let database: Database;
let engine: Engine;
const draining = new AbortController();
const held: (() => void)[] = [];
const done: bigint[] = [];

beforeAll(async () => {
  databaseUrl = await postgres.createDatabase();
  database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  engine = await startEngine({
    pool: database.pool,
    database: database.query,
    runConcurrency: AT_WORK,
    lease: unshared,
    time: systemTime,
    log: silentLog,
    metrics: createMetrics(),
    draining: draining.signal,
    runner: {
      async attempt({ window }, stage) {
        if (held.length < AT_WORK) await new Promise<void>((resolve) => held.push(resolve));
        if (stage === 'commit') done.push(window);
        return { result: 'done' };
      },
    },
  });
});
afterAll(async () => {
  draining.abort();
  await engine?.drained(1_000);
  await database?.close();
});

it('goes on with every run when the database is lost while several end and others are taken', async () => {
  for (let window = 0n; window < 10n; window++)
    await enqueueRun(database.query, { schedule: 'schedule', window }, { delayMs: 0, failures: 0 });
  await expect.poll(() => held.length).toBe(AT_WORK);
  // As if the answer to a look for jobs had been lost.
  await sql`update graphile_worker._private_jobs set locked_by = ${unshared.executor}, locked_at = now()
    where locked_by is null`.execute(database.query);
  await postgres.stop('immediate');
  // One after the other, so that each end of a job is recorded, in vain, by itself.
  for (const release of held) {
    release();
    await sleep(100);
  }
  await postgres.start();
  const left = () => postgres.rows(databaseUrl, 'select key from graphile_worker.jobs');
  await expect.poll(left).toEqual([]);
  expect(new Set(done)).toEqual(new Set(Array.from({ length: 10 }, (_, window) => BigInt(window))));
  draining.abort();
  expect(await engine.drained(60_000)).toBe(true);
});
