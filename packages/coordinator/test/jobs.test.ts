import { systemTime } from '@payouts/client';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunKey, runIdOf } from '../src/domain/run.ts';
import { unshared } from '../src/platform/lease.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { type Engine, startEngine } from '../src/runs/engine.ts';
import type { Tried } from '../src/runs/runner.ts';
import { AttemptSuperseded } from '../src/store/queries/attempts.ts';
import { enqueueLostRuns } from '../src/store/queries/jobs.ts';
import { createRuns, findRun, resumeRuns } from '../src/store/queries/runs.ts';
import { addSchedule } from './support/addSchedule.ts';
import { deferred } from './support/deferred.ts';
import { keptLog } from './support/log.ts';
import { stopRun } from './support/runs.ts';
import { STORES, useStore } from './support/stores.ts';

const DONE: Tried = { result: 'done' };

describe.each(STORES)('jobs on %s', (name) => {
  const store = useStore(name);
  const begun: string[] = [];
  let attempt: (stage: string) => Promise<Tried>;
  let engine: Engine;
  let draining: AbortController;
  let key: RunKey;
  let kept: ReturnType<typeof keptLog>;

  beforeEach(async () => {
    begun.length = 0;
    attempt = async () => DONE;
    draining = new AbortController();
    kept = keptLog();
    const { pool, query } = store.database;
    await sql`truncate schedules cascade`.execute(query);
    key = { schedule: await addSchedule(query, {}), window: 0n };
    engine = await startEngine({
      pool,
      database: query,
      runConcurrency: 2,
      lease: unshared,
      time: systemTime,
      log: kept.log,
      metrics: createMetrics(),
      draining: draining.signal,
      runner: {
        attempt: (_key, stage) => {
          begun.push(stage);
          return attempt(stage);
        },
      },
    });
  });
  afterEach(async () => {
    draining.abort();
    expect(await engine.drained(10_000)).toBe(true);
  });

  const create = () => createRuns(store.query, [{ ...key, recipients: 1 }], 1);
  const jobs = async () => (await sql<{ key: string }>`select key from graphile_worker.jobs`.execute(store.query)).rows;
  const stop = async () => {
    const run = await findRun(store.query, key);
    await stopRun(store.query, run?.id as number, { state: 'waiting', code: null, detail: '', resumeAt: 5 });
  };
  const ended = () => expect.poll(jobs).toEqual([]);

  it('a window that is recorded twice is run once, and nothing is kept of it', async () => {
    await create();
    await create();
    await ended();
    await create();
    expect(await jobs()).toEqual([]);
    expect(begun).toEqual(['delegate', 'claim', 'commit']);
  });

  it('a run that waits has no job, and has one again when its time has come', async () => {
    attempt = async () => {
      await stop();
      return { result: 'waiting' };
    };
    await create();
    await ended();
    expect(begun).toEqual(['delegate']);
    expect(await enqueueLostRuns(store.query)).toEqual([]);
    expect(await resumeRuns(store.query, 4, 10)).toEqual([]);
    attempt = async () => DONE;
    expect(await resumeRuns(store.query, 5, 10)).toEqual([{ ...key, was: 'waiting' }]);
    await ended();
    expect(begun).toEqual(['delegate', 'delegate', 'claim', 'commit']);
  });

  it('a run that goes on while a former job of it still ends is run once more', async () => {
    const tried = deferred<Tried>();
    attempt = () => tried.promise;
    await create();
    await expect.poll(() => begun).toEqual(['delegate']);
    await stop();
    attempt = async () => DONE;
    await resumeRuns(store.query, 5, 10);
    await expect.poll(() => begun).toEqual(['delegate', 'delegate', 'claim', 'commit']);
    tried.resolve({ result: 'waiting' });
    await ended();
  });

  it('a stage whose result could not be recorded is tried again, and one that another process tries is left alone', async () => {
    attempt = async () => {
      attempt = async () => DONE;
      throw new Error('The database is gone.');
    };
    await create();
    await expect.poll(() => begun).toEqual(['delegate', 'delegate', 'claim', 'commit']);
    await ended();
    begun.length = 0;
    key = { ...key, window: 1n };
    attempt = async () => {
      throw new AttemptSuperseded('Another has it.');
    };
    await sql`update schedules set window_number = 1 where address = ${key.schedule}`.execute(store.query);
    await create();
    await expect.poll(() => begun).toEqual(['delegate']);
    expect(await jobs()).toEqual([{ key: runIdOf(key) }]);
    const removed = async () => {
      await sql`select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))`.execute(store.query);
      return jobs();
    };
    await expect.poll(removed).toEqual([]);
  });

  it('a stage whose result can not be recorded, whenever it is tried, is tried ever later, and each time it is said why', async () => {
    attempt = async () => {
      throw new TypeError('Somebody has a secret.');
    };
    await create();
    await expect.poll(() => begun.length).toBe(3);
    const waits = async () =>
      (
        await sql`select from graphile_worker.jobs where locked_by is null and run_at > updated_at + interval '3 seconds'`.execute(
          store.query,
        )
      ).rows;
    await expect.poll(waits).toHaveLength(1);
    const lines = kept.lines().filter(({ msg }) => msg === 'what came of a run could not be recorded');
    const said = { level: 50, run: runIdOf(key), error: 'TypeError' };
    expect(lines).toMatchObject([1, 2, 3].map((failures) => ({ ...said, failures, waitMs: 500 * 2 ** failures })));
    expect(kept.logged()).not.toContain('secret');
    // A database that is gone comes back, and is waited for no longer than before.
    attempt = async () => {
      attempt = async () => DONE;
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    };
    await expect.poll(() => begun.length).toBe(7);
    await ended();
    expect(kept.lines().filter(({ level }) => level === 50)).toHaveLength(3);
  });

  it('a run that lost its job gets another one', async () => {
    attempt = async () => ({ result: 'failed' });
    await create();
    await ended();
    const tried = deferred<Tried>();
    attempt = () => tried.promise;
    expect(await enqueueLostRuns(store.query)).toEqual([key]);
    await expect.poll(() => begun).toEqual(['delegate', 'delegate']);
    expect(await enqueueLostRuns(store.query)).toEqual([]);
    tried.resolve({ result: 'failed' });
    await ended();
  });
});
