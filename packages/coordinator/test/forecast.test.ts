import { type Calendar, executions } from '@payouts/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amountText,
  type Coverage,
  coverageText,
  type Draws,
  forecastFunds,
  NO_FEES,
  openingsCovered,
  solText,
  type VaultFunds,
} from '../src/domain/forecast.ts';
import { forecastOf } from '../src/store/forecast.ts';
import {
  countFunds,
  findVault,
  findVaultsToRead,
  listDrawing,
  saveCoverage,
  saveObservedVaults,
} from '../src/store/queries/funds.ts';
import {
  findDueSchedules,
  findSchedule,
  type ObservedSchedule,
  saveClosedSchedules,
  saveObservedSchedules,
} from '../src/store/queries/schedules.ts';
import { addSchedule, changeSchedule, observedSchedule } from './support/addSchedule.ts';
import { useStore } from './support/stores.ts';

const DAY = 86_400n;
/** 2026-11-02T09:00:00Z. */
const START = 1_793_610_000n;
const FAR = START + 400n * DAY;

const calendars: fc.Arbitrary<Calendar> = fc.oneof(
  fc.record({ unit: fc.constant('weeks' as const), every: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ unit: fc.constant('days' as const), every: fc.integer({ min: 3, max: 60 }) }),
);
const draws = (address: string): fc.Arbitrary<Draws> =>
  fc.record({
    address: fc.constant(address),
    amount: fc.bigInt({ min: 1n, max: 50n }),
    calendar: calendars,
    next: fc.bigInt({ min: START, max: START + 90n * DAY }),
    promised: fc.integer({ min: 0, max: 12 }),
    goesOn: fc.boolean(),
  });
/** Up to four schedules of one vault, whose reserve is what they promise, as the ledger has it. */
const vaults: fc.Arbitrary<{ vault: VaultFunds; schedules: Draws[] }> = fc
  .tuple(fc.tuple(draws('a'), draws('b'), draws('c'), draws('d')), fc.integer({ min: 1, max: 4 }), fc.bigInt(0n, 900n))
  .map(([all, count, available]) => {
    const schedules = all.slice(0, count);
    return { vault: { reserved: promisesOf(schedules), available }, schedules };
  });

const promisesOf = (schedules: readonly Draws[]): bigint =>
  schedules.reduce((sum, { amount, promised }) => sum + amount * BigInt(promised), 0n);

const coverageOf = (forecast: ReadonlyMap<string, Coverage>, address: string): Coverage => {
  const found = forecast.get(address);
  if (found === undefined) throw new Error(`nothing is foretold of ${address}`);
  return found;
};

/** The same told otherwise: all windows in a row, sorted by time, paid one by one. */
function paidOneByOne({ vault, schedules }: { vault: VaultFunds; schedules: readonly Draws[] }) {
  const windows = schedules.flatMap((schedule) =>
    executions(schedule.calendar, schedule.next, 140).map((at, number) => ({ schedule, at, number })),
  );
  windows.sort((one, other) =>
    one.at === other.at ? (one.schedule.address < other.schedule.address ? -1 : 1) : one.at < other.at ? -1 : 1,
  );
  let { available } = vault;
  const paid = new Map(schedules.map(({ address }) => [address, 0]));
  const short = new Map<string, Coverage['short']>();
  for (const { schedule, at, number } of windows) {
    const { address, amount, promised, goesOn } = schedule;
    if (at > FAR || short.has(address) || (number >= promised && !goesOn)) continue;
    if (number >= promised && available < amount) short.set(address, { amount: amount - available, at });
    else {
      if (number >= promised) available -= amount;
      paid.set(address, (paid.get(address) ?? 0) + 1);
    }
  }
  return { paid, short };
}

