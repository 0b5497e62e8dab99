// One look for due schedules among many registered ones: a poll of the coordinator on PostgreSQL, with a base ledger in memory.
import { randomBytes } from 'node:crypto';
import {
  CalendarUnit,
  getScheduleEncoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  prepareList,
  systemTime,
} from '@payouts/client';
import type { Postgres } from '@payouts/testing/services';
import type { Address } from '@solana/kit';
import { LedgerClock } from '../../packages/coordinator/dist/ledger/clock.js';
import type { BaseLedger } from '../../packages/coordinator/dist/ledger/ledger.js';
import { PayableLists } from '../../packages/coordinator/dist/lists/payableLists.js';
import { ALONE } from '../../packages/coordinator/dist/platform/leadership.js';
import { createLogger } from '../../packages/coordinator/dist/platform/log/log.js';
import { createMetrics } from '../../packages/coordinator/dist/platform/metrics.js';
import { DUE_AT_ONCE, poll as lookOnce } from '../../packages/coordinator/dist/runs/poller.js';
import { localPayloadKeys } from '../../packages/coordinator/dist/store/crypto/payloadKeys.js';
import { openDatabase } from '../../packages/coordinator/dist/store/db/openDatabase.js';
import { prepareDatabase } from '../../packages/coordinator/dist/store/db/prepare.js';
import { findDueSchedules } from '../../packages/coordinator/dist/store/queries/schedules.js';
import { registerMany } from '../../packages/coordinator/test/support/manySchedules.ts';
import { scheduleOver, somePayees } from '../../packages/coordinator/test/support/promised.ts';
import { onPostgres } from '../parts/servers.ts';
import { judged, type Measure } from '../row.ts';
import { least, timed } from '../statistics.ts';

const DUE = 100;
const STALE = 500;

/** A base ledger in memory on which the first of the schedules of `registerMany` are due at `now`, unix seconds. */
function ledgerWithDue(now: number): BaseLedger {
  const list = prepareList(somePayees(100));
  const dataOf = (nextExecution: number) => {
    const calendar = { unit: CalendarUnit.Seconds, every: 3_600, day: 0, batchTimeout: 60 };
    const state = { nextExecution: BigInt(nextExecution), window: 3n, executionsLeft: 9 };
    return new Uint8Array(getScheduleEncoder().encode(scheduleOver(list, { ...calendar, ...state })));
  };
  const [dueNow, dueLater] = [dataOf(now - 60), dataOf(now + 86_400)];
  const isDue = (address: Address) => Number(address.replaceAll('S', '').replaceAll('z', '0')) <= DUE;
  const base: Pick<BaseLedger, 'name' | 'accounts'> = {
    name: 'base',
    // The clock, which comes first, is not there: the machine's is taken.
    accounts: async ([, ...addresses]) => {
      const owner = PAYOUT_LEDGER_PROGRAM_ADDRESS;
      const found = addresses.map((address) => {
        return { address, owner, lamports: 1n, data: isDue(address) ? dueNow : dueLater };
      });
      return { slot: 6n, accounts: [null, ...found] };
    },
  };
  return base as BaseLedger;
}

/** Milliseconds, the least of some rounds, of finding the due schedules, of the same query bare, and of the whole poll that begins their runs. */
async function measurePolls(postgres: Postgres, schedules: number, rounds: number) {
  const now = Math.floor(Date.now() / 1_000);
  const databaseUrl = await postgres.createDatabase();
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  await registerMany(database.query, { count: schedules, due: DUE, now, stale: STALE });
  const { pool } = database;
  const log = createLogger({ level: 'silent', pretty: false, time: systemTime });
  const input = {
    time: systemTime,
    log,
    base: ledgerWithDue(now),
    clock: new LedgerClock(systemTime),
    database: database.query,
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    authority: { address: PAYOUT_LEDGER_PROGRAM_ADDRESS },
    locks: ALONE,
    payableLists: new PayableLists({ database: database.query, payloadKeys: localPayloadKeys(randomBytes(32)) }),
    intervalMs: 1_000,
    metrics: createMetrics(),
    signal: new AbortController().signal,
  };
  const bare = `select address from schedules where status = 'active' and (run_window is null or run_window < window_number)
    and next_execution <= $1::bigint order by next_execution limit $2`;
  const took = { found: [] as number[], bare: [] as number[], polled: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    await pool.query('truncate execution_runs cascade');
    await pool.query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
    await pool.query(
      'update schedules set run_window = 2, seen_slot = 5, next_execution = $1::bigint - 60 where run_window = 3',
      [now],
    );
    await pool.query(
      `update schedules set seen_slot = 5, seen_at = 0 where address in
        (select address from schedules where next_execution > $1::bigint limit 99)`,
      [now],
    );
    await pool.query('vacuum analyze schedules');
    const bareLook = async () => took.bare.push(await timed(() => pool.query(bare, [now, DUE_AT_ONCE])));
    const look = async () =>
      took.found.push(await timed(() => findDueSchedules(database.query, BigInt(now), DUE_AT_ONCE)));
    // Whoever comes first in a round has to read the pages from the disk.
    for (const one of [bareLook, look, look, bareLook]) await one();
    took.polled.push(await timed(() => lookOnce(input)));
  }
  const { rows: runs } = await pool.query('select 1 from execution_runs');
  if (runs.length !== DUE) throw new Error(`${runs.length} runs were recorded, not ${DUE}`);
  await database.close();
  return { found: least(took.found), bare: least(took.bare), polled: least(took.polled) };
}

export const poll: Measure = {
  name: 'poll',
  minutes: 1.5,
  async run(quick) {
    const [few, many, rounds] = quick ? [1_000, 20_000, 15] : [1_000, 100_000, 45];
    return onPostgres(async (postgres) => {
      const small = await measurePolls(postgres, few, rounds);
      const large = await measurePolls(postgres, many, rounds);
      const among = `${DUE} due schedules among ${many.toLocaleString('en')}`;
      return [
        judged({
          name: `finding ${among}`,
          measured: large.found,
          unit: ' ms',
          limit: { value: large.bare, of: 'the same query bare' },
          ratio: { most: 1.5 },
        }),
        judged({
          name: `the whole poll, which begins runs for ${among}`,
          measured: large.polled,
          unit: ' ms',
          limit: { value: small.polled, of: `among ${few.toLocaleString('en')}` },
          ratio: { most: 1.5 },
        }),
      ];
    });
  },
};
