import { PAYOUT_LEDGER_PROGRAM_ADDRESS, systemTime } from '@payouts/client';
import type { Postgres } from '@payouts/testing/services';
import { LedgerClock } from '../../packages/coordinator/dist/ledger/clock.js';
import { unshared } from '../../packages/coordinator/dist/platform/lease.js';
import { createLogger } from '../../packages/coordinator/dist/platform/log/log.js';
import { createMetrics } from '../../packages/coordinator/dist/platform/metrics.js';
import { startEngine } from '../../packages/coordinator/dist/runs/engine.js';
import { DUE_AT_ONCE, poll } from '../../packages/coordinator/dist/runs/poller.js';
import { openDatabase } from '../../packages/coordinator/dist/store/db/openDatabase.js';
import { prepareDatabase } from '../../packages/coordinator/dist/store/db/prepare.js';
import { findDueSchedules } from '../../packages/coordinator/dist/store/queries/schedules.js';
import { registerMany } from '../../packages/coordinator/test/support/manySchedules.ts';
import { timed } from '../runner/timed.ts';
import { ledgerWithDue } from './ledger.ts';

const STALE = 500;
const WARM_UP = 5;

/** Milliseconds of each round's whole poll, and just before it of finding due schedules as it does, and of the same query bare. */
export type Rounds = {
  readonly polls: readonly number[];
  readonly found: readonly number[];
  readonly bare: readonly number[];
  readonly tableBytes: number;
};

/** Polls over so many registered schedules, of which `due` are due each time. Throws unless each of those gets a run. */
export async function measurePolls(
  postgres: Postgres,
  { schedules, due, rounds }: { readonly schedules: number; readonly due: number; readonly rounds: number },
): Promise<Rounds> {
  const now = Math.floor(Date.now() / 1_000);
  const databaseUrl = await postgres.createDatabase();
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  await registerMany(database.query, { count: schedules, due, now, stale: Math.min(STALE, schedules - due) });
  const { pool } = database;
  const log = createLogger({ level: 'silent', pretty: false, time: systemTime });
  // Nothing of what is put in line is to run: it would be measured as well.
  const stopped = AbortSignal.abort();
  const engine = await startEngine({
    pool,
    runner: { attempt: () => new Promise(() => {}) },
    runConcurrency: 1,
    lease: unshared,
    time: systemTime,
    log,
    draining: stopped,
    signal: stopped,
  });
  const input = {
    base: ledgerWithDue(due, now),
    time: systemTime,
    clock: new LedgerClock(systemTime),
    database: database.query,
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    engine,
    intervalMs: 1_000,
    log,
    metrics: createMetrics(),
    signal: new AbortController().signal,
  };
  const [polls, found, bare]: [number[], number[], number[]] = [[], [], []];
  const findBare = () =>
    pool.query(
      `select address from schedules where status = 'active' and (run_window is null or run_window < window_number)
        and next_execution <= $1::bigint order by next_execution limit $2`,
      [now, DUE_AT_ONCE],
    );
  for (let round = 0; round < WARM_UP + rounds; round++) {
    await pool.query('truncate execution_runs cascade');
    await pool.query('delete from dbos.workflow_status');
    await pool.query(
      `update schedules set run_window = 2, seen_slot = 5, next_execution = $1::bigint - 60 where run_window = 3`,
      [now],
    );
    await pool.query(
      `update schedules set seen_slot = 5, seen_at = 0 where address in
        (select address from schedules where next_execution > $1::bigint limit 99)`,
      [now],
    );
    await pool.query('vacuum analyze schedules');
    // In turn first and second: whoever comes second finds the pages in memory.
    let looksDue: readonly string[] = [];
    const find = async () => {
      looksDue = await findDueSchedules(database.query, BigInt(now), DUE_AT_ONCE);
    };
    const looks = [async () => bare.push(await timed(findBare)), async () => found.push(await timed(find))];
    if (round % 2 === 1) looks.reverse();
    for (const look of looks) await look();
    polls.push(await timed(() => poll(input)));
    if (looksDue.length !== due) throw new Error(`${looksDue.length} schedules are due, not ${due}`);
  }
  const { rows: runs } = await pool.query('select 1 from execution_runs');
  if (runs.length !== due) throw new Error(`${runs.length} runs were recorded, not ${due}`);
  const { rows: sizes } = await pool.query(`select pg_total_relation_size('schedules') as bytes`);
  await engine.stop();
  await database.close();
  const measured = (all: readonly number[]) => all.slice(WARM_UP);
  return {
    polls: measured(polls),
    found: measured(found),
    bare: measured(bare),
    tableBytes: Number(sizes[0].bytes),
  };
}
