import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import {
  type Calendar,
  CalendarUnit,
  type CalendarUnitName,
  calendarFromLedger,
  calendarToLedger,
  checkCalendar,
  describeCalendar,
  executions,
  firstAfter,
  firstOnOrAfter,
  minIntervalSeconds,
  NO_DATE,
  nextExecution,
} from '../src/index.ts';
import { codeOf } from './support.ts';

const at = (text: string): bigint => BigInt(Date.parse(text) / 1000);
const texts = (times: bigint[]) => times.map((time) => new Date(Number(time) * 1000).toISOString().slice(0, 16));
const rule = (unit: CalendarUnitName, every = 1, day = 0): Calendar => ({ unit, every, day });

describe('executions', () => {
  it.each<[string, Calendar, string[]]>([
    ['seconds', rule('seconds', 90), ['2026-03-01T00:00', '2026-03-01T00:01', '2026-03-01T00:03']],
    ['days over a leap day', rule('days', 2), ['2028-02-27T09:30', '2028-02-29T09:30', '2028-03-02T09:30']],
    ['weeks over a year', rule('weeks', 2), ['2026-12-25T14:00', '2027-01-08T14:00', '2027-01-22T14:00']],
    [
      'the 31st, or the last day of shorter months',
      rule('months-on-day', 1, 31),
      ['2027-12-31T23:59', '2028-01-31T23:59', '2028-02-29T23:59', '2028-03-31T23:59', '2028-04-30T23:59'],
    ],
    [
      'a 29th that began in a shorter month',
      rule('months-on-day', 12, 29),
      ['2027-02-28T00:00', '2028-02-29T00:00', '2029-02-28T00:00'],
    ],
    [
      'the last day, without a leap day in 2100',
      rule('months-last-day', 2),
      ['2099-12-31T12:00', '2100-02-28T12:00', '2100-04-30T12:00'],
    ],
    [
      // 28 February 2026 is a Saturday, 31 May 2026 a Sunday.
      'the last business day',
      rule('months-last-business-day'),
      ['2026-01-30T14:00', '2026-02-27T14:00', '2026-03-31T14:00', '2026-04-30T14:00', '2026-05-29T14:00'],
    ],
  ])('follow %s', (_, calendar, expected) => {
    expect(texts(executions(calendar, at(`${expected[0]}Z`), expected.length))).toEqual(expected);
  });

  it('begin on a day of the rule', () => {
    const code = (calendar: Calendar, first: string) => codeOf(() => executions(calendar, at(first), 1));
    expect(code(rule('months-on-day', 1, 15), '2026-03-14T00:00Z')).toBe('INVALID_CALENDAR');
    expect(code(rule('months-on-day', 1, 31), '2026-04-29T00:00Z')).toBe('INVALID_CALENDAR');
    expect(code(rule('months-on-day', 1, 31), '2026-04-30T00:00Z')).toBe('nothing thrown');
    expect(code(rule('months-last-day'), '2026-04-29T23:59Z')).toBe('INVALID_CALENDAR');
    expect(code(rule('months-last-business-day'), '2026-05-31T00:00Z')).toBe('INVALID_CALENDAR');
    expect(code(rule('days'), '1970-01-01T00:00Z')).toBe('INVALID_CALENDAR');
    expect(code(rule('days'), '2400-12-31T23:59Z')).toBe('nothing thrown');
    expect(code(rule('days'), '2401-01-01T00:00Z')).toBe('INVALID_CALENDAR');
  });
});