describe('the forecast of a vault', () => {
  it('is what paying every window one by one comes to', () => {
    fc.assert(
      fc.property(vaults, (input) => {
        const forecast = forecastFunds(input.vault, input.schedules, FAR);
        const { paid, short } = paidOneByOne(input);
        for (const { address, promised } of input.schedules) {
          const { windows, short: missing } = coverageOf(forecast, address);
          expect(windows).toBe(Math.max(promised, paid.get(address) ?? 0));
          expect(missing).toEqual(short.get(address) ?? null);
        }
      }),
    );
  });

  it('of one schedule is its reserve and what is available, divided by its amount', () => {
    fc.assert(
      fc.property(draws('a'), fc.bigInt(0n, 300n), (schedule, available) => {
        const active = { ...schedule, goesOn: true };
        const vault = { reserved: promisesOf([active]), available };
        const { windows, short } = coverageOf(forecastFunds(vault, [active], START * 4n), 'a');
        expect(windows).toBe(active.promised + Number(available / active.amount));
        expect(short?.amount).toBe(active.amount - (available % active.amount));
        expect(short?.at).toBe(executions(active.calendar, active.next, windows + 1).at(-1));
      }),
    );
  });

  it('says how much is missing to the unit: that much more pays for the window, and one unit less does not', () => {
    fc.assert(
      fc.property(vaults, ({ vault, schedules }) => {
        const before = forecastFunds(vault, schedules, FAR);
        const shorts = [...before].filter(([, { short }]) => short !== null);
        const first = shorts.sort(([, one], [, other]) => Number((one.short?.at ?? 0n) - (other.short?.at ?? 0n)))[0];
        const missing = first?.[1].short;
        if (first === undefined || !missing) return;
        const [address, { windows }] = first;
        const withMore = (amount: bigint) =>
          coverageOf(forecastFunds({ ...vault, available: vault.available + amount }, schedules, FAR), address);
        expect(withMore(missing.amount).windows).toBeGreaterThan(windows);
        expect(withMore(missing.amount - 1n)).toMatchObject({ windows, short: { amount: 1n } });
      }),
    );
  });

  it('leaves what is promised to whom it is promised, and opens nothing that the reserve does not cover', () => {
    const schedule = { address: 'a', amount: 10n, calendar: { unit: 'days', every: 1 } as const, next: START };
    const paused = { ...schedule, address: 'b', promised: 3, goesOn: false };
    const forecast = forecastFunds(
      { reserved: 50n, available: 25n },
      [{ ...schedule, promised: 2, goesOn: true }, paused],
      FAR,
    );
    expect(coverageOf(forecast, 'a')).toEqual({ windows: 4, short: { amount: 5n, at: START + 4n * DAY } });
    expect(coverageOf(forecast, 'b')).toEqual({ windows: 3, short: null });
    // A reserve that is smaller than its promises: the ledger refuses what it doesn't cover, whatever is available.
    const broken = forecastFunds(
      { reserved: 14n, available: 1_000n },
      [{ ...schedule, promised: 2, goesOn: true }],
      FAR,
    );
    expect(coverageOf(broken, 'a')).toEqual({ windows: 1, short: { amount: 6n, at: START + DAY } });
  });

  it('of a schedule without an end ends where its fees are not prepaid, though money is there', () => {
    const endless = {
      ...{ address: 'a', amount: 10n, calendar: { unit: 'days', every: 1 } as const, next: START },
      ...{ promised: 2, goesOn: true, prepaid: 5 },
    };
    const forecast = (available: bigint) =>
      coverageOf(forecastFunds({ reserved: 20n, available }, [endless], FAR), 'a');
    expect(forecast(25n)).toEqual({ windows: 4, short: { amount: 5n, at: START + 4n * DAY } });
    expect(forecast(1_000n)).toEqual({ windows: 5, short: { amount: NO_FEES, at: START + 5n * DAY } });
    expect(
      coverageOf(forecastFunds({ reserved: 0n, available: 9n }, [{ ...endless, promised: 0, prepaid: 0 }], FAR), 'a'),
    ).toEqual({ windows: 0, short: { amount: NO_FEES, at: START } });
  });

  it('comes to an end for a schedule that is due every second, and for one that is promised for centuries', () => {
    const schedule = { address: 'a', amount: 1n, next: START, goesOn: true };
    const often = { ...schedule, calendar: { unit: 'seconds', every: 1 } as const, promised: 4_000_000_000 };
    const money = { reserved: 4_000_000_000n, available: 1n };
    expect(coverageOf(forecastFunds(money, [often], FAR), 'a')).toEqual({ windows: 4_000_000_000, short: null });
    const endless = forecastFunds({ reserved: 0n, available: 10n ** 18n }, [{ ...often, promised: 0 }], FAR);
    expect(coverageOf(endless, 'a')).toEqual({ windows: 20_000, short: null });
  });
});

