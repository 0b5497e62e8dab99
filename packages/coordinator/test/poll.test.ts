import { type Kysely, sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { enqueueLostRuns } from '../src/store/queries/jobs.ts';
import { createRuns, resumeRuns } from '../src/store/queries/runs.ts';
import {
  findDueSchedules,
  findSchedule,
  findStaleSchedules,
  type ObservedSchedule,
  saveClosedSchedules,
  saveObservedSchedules,
} from '../src/store/queries/schedules.ts';
import type { Tables } from '../src/store/schema.ts';
import { registerMany } from './support/manySchedules.ts';
import { readWhole } from './support/readWhole.ts';
import { STORES, useStore } from './support/stores.ts';

const NOW = 1_800_000_000;
const MANY = { count: 20_000, due: 100, now: NOW, stale: 300 };
/** Of a run that is in line; its index is on the few that are not over, so it is read as a whole. */
const SMALL = 'execution_runs_unfinished';

const stores = STORES.map((name) => ({ name, store: useStore(name) }));
const [{ store: server }] = stores as [(typeof stores)[number]];
beforeAll(async () => {
  for (const { store } of stores) await registerMany(store.query, MANY);
});

async function seen(
  database: Kysely<Tables>,
  address: string,
  change: Partial<ObservedSchedule>,
): Promise<ObservedSchedule> {
  const row = await findSchedule(database, address);
  if (row === undefined) throw new Error('not registered');
  const { run_window, registered_at, employer, ...columns } = row;
  return { ...columns, ...change };
}

describe('a poll of many schedules', () => {
  it('reads no table as a whole', async () => {
    const [due = ''] = await findDueSchedules(server.query, BigInt(NOW), 1);
    const window = { schedule: due, window: 3n, recipients: 100 };
    const readings = await Promise.all(
      (await findDueSchedules(server.query, BigInt(NOW), 100)).map((address) => seen(server.query, address, {})),
    );
    for (const ask of [
      (database: Kysely<Tables>) => findDueSchedules(database, BigInt(NOW), 495),
      (database: Kysely<Tables>) => findStaleSchedules(database, NOW * 1_000 - 60_000, 99),
      (database: Kysely<Tables>) => saveObservedSchedules(database, readings),
      (database: Kysely<Tables>) => saveClosedSchedules(database, ['nobody'], { slot: 1n, time: NOW }),
      (database: Kysely<Tables>) => createRuns(database, [{ ...window, window: 2n }], NOW),
      (database: Kysely<Tables>) => findSchedule(database, due),
      (database: Kysely<Tables>) => resumeRuns(database, NOW, 100),
    ]) {
      expect(await readWhole(server.database.pool, ask), String(ask)).not.toContain('schedules');
    }
    const { rows } = await sql<{ name: string }>`select indexrelid::regclass::text as name from pg_index
      where indrelid = 'execution_runs'::regclass`.execute(server.query);
    expect(rows.map(({ name }) => name)).toContain(SMALL);
    await enqueueLostRuns(server.query);
  });

  describe.each(stores)('on $name', ({ store }) => {
    const query = () => store.query;

    it('finds those that are due, earliest first, and those not read for longest', async () => {
      const due = await findDueSchedules(query(), BigInt(NOW), 495);
      expect(due).toHaveLength(MANY.due);
      const { rows } = await sql<{ next_execution: string }>`select next_execution from schedules
        where address = any(${due}) order by array_position(${due}, address)`.execute(query());
      const times = rows.map(({ next_execution: time }) => Number(time));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(await findDueSchedules(query(), BigInt(NOW), 7)).toEqual(due.slice(0, 7));
      expect(await findStaleSchedules(query(), NOW * 1_000 - 60_000, 1_000)).toHaveLength(MANY.stale);
    });

    it('records each window once, whoever asks at the same time', async () => {
      const due = (await findDueSchedules(query(), BigInt(NOW), 495)).map((schedule) => ({
        schedule,
        window: 3n,
        recipients: 100,
      }));
      const created = await Promise.all([
        createRuns(query(), due, NOW),
        createRuns(query(), due.toReversed(), NOW),
        createRuns(query(), due.slice(20, 60), NOW),
      ]);
      expect(
        created
          .flat()
          .map(({ schedule }) => schedule)
          .toSorted(),
      ).toEqual(due.map(({ schedule }) => schedule).toSorted());
      expect(await findDueSchedules(query(), BigInt(NOW), 495)).toEqual([]);
      expect(await createRuns(query(), [{ schedule: 'not registered', window: 0n, recipients: 1 }], NOW)).toEqual([]);
    });

    it('keeps the later of two readings, and forgets what is closed', async () => {
      const [first = '', second = '', third = ''] = await findStaleSchedules(query(), NOW * 1_000 - 60_000, 3);
      await saveObservedSchedules(query(), [
        await seen(query(), first, { seen_slot: 4, status: 'paused' }),
        await seen(query(), second, { seen_slot: '9', status: 'paused', amount: '18446744073709551615' }),
      ]);
      expect(await findSchedule(query(), first)).toMatchObject({ status: 'active', seen_slot: '5' });
      expect(await findSchedule(query(), second)).toMatchObject({
        status: 'paused',
        seen_slot: '9',
        amount: '18446744073709551615',
        run_window: '2',
      });
      await saveClosedSchedules(query(), [second, third], { slot: 8n, time: NOW });
      expect(await findSchedule(query(), second)).toMatchObject({ status: 'paused' });
      expect(await findSchedule(query(), third)).toMatchObject({ status: 'cancelled', phase: 'idle', seen_slot: '8' });
    });
  });
});