describe('a rule', () => {
  it.each<[string, Calendar]>([
    ['another unit', rule('years' as CalendarUnitName)],
    ['a unit that every object has', rule('toString' as CalendarUnitName)],
    ['no step', rule('days', 0)],
    ['half a step', rule('days', 1.5)],
    ['a day that no month has', rule('months-on-day', 1, 32)],
    ['no day', rule('months-on-day', 1, 0)],
    ['a day that its unit has not', rule('months-last-day', 1, 31)],
    ['more seconds than a hundred years', rule('seconds', 36_525 * 86_400 + 1)],
    ['more days than a hundred years', rule('days', 36_526)],
    ['more weeks than a hundred years', rule('weeks', 5_218)],
    ['more months than a hundred years', rule('months-last-day', 1_201)],
  ])('has not %s', (_, calendar) => {
    expect(codeOf(() => checkCalendar(calendar, at('2026-01-31T00:00Z')))).toBe('INVALID_CALENDAR');
    expect(codeOf(() => nextExecution(calendar, at('2026-01-31T00:00Z')))).toBe('INVALID_CALENDAR');
  });

  it('may have steps of a hundred years', () => {
    expect(texts(executions(rule('days', 36_525), at('2000-01-01T00:00Z'), 2))[1]).toBe('2100-01-01T00:00');
    expect(texts(executions(rule('months-last-day', 1_200), at('2000-02-29T00:00Z'), 2))[1]).toBe('2100-02-28T00:00');
  });

  it('goes to the ledger and back', () => {
    for (let unit = CalendarUnit.Seconds; unit <= CalendarUnit.MonthsLastBusinessDay; unit++) {
      const terms = { unit, every: 3, day: unit === CalendarUnit.MonthsOnDay ? 7 : 0 };
      expect(calendarToLedger(calendarFromLedger(terms))).toEqual({ ...terms, dates: [] });
    }
    expect(calendarFromLedger({ unit: CalendarUnit.Days, every: 1, day: 0 })).toEqual({ unit: 'days', every: 1 });
    expect(calendarToLedger({ unit: 'weeks', every: 2 })).toEqual({
      unit: CalendarUnit.Weeks,
      every: 2,
      day: 0,
      dates: [],
    });
    expect(codeOf(() => calendarFromLedger({ unit: Number(7), every: 1, day: 0 }))).toBe('INVALID_CALENDAR');
  });

  it('has a least length', () => {
    expect(minIntervalSeconds(rule('seconds', 90))).toBe(90n);
    expect(minIntervalSeconds(rule('days', 3))).toBe(259_200n);
    expect(minIntervalSeconds(rule('weeks', 2))).toBe(1_209_600n);
    expect(minIntervalSeconds(rule('months-last-day', 2))).toBe(4_838_400n);
  });

  it('is described in words', () => {
    const words = (calendar: Calendar, first: string) => describeCalendar(calendar, at(first));
    expect(words(rule('seconds'), '2026-01-30T14:00Z')).toBe('every second');
    expect(words(rule('seconds', 90), '2026-01-30T14:00Z')).toBe('every 90 seconds');
    expect(words(rule('seconds', 300), '2026-01-30T14:00Z')).toBe('every 5 minutes');
    expect(words(rule('seconds', 3_600), '2026-01-30T14:00Z')).toBe('every hour');
    expect(words(rule('days'), '2026-01-30T00:00:05Z')).toBe('every day at 00:00:05 UTC');
    expect(words(rule('weeks', 2), '2026-01-30T14:00Z')).toBe('every 2 weeks on Friday at 14:00 UTC');
    expect(words(rule('months-on-day', 1, 2), '2026-01-02T14:00Z')).toBe('every month on the 2nd at 14:00 UTC');
    expect(words(rule('months-on-day', 1, 12), '2026-01-12T14:00Z')).toBe('every month on the 12th at 14:00 UTC');
    expect(words(rule('months-on-day', 3, 31), '2026-01-31T14:00Z')).toBe(
      'every 3 months on the 31st, or else the last day, at 14:00 UTC',
    );
    expect(words(rule('months-last-day'), '2026-01-31T14:00Z')).toBe('every month on the last day at 14:00 UTC');
    expect(words(rule('months-last-business-day', 2), '2026-01-30T14:00Z')).toBe(
      'every 2 months on the last business day at 14:00 UTC',
    );
  });
});

describe('what was missed', () => {
  const calendar = rule('months-last-day');
  const planned = at('2026-01-31T14:00Z');

  it('is skipped to the first time after now', () => {
    const next = (now: string) => texts([firstAfter(calendar, planned, at(now))])[0];
    expect(next('2025-01-01T00:00Z')).toBe('2026-02-28T14:00');
    expect(next('2026-01-31T14:00Z')).toBe('2026-02-28T14:00');
    expect(next('2026-02-28T13:59:59Z')).toBe('2026-02-28T14:00');
    expect(next('2026-02-28T14:00Z')).toBe('2026-03-31T14:00');
    expect(next('2031-06-15T00:00Z')).toBe('2031-06-30T14:00');
    // At least one step, also from a time that is not on the rule's day.
    expect(texts([firstAfter(calendar, at('2026-03-10T00:00Z'), at('2026-03-15T00:00Z'))])).toEqual([
      '2026-04-30T00:00',
    ]);
  });

  it('is counted from the planned execution or a later one', () => {
    const from = (now: string) => texts([firstOnOrAfter(calendar, planned, at(now))])[0];
    expect(from('2025-01-01T00:00Z')).toBe('2026-01-31T14:00');
    expect(from('2026-01-31T14:00Z')).toBe('2026-01-31T14:00');
    expect(from('2026-01-31T14:00:01Z')).toBe('2026-02-28T14:00');
    expect(from('2026-02-28T14:00Z')).toBe('2026-02-28T14:00');
  });

  it('has no answer before 1970 and beyond what a Date can hold', () => {
    expect(codeOf(() => nextExecution(calendar, -1n))).toBe('INVALID_CALENDAR');
    expect(codeOf(() => nextExecution(calendar, 8_640_000_000_001n))).toBe('INVALID_CALENDAR');
    expect(codeOf(() => nextExecution(calendar, 8_640_000_000_000n))).toBe('INVALID_CALENDAR');
    expect(codeOf(() => nextExecution(rule('seconds'), 8_640_000_000_000n))).toBe('INVALID_CALENDAR');
    expect(nextExecution(rule('seconds'), 8_639_999_999_999n)).toBe(8_640_000_000_000n);
  });
});

