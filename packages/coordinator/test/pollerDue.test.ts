import {
  CalendarUnit,
  getScheduleEncoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  prepareList,
  type Time,
} from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { CLOCK_ADDRESS, LedgerClock } from '../src/ledger/clock.ts';
import type { BaseLedger, LedgerAccount } from '../src/ledger/ledger.ts';
import { createLogger } from '../src/platform/log/log.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { DUE_AT_ONCE, runPoller } from '../src/runs/poller.ts';
import { registerMany } from './support/manySchedules.ts';
import { randomAddress, scheduleOver, somePayees } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const store = useStore();
const INTERVAL_MS = 1_000;
/** Half a slot: what is between two looks at the ledger's clock. */
const SOON_MS = 200;

/** A base ledger whose clock, of whole seconds, is so many milliseconds ahead of ours, with a schedule that is due at `due`. */
function ledgerAhead(time: Time, milliseconds: number, due: bigint): BaseLedger {
  const terms = { unit: CalendarUnit.Seconds, every: 3_600, day: 0, nextExecution: due, window: 3n };
  const schedule = scheduleOver(prepareList(somePayees(3)), { ...terms, executionsLeft: 9, batchTimeout: 60 });
  const data = new Uint8Array(getScheduleEncoder().encode(schedule));
  const clock = () => {
    const shown = new DataView(new ArrayBuffer(40));
    shown.setBigInt64(32, BigInt(Math.floor((time.now() + milliseconds) / 1_000)), true);
    return new Uint8Array(shown.buffer);
  };
  const owner = PAYOUT_LEDGER_PROGRAM_ADDRESS;
  const base: Pick<BaseLedger, 'name' | 'accounts'> = {
    name: 'base',
    accounts: async (addresses) => ({
      slot: 6n,
      accounts: addresses.map(
        (address): LedgerAccount => ({
          address,
          owner,
          lamports: 1n,
          data: address === CLOCK_ADDRESS ? clock() : data,
        }),
      ),
    }),
  };
  return base as BaseLedger;
}

/**
 * Schedules that are due in a moment, and a process that polls until it has begun that many windows; when it began each, and had their lists made
 * ready first, unix milliseconds.
 */
async function beginWindows({ ahead = 0, count = 1, isFirst = true }) {
  const { query } = store;
  const time = manualTime();
  const due = BigInt(Math.ceil((time.now() + ahead) / 1_000) + 4);
  await sql`delete from schedules`.execute(query);
  await registerMany(query, { count, due: count, now: Number(due) });
  await sql`update schedules set next_execution = ${due.toString()}::bigint`.execute(query);
  const over = new AbortController();
  const metrics = createMetrics();
  const begunAt: number[] = [];
  const preparedAt: number[] = [];
  const found = (line: string) => {
    if (JSON.parse(line).msg !== 'run created') return;
    begunAt.push(time.now());
    if (begunAt.length === count) over.abort();
  };
  const polling = runPoller({
    time,
    base: ledgerAhead(time, ahead, due),
    clock: new LedgerClock(time),
    database: query,
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    authority: { address: randomAddress() },
    relay: { address: randomAddress() },
    locks: { holds: async () => isFirst },
    payableLists: {
      prepare: async (schedules) => {
        if (schedules.length === count) preparedAt.push(time.now());
      },
    },
    intervalMs: INTERVAL_MS,
    log: createLogger({ level: 'info', pretty: false, time, to: { write: found } }),
    metrics,
    signal: over.signal,
  });
  await time.during(polling);
  for (const balance of [metrics.authorityLamports, metrics.relayLamports]) {
    expect((await balance.get()).values).toMatchObject([{ value: 1 }]);
  }
  return { dueAt: Number(due) * 1_000 - ahead, begunAt, preparedAt };
}

it.each([0, 250, 500, 750])(
  'finds a window due as soon as the ledger’s clock says so, when that is %i ms ahead',
  async (ahead) => {
    const { dueAt, begunAt } = await beginWindows({ ahead });
    expect(begunAt[0]).toBeGreaterThanOrEqual(dueAt);
    expect(begunAt[0]).toBeLessThanOrEqual(dueAt + SOON_MS);
  },
);

it('leaves a window for a second to the process that looks first', async () => {
  const { dueAt, begunAt } = await beginWindows({ isFirst: false });
  expect(begunAt[0]).toBeGreaterThanOrEqual(dueAt + 1_000);
  expect(begunAt[0]).toBeLessThanOrEqual(dueAt + 2_000);
});

it('begins all windows of a payday that are due at the same moment without a pause', async () => {
  const { begunAt } = await beginWindows({ count: 2 * DUE_AT_ONCE + 1 });
  expect((begunAt.at(-1) as number) - (begunAt[0] as number)).toBeLessThan(SOON_MS);
});

it('has the lists of windows that are due in a moment made ready', async () => {
  const { dueAt, preparedAt } = await beginWindows({ count: 3 });
  expect(preparedAt[0]).toBeLessThanOrEqual(dueAt - 1_000);
  expect(preparedAt[0]).toBeGreaterThanOrEqual(dueAt - 3_000);
});
