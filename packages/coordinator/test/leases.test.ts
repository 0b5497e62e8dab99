import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../src/store/db/openDatabase.ts';
import { beginLease, renewLease, takeExpiredLeases } from '../src/store/queries/leases.ts';
import {
  jobs,
  LEASE_MS,
  LOST,
  SILENT,
  SLACK_MS,
  saying,
  settledIn,
  stagesOf,
  startService,
  until,
} from './support/leasedService.ts';
import { useSharedPostgres } from './support/servers.ts';

const postgres = useSharedPostgres();
let databaseUrl: string;
beforeEach(async () => {
  databaseUrl = await postgres.createDatabase();
});

it('the runs of a process that was killed go on in another as soon as its lease is over, and only once', async () => {
  const dead = await startService(databaseUrl, 'dead', 'slow');
  const others = await Promise.all([startService(databaseUrl, 'one'), startService(databaseUrl, 'two')]);
  await settledIn();
  // The slow one has all places taken that it has, the others pass what they get.
  dead.process.send('7');
  await until(() => [dead, ...others].some((child) => stagesOf(child, '7').length > 0));
  for (let window = 8; !dead.messages.some(saying({ stage: 'claim' })); window++) {
    dead.process.send(String(window));
    await sleep(300);
  }
  const { window } = await dead.said(saying({ stage: 'claim' }));
  await dead.kill();
  const killedAt = performance.now();
  const finished = saying({ ended: 'commit', window });
  await Promise.race(others.map((child) => child.said(finished)));
  const tookMs = performance.now() - killedAt;
  console.log(`taken over after ${Math.round(tookMs)} ms with a lease of ${LEASE_MS} ms`);
  expect(tookMs).toBeLessThan(LEASE_MS + SLACK_MS);
  // One took its lease, and each of its runs was taken once, by that one or by who found it without an owner first.
  await Promise.race(others.map((child) => child.said(saying({ msg: SILENT }))));
  const silent = others.flatMap((child) => child.messages.filter(saying({ msg: SILENT })));
  expect(silent).toEqual([expect.objectContaining({ count: 1 })]);
  for (const left of new Set(dead.messages.flatMap(({ window: left }) => left ?? []))) {
    await Promise.race(others.map((child) => child.said(saying({ ended: 'commit', window: left }))));
    expect(others.flatMap((child) => stagesOf(child, String(left)))).toEqual(['delegate', 'claim', 'commit']);
  }
});

it('a process that was frozen for longer than its lease begins no stage of what it had, and works on', async () => {
  const frozen = await startService(databaseUrl, 'frozen', 'slow');
  frozen.process.send('7');
  await frozen.said(saying({ stage: 'claim', window: '7' }));
  const other = await startService(databaseUrl, 'other');
  await settledIn();
  frozen.process.kill('SIGSTOP');
  const frozenAt = performance.now();
  await other.said(saying({ ended: 'commit', window: '7' }));
  expect(performance.now() - frozenAt).toBeLessThan(LEASE_MS + SLACK_MS);
  // None of its sessions is left, so neither are locks.
  const sessions =
    "select 1 from pg_stat_activity where datname = current_database() and application_name like 'payouts frozen/%'";
  await expect.poll(() => postgres.rows(databaseUrl, sessions)).toEqual([]);

  frozen.process.kill('SIGCONT');
  await frozen.said(saying({ msg: LOST }));
  frozen.process.send('claim');
  await frozen.said(saying({ ended: 'claim', window: '7' }));
  await sleep(1_500);
  // Its claim ended beside the other's, and that was the last of it.
  expect(stagesOf(frozen, '7')).toEqual(['delegate', 'claim']);
  await expect.poll(() => jobs(postgres, databaseUrl)).toEqual([]);

  await other.kill();
  frozen.process.send('8');
  await frozen.said(saying({ ended: 'commit', window: '8' }));
  await expect.poll(() => jobs(postgres, databaseUrl)).toEqual([]);
});

it('a process that is stopped in order leaves its runs to the others at once', async () => {
  // Longer than either is ever silent: else its runs could be taken before they are handed over.
  const leaseMs = 30_000;
  const leaving = await startService(databaseUrl, 'leaving', 'slow', leaseMs);
  leaving.process.send('7');
  await leaving.said(saying({ stage: 'claim', window: '7' }));
  const other = await startService(databaseUrl, 'other', '', leaseMs);
  leaving.process.send('stop');
  await other.said(saying({ ended: 'commit', window: '7' }));
  // The lease ends after the runs are in line, and the other may be done with them before.
  const leases = () => postgres.rows(databaseUrl, 'select instance from instance_leases');
  await expect.poll(leases).toEqual([{ instance: 'other' }]);
  // Handed over, not taken.
  expect(other.messages.filter(saying({ msg: SILENT }))).toEqual([]);
});

it('who asked for the leases that have expired, and is answered once the database has stood still, takes none', async () => {
  const leaseMs = 1_000;
  const database = await openDatabase({ databaseUrl, databasePoolSize: 4, dataDir: 'unused', onError: () => {} });
  try {
    const { query: db } = database;
    for (const executor of ['one', 'two']) await beginLease(db, { executor, instance: executor, leaseMs });
    const asked = await db.transaction().execute(async (standstill) => {
      await sql`lock table instance_leases`.execute(standstill);
      const taken = takeExpiredLeases(db, 'one', leaseMs);
      await sleep(leaseMs + 500);
      return { taken };
    });
    expect(await asked.taken).toEqual([]);
    // Nor where its own lease has held and will soon be over.
    await renewLease(db, 'one', leaseMs / 2);
    expect(await takeExpiredLeases(db, 'one', leaseMs)).toEqual([]);
    // It has just been renewed, however long this query is on its way.
    await renewLease(db, 'one', 600_000);
    expect(await takeExpiredLeases(db, 'one', leaseMs)).toEqual(['two']);
  } finally {
    await database.close();
  }
});
