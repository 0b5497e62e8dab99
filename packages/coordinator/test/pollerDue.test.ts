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
import { runPoller } from '../src/runs/poller.ts';
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

it.each([0, 250, 500, 750])(
  'finds a window due as soon as the ledger’s clock says so, when that is %i ms ahead',
  async (ahead) => {
    const { query } = store;
    const time = manualTime();
    const due = BigInt(Math.ceil((time.now() + ahead) / 1_000) + 4);
    await sql`delete from schedules`.execute(query);
    await registerMany(query, { count: 1, due: 1, now: Number(due) });
    await sql`update schedules set next_execution = ${due.toString()}::bigint`.execute(query);
    const over = new AbortController();
    const metrics = createMetrics();
    let foundAt = Number.NaN;
    const found = (line: string) => {
      if (JSON.parse(line).msg !== 'run created') return;
      foundAt = time.now();
      over.abort();
    };
    const polling = runPoller({
      time,
      base: ledgerAhead(time, ahead, due),
      clock: new LedgerClock(time),
      database: query,
      program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
      authority: { address: randomAddress() },
      relay: { address: randomAddress() },
      intervalMs: INTERVAL_MS,
      log: createLogger({ level: 'info', pretty: false, time, to: { write: found } }),
      metrics,
      signal: over.signal,
    });
    await time.during(polling);
    for (const balance of [metrics.authorityLamports, metrics.relayLamports]) {
      expect((await balance.get()).values).toMatchObject([{ value: 1 }]);
    }
    const dueAt = Number(due) * 1_000 - ahead;
    expect(foundAt).toBeGreaterThanOrEqual(dueAt);
    expect(foundAt).toBeLessThanOrEqual(dueAt + SOON_MS);
  },
);
