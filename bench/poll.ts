/**
 * What one look for due schedules costs over 1,000 and over 100,000 registered ones, 100 of them due, on a real PostgreSQL server,
 * beside the bare query for the due ones in the same run. Included: everything a poll does in database and process: due and
 * stale schedules found, decoded and kept, runs recorded and put in the engine's line. The ledger answers from memory.
 */
import { CalendarUnit, getScheduleEncoder, PAYOUT_LEDGER_PROGRAM_ADDRESS, prepareList } from '@payouts/client';
import { startPostgres } from '@payouts/services';
import type { Address } from '@solana/kit';
import { LedgerClock } from '../packages/coordinator/src/ledger/clock.ts';
import type { BaseLedger, LedgerAccount } from '../packages/coordinator/src/ledger/ledger.ts';
import { createLogger } from '../packages/coordinator/src/log/log.ts';
import { Metrics } from '../packages/coordinator/src/metrics.ts';
import { poll } from '../packages/coordinator/src/scheduler/poller.ts';
import { openDatabase } from '../packages/coordinator/src/store/openDatabase.ts';
import { prepareDatabase } from '../packages/coordinator/src/store/prepare.ts';
import { systemTime } from '../packages/coordinator/src/time.ts';
import { startEngine } from '../packages/coordinator/src/workflow/engine.ts';
import { unshared } from '../packages/coordinator/src/workflow/lease.ts';
import { registerMany } from '../packages/coordinator/test/support/manySchedules.ts';
import { scheduleOver, somePayees } from '../packages/coordinator/test/support/promised.ts';

const SIZES = [1_000, 100_000];
const DUE = 100;
const STALE = 500;
const ROUNDS = 40;
const WARM_UP = 5;

const now = Math.floor(Date.now() / 1_000);
const list = prepareList(somePayees(100));
const schedule = (nextExecution: number): Uint8Array =>
  new Uint8Array(
    getScheduleEncoder().encode(
      scheduleOver(list, {
        unit: CalendarUnit.Seconds,
        every: 3_600,
        day: 0,
        nextExecution: BigInt(nextExecution),
        window: 3n,
        executionsLeft: 9,
        batchTimeout: 60,
      }),
    ),
  );

const [dueNow, dueLater] = [schedule(now - 60), schedule(now + 86_400)];
const isDue = (address: Address): boolean => Number(address.replaceAll('S', '').replaceAll('z', '0')) <= DUE;
const base: Pick<BaseLedger, 'name' | 'accounts'> = {
  name: 'base',
  accounts: async ([clock, ...addresses]) => ({
    slot: 6n,
    accounts: [clock, ...addresses].map((address, place): LedgerAccount | null =>
      place === 0 || address === undefined
        ? null
        : { address, owner: PAYOUT_LEDGER_PROGRAM_ADDRESS, lamports: 1n, data: isDue(address) ? dueNow : dueLater },
    ),
  }),
};

function summary(times: number[]): { median: number; p95: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}

const postgres = await startPostgres();
const rows: Record<string, string | number>[] = [];
const medians: number[] = [];
for (const count of SIZES) {
  const databaseUrl = await postgres.createDatabase();
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl);
  await registerMany(database.query, { count, due: DUE, now, stale: Math.min(STALE, count - DUE) });
  const { pool } = database;
  const log = createLogger({ level: 'silent', pretty: false });
  // Nothing of what is put in line is to run: it would be measured as well.
  const stopped = AbortSignal.abort();
  const engine = await startEngine({
    pool,
    runner: { attempt: () => new Promise(() => {}) },
    runConcurrency: 1,
    lease: unshared,
    log,
    draining: stopped,
    signal: stopped,
  });
  const input = {
    base: base as BaseLedger,
    clock: new LedgerClock(systemTime),
    database: database.query,
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    engine,
    intervalMs: 1_000,
    log,
    metrics: new Metrics(),
    signal: new AbortController().signal,
  };
  const [polls, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
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
    const before = performance.now();
    const { rows: found } = await pool.query(
      `select address from schedules where status = 'active' and (run_window is null or run_window < window_number)
        and next_execution <= $1::bigint order by next_execution limit 495`,
      [now],
    );
    const between = performance.now();
    await poll(input);
    const after = performance.now();
    if (found.length !== DUE) throw new Error(`${found.length} schedules are due, not ${DUE}`);
    if (round < WARM_UP) continue;
    bare.push(between - before);
    polls.push(after - between);
  }
  const { rows: runs } = await pool.query('select 1 from execution_runs');
  if (runs.length !== DUE) throw new Error(`${runs.length} runs were recorded, not ${DUE}`);
  const [whole, query] = [summary(polls), summary(bare)];
  medians.push(whole.median);
  rows.push({
    schedules: count,
    due: DUE,
    'poll, median ms': whole.median.toFixed(1),
    'poll, p95 ms': whole.p95.toFixed(1),
    'bare query, median ms': query.median.toFixed(2),
    ratio: (whole.median / query.median).toFixed(1),
  });
  await engine.stop();
  await database.close();
}
await postgres.remove();
console.table(rows);
const [small = 1, large = 0] = medians;
console.log(
  `100,000 beside 1,000 schedules: ${(large / small).toFixed(2)} times the time (goal: at most 1.5, and under 50 ms)`,
);
process.exit(0);