describe('dates', () => {
  const dates = ['2026-12-31T09:00Z', '2027-01-15T09:00Z', '2027-01-29T09:00Z'].map(at);
  const calendar: Calendar = { unit: 'dates', every: 0, dates };
  const [first, second, third] = dates as [bigint, bigint, bigint];

  it('follow one another, and end', () => {
    expect(executions(calendar, first, 5)).toEqual(dates);
    expect(nextExecution(calendar, first + 1n)).toBe(second);
    expect(firstAfter(calendar, first, second)).toBe(third);
    expect(firstOnOrAfter(calendar, first, second)).toBe(second);
    expect(nextExecution(calendar, third)).toBe(NO_DATE);
    expect(firstOnOrAfter(calendar, NO_DATE, second + 1n)).toBe(third);
    expect(minIntervalSeconds(calendar)).toBe(14n * 86_400n);
    expect(describeCalendar(calendar, second)).toBe('on 3 named dates');
  });

  it('go to the ledger and back, without those that wait for the approver', () => {
    const terms = calendarToLedger(calendar);
    expect(terms).toEqual({
      unit: CalendarUnit.Dates,
      every: 0,
      day: 0,
      dates: dates.map((date) => Number(date) / 60),
    });
    const kept = { ...terms, dateCount: 3, proposedDatesBefore: 0 };
    expect(calendarFromLedger(kept)).toEqual(calendar);
    expect(calendarFromLedger({ ...kept, proposedDatesBefore: 2 })).toEqual({ ...calendar, dates: [first] });
  });

  it.each<[string, Calendar, bigint]>([
    ['a first execution that is none of them', calendar, second],
    ['none', { ...calendar, dates: [] }, first],
    ['the same twice', { ...calendar, dates: [first, first] }, first],
    ['half a minute', { ...calendar, dates: [first + 30n] }, first + 30n],
    ['an interval', { ...calendar, every: 1 }, first],
    ['a day of the month', { ...calendar, day: 1 }, first],
    ['one that is too late', { ...calendar, dates: [first, NO_DATE] }, first],
    [
      'more than 52',
      { ...calendar, dates: Array.from({ length: 53 }, (_, day) => first + BigInt(day) * 86_400n) },
      first,
    ],
    ['a rule', { unit: 'days', every: 1, dates }, first],
  ])('have not %s', (_, bad, from) => {
    expect(codeOf(() => checkCalendar(bad, from))).toBe('INVALID_CALENDAR');
  });
});

/** What luxon says about the rule's `step`th execution. */
function byLuxon({ unit, every, day = 0 }: Calendar, first: DateTime, step: number): DateTime {
  const count = every * step;
  if (unit === 'seconds' || unit === 'days' || unit === 'weeks') return first.plus({ [unit]: count });
  const month = first.startOf('month').plus({ months: count });
  let date = month.endOf('month');
  if (unit === 'months-on-day') date = month.set({ day: Math.min(day, month.daysInMonth as number) });
  while (unit === 'months-last-business-day' && date.isWeekend) date = date.minus({ days: 1 });
  const { hour, minute, second } = first;
  return date.set({ hour, minute, second, millisecond: 0 });
}

/** A rule and its first execution from 1970 to 2369; steps of up to about three years. */
const rules = fc
  .record({
    unit: fc.constantFrom<CalendarUnitName>(
      'seconds',
      'days',
      'weeks',
      'months-on-day',
      'months-last-day',
      'months-last-business-day',
    ),
    every: fc.integer({ min: 1, max: 36 }),
    longer: fc.integer({ min: 1, max: 30 }),
    day: fc.integer({ min: 1, max: 31 }),
    second: fc.integer({ min: 1, max: Date.UTC(2370, 0, 1) / 1000 - 1 }),
  })
  .map(({ unit, every, longer, day, second }) => {
    const lengthened = unit === 'seconds' ? every * longer ** 4 : unit === 'days' ? every * longer : every;
    const calendar: Calendar = { unit, every: lengthened, day: unit === 'months-on-day' ? day : 0 };
    const any = DateTime.fromSeconds(second, { zone: 'utc' });
    return { calendar, first: byLuxon(calendar, any, 0) };
  });
const seconds = (time: DateTime) => BigInt(time.toUnixInteger());

describe('400 years of random rules', () => {
  it('have the executions that luxon counts', () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 1, max: 6 }), ({ calendar, first }, count) => {
        const expected = Array.from({ length: count }, (_, step) => seconds(byLuxon(calendar, first, step)));
        expect(executions(calendar, seconds(first), count)).toEqual(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  it('skip to the execution that luxon counts', () => {
    const part = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(rules, fc.nat(1_000), part, ({ calendar, first }, step, passed) => {
        const [before, next, later] = [0, 1, 2].map((more) => seconds(byLuxon(calendar, first, step + more))) as [
          bigint,
          bigint,
          bigint,
        ];
        const now = before + BigInt(Math.floor(Number(next - before) * passed));
        const planned = seconds(first);
        expect(firstAfter(calendar, planned, now)).toBe(now === next ? later : next);
        expect(firstOnOrAfter(calendar, planned, now)).toBe(now === before ? before : next);
        expect(firstAfter(calendar, planned, planned - now)).toBe(nextExecution(calendar, planned));
      }),
      { numRuns: 5_000 },
    );
  });
});