describe('what is kept of it', () => {
  const store = useStore();

  it('is of no more worth once the terms change that it was made of', async () => {
    const { query } = store;
    const address = await addSchedule(query, {});
    const kept = async () => (await findSchedule(query, address))?.covered_windows;
    await saveCoverage(query, [[address, { windows: 3, short: null }]]);
    const seen = (slot: number, columns: Partial<ObservedSchedule>) =>
      saveObservedSchedules(query, [
        observedSchedule(address, { seen_slot: slot, next_execution: '4000000000', ...columns }),
      ]);
    // A window has opened.
    await seen(2, { executions_left: 4 });
    expect(await kept()).toBe(3);
    await seen(3, { executions_left: 4, amount: '10' });
    expect(await kept()).toBeNull();
    const before = { changed: [], before: 0, limit: 9 };
    expect(await findVaultsToRead(query, before)).toContain(address);
    await saveCoverage(query, [[address, { windows: 2, short: null }]]);
    await seen(4, { executions_left: 9, amount: '10' });
    expect(await kept()).toBeNull();
    await query.deleteFrom('schedules').execute();
  });

  it('shows the least covered schedule and those with few windows left, of active ones alone', async () => {
    const { query } = store;
    expect(await countFunds(query, 2)).toEqual({ least: undefined, low: 0, shortfall: 0 });
    const [one, two, three, paused] = [
      await addSchedule(query, {}),
      await addSchedule(query, {}),
      await addSchedule(query, {}),
      await addSchedule(query, { status: 'paused' }),
    ];
    const short = { amount: 5n, at: START };
    await saveCoverage(query, [
      [two, { windows: 3, short }],
      [one, { windows: 4, short: null }],
      [paused, { windows: 0, short: null }],
    ]);
    expect(await countFunds(query, 2)).toEqual({ least: 3, low: 0, shortfall: 0 });
    await saveCoverage(query, [
      [one, { windows: 1, short }],
      [three, { windows: 0, short: { amount: 2n ** 63n, at: START } }],
    ]);
    expect(await countFunds(query, 2)).toEqual({ least: 0, low: 2, shortfall: Number(2n ** 63n + 5n) });
    await query.deleteFrom('schedules').execute();
  });

  it('calls no schedule short that ends as planned', async () => {
    const { query } = store;
    const next = { amount: 9n, at: START };
    const add = async (left: number, phase: 'idle' | 'open') => {
      const address = await addSchedule(query, { phase });
      await changeSchedule(query, address, { executions_left: left });
      return address;
    };
    const short = await add(2, 'idle');
    await saveCoverage(query, [
      [await add(1, 'idle'), { windows: 1, short: next }],
      [await add(2, 'open'), { windows: 1, short: next }],
      [await add(1, 'open'), { windows: 0, short: next }],
    ]);
    expect(await countFunds(query, 2)).toEqual({ least: 0, low: 0, shortfall: 0 });
    await saveCoverage(query, [[short, { windows: 1, short: { amount: 4n, at: START } }]]);
    expect(await countFunds(query, 2)).toEqual({ least: 0, low: 1, shortfall: 4 });
    await query.deleteFrom('schedules').execute();
  });

  it('calls a schedule without an end short once less is covered than it keeps', async () => {
    const { query } = store;
    const keeping = async (windows: number) => {
      const address = await addSchedule(query, {});
      await changeSchedule(query, address, { executions_left: 9, kept: 5, kept_reserved: Math.min(5, windows) });
      await saveCoverage(query, [[address, { windows, short: { amount: 7n, at: START } }]]);
      return address;
    };
    await keeping(5);
    expect(await countFunds(query, 2)).toEqual({ least: 5, low: 0, shortfall: 0 });
    const short = await findSchedule(query, await keeping(4));
    expect(await countFunds(query, 2)).toEqual({ least: 4, low: 1, shortfall: 7 });
    const usdc = { mint: 'mint', symbol: 'USDC', decimals: 0 };
    expect(short && forecastOf(short, usdc, START)).toMatchObject({
      windows: 4,
      short: { amount: 7n, isPromised: true },
      reserved: 36n,
      sentence: 'covers 4 more windows; short of 7 USDC now',
    });
    await query.deleteFrom('schedules').execute();
  });

  it('counts what awaits approval as promised, and never as due', async () => {
    const { query } = store;
    const [awaiting, cancelled] = [
      await addSchedule(query, { status: 'awaiting', due: 1n }),
      await addSchedule(query, { status: 'cancelled', due: 1n }),
    ];
    const drawing = await listDrawing(query, [awaiting, cancelled], 10);
    expect(drawing.map(({ address }) => address)).toEqual([awaiting]);
    expect(await findDueSchedules(query, START, 100)).not.toContain(awaiting);
    await saveClosedSchedules(query, [awaiting], { slot: 2n, time: 2 });
    expect(await findSchedule(query, awaiting)).toMatchObject({ status: 'cancelled' });
  });

  it('is the latest reading of a vault, whichever comes last', async () => {
    const { query } = store;
    const vault = { address: 'vault', mint: 'mint', decimals: 6, symbol: 'USDC', reserved: '1', available: '2' };
    await saveObservedVaults(query, [{ ...vault, seen_slot: 7n, seen_at: 70 }]);
    await saveObservedVaults(query, [{ ...vault, reserved: '9', seen_slot: 6n, seen_at: 80 }]);
    expect(await findVault(query, 'vault')).toMatchObject({ reserved: '1', seen_slot: '7' });
    const toRead = (before: number, changed: string[] = []) => findVaultsToRead(query, { changed, before, limit: 10 });
    expect(await toRead(70)).toEqual([]);
    expect(await toRead(71)).toEqual(['vault']);
    // Anybody may open vaults: those that no registered schedule draws on are not read.
    expect(await toRead(70, ['another', 'vault'])).toEqual(['vault']);
  });
});

describe('the forecast in words', () => {
  const usdc = { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 };
  const december = 1_796_202_000n;

  it('names windows, amount, token and day', () => {
    const short = { amount: 120_500_000n, at: december };
    expect(coverageText({ windows: 3, short }, usdc, START, 4)).toBe(
      'covers 3 more windows; short of 120.50 USDC on 2 December',
    );
    expect(coverageText({ windows: 1, short }, { ...usdc, symbol: null }, START - 366n * DAY, 2)).toBe(
      'covers 1 more window; short of 120.50 EPjF…Dt1v on 2 December 2026',
    );
    expect(coverageText({ windows: 0, short }, usdc, december, 1)).toBe(
      'covers no more windows; short of 120.50 USDC now',
    );
    expect(coverageText({ windows: 24, short: null }, usdc, START, 24)).toBe('covers 24 more windows');
    expect(coverageText({ windows: 2, short: { amount: NO_FEES, at: december } }, usdc, START, 3)).toBe(
      'covers 2 more windows; the fees of the next one, due on 2 December, are not prepaid',
    );
  });

  it('tells what is promised from what could still be', () => {
    const short = { amount: 5_210_000_000n, at: december };
    const text = (windows: number, promised: number) => coverageText({ windows, short }, usdc, START, promised);
    const more = 'one more on 2 December takes another 5,210.00 USDC';
    expect(text(2, 2)).toBe(`covers 2 more windows, all that are promised; ${more}`);
    expect(text(7, 2)).toBe(`covers 7 more windows, 2 of them promised; ${more}`);
    expect(text(5, 0)).toBe(`covers 5 more windows, none of them promised; ${more}`);
  });

  it('writes every amount so that it can be read back', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.integer({ min: 0, max: 12 }), (amount, decimals) => {
        const [number = ''] = amountText(amount, { ...usdc, decimals }).split(' ');
        const [whole = '', part = ''] = number.replaceAll(',', '').split('.');
        expect(BigInt(whole + part.padEnd(decimals, '0'))).toBe(amount);
        expect(part.length).toBeLessThanOrEqual(decimals);
      }),
    );
    expect(solText(1_200_000_000n)).toBe('1.2 SOL');
    expect(solText(0n)).toBe('0 SOL');
    expect(solText(10_000_000_000n)).toBe('10 SOL');
  });

  it('counts the openings that an authority can pay', () => {
    expect(openingsCovered(1_200_000_000n, 30_000_000n, 30_000_000n)).toBe(40);
    fc.assert(
      fc.property(fc.bigInt(0n, 3_000n), fc.bigInt(1n, 100n), fc.bigInt(1n, 100n), (lamports, one, other) => {
        const [spent, needed] = one < other ? [one, other] : [other, one];
        let openings = 0;
        for (let left = lamports; left >= needed; left -= spent) openings += 1;
        expect(openingsCovered(lamports, needed, spent)).toBe(openings);
      }),
    );
  });
});
