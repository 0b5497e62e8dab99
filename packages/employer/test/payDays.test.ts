import { datesToLedger, NO_DATE } from '@payouts/client';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { furtherDates, holidayCountries, payDaysOf, payDayText } from '../src/payDays.ts';

/** 2026-11-27T10:00Z, a Friday. */
const NOW = Date.UTC(2026, 10, 27, 10) / 1_000;
type Options = Parameters<typeof payDaysOf>[0];
const asked = (options: Partial<Options>): Options => ({ every: '1mo', ...options });

/** Pay days as they are in their zone. */
async function days(
  options: Partial<Options>,
  count: number,
  at: Partial<Parameters<typeof payDaysOf>[2]> = {},
): Promise<string[]> {
  const { calendar } = await payDaysOf(asked(options), count, { now: NOW, ...at });
  return (calendar.dates ?? []).map((date) =>
    local(date, options.zone).toString({ timeZoneName: 'never' }).slice(0, 22),
  );
}

const local = (date: bigint, zone = 'UTC') =>
  Temporal.Instant.fromEpochMilliseconds(Number(date) * 1_000).toZonedDateTimeISO(zone);

describe('pay days', () => {
  it('are a rule of the ledger unless dates are asked for', async () => {
    expect((await payDaysOf(asked({ on: '15' }), 3, { now: NOW })).calendar).toEqual({
      unit: 'months-on-day',
      every: 1,
      day: 15,
    });
  });

  it.each<[string, Partial<Options>, string[]]>([
    ['twice a month', { on: '1,15', at: '08:30' }, ['2026-12-01T08:30', '2026-12-15T08:30', '2027-01-01T08:30']],
    [
      'the 31st, or the last day of shorter months',
      { on: '31', zone: 'UTC' },
      ['2026-11-30T09:00', '2026-12-31T09:00', '2027-01-31T09:00'],
    ],
    [
      'the 30th and the last day, which is one in November',
      { on: 'last,30', zone: 'UTC' },
      ['2026-11-30T09:00', '2026-12-30T09:00', '2026-12-31T09:00'],
    ],
    [
      'every second week',
      { every: '2w', zone: 'UTC', first: '2026-12-04' },
      ['2026-12-04T09:00', '2026-12-18T09:00', '2027-01-01T09:00'],
    ],
    [
      'every year on a leap day, or the last of February',
      { every: '1y', first: '2028-02-29', zone: 'UTC' },
      ['2028-02-29T09:00', '2029-02-28T09:00', '2030-02-28T09:00'],
    ],
    // 25 December 2026 is a Friday, and New Year's Day as well.
    [
      'the business day before a holiday',
      { every: '1w', first: '2026-12-25', holidays: 'DE' },
      ['2026-12-24T09:00', '2026-12-31T09:00', '2027-01-08T09:00'],
    ],
    [
      'the one after',
      { every: '1w', first: '2026-12-25', holidays: 'DE', ifClosed: 'after' },
      ['2026-12-28T09:00', '2027-01-04T09:00', '2027-01-08T09:00'],
    ],
    // 31 May 2027 is Memorial Day, a Monday.
    [
      'the last business day by a holiday calendar',
      { on: 'last-business-day', first: '2027-05-01', holidays: 'US' },
      ['2027-05-28T09:00', '2027-06-30T09:00', '2027-07-30T09:00'],
    ],
    // 6 January is a holiday in Bavaria, not in Berlin.
    [
      'a state of a country',
      { on: '6', first: '2027-01-01', holidays: 'DE-BY' },
      ['2027-01-05T09:00', '2027-02-05T09:00', '2027-03-05T09:00'],
    ],
    [
      'another state',
      { on: '6', first: '2027-01-01', holidays: 'de-be' },
      ['2027-01-06T09:00', '2027-02-05T09:00', '2027-03-05T09:00'],
    ],
    [
      'weekends kept',
      { on: '6', first: '2027-02-01', holidays: 'DE', ifClosed: 'keep' },
      ['2027-02-06T09:00', '2027-03-06T09:00', '2027-04-06T09:00'],
    ],
  ])('are %s', async (_, options, expected) => {
    expect((await days(options, 3)).map((day) => day.slice(0, 16))).toEqual(expected);
  });

  it('keep the time of day over the changes of a zone', async () => {
    const zone = 'America/New_York';
    expect(await days({ on: '10', first: '2027-02-01', zone, at: '16:15' }, 3)).toEqual([
      '2027-02-10T16:15:00-05:00'.slice(0, 22),
      '2027-03-10T16:15:00-05:00'.slice(0, 22),
      '2027-04-10T16:15:00-04:00'.slice(0, 22),
    ]);
    expect(payDayText(BigInt(NOW), zone)).toBe('Fri 27 Nov 2026 05:00');
  });

  it('go on after the last one that is known, counted from the same first day', async () => {
    const options: Partial<Options> = { every: '2mo', on: 'last', first: '2026-11-01', zone: 'UTC' };
    const first = await days(options, 3);
    const { calendar } = await payDaysOf(asked(options), 3, { now: NOW });
    const after = calendar.dates?.at(-1) ?? 0n;
    expect([...first, ...(await days(options, 3, { after }))]).toEqual(await days(options, 6));
  });

  it.each<[string, Partial<Options>]>([
    ['a zone that there isn’t', { zone: 'Europe/Atlantis' }],
    ['a place without holidays', { holidays: 'XX' }],
    ['a state of another country', { holidays: 'DE-CA' }],
    ['a name that every object has', { holidays: 'constructor' }],
    ['a time that no clock shows', { at: '24:00' }],
    ['a day that no month has', { on: '1,32' }],
    ['seconds', { every: '30s', zone: 'UTC' }],
    ['days of the month for weeks', { every: '2w', on: '1,15' }],
    ['a way to move that there isn’t', { ifClosed: 'never' }],
    ['a first time instead of a day', { first: '2026-12-31T14:00', zone: 'UTC' }],
  ])('refuse %s', async (_, options) => {
    await expect(payDaysOf(asked(options), 3, { now: NOW })).rejects.toMatchObject({ code: 'terms-invalid' });
  });

  it('follow those that a schedule has, and lie ahead of now', async () => {
    const options = { every: '2w', zone: 'Europe/Berlin', ifClosed: 'before', first: '2026-12-04' };
    const { calendar } = await payDaysOf(options, 5, { now: NOW });
    const all = calendar.dates ?? [];
    const schedule = (count: number) => ({ dates: datesToLedger(all.slice(0, count)), dateCount: count });
    expect(await furtherDates(schedule(2), options, 3, NOW)).toEqual(all.slice(2));
    const { every, first, zone } = options;
    expect(await furtherDates(schedule(1), { every, first, zone }, 1, Number(all[2]))).toEqual([all[2]]);
  });

  it('know the holidays of every place that they offer', async () => {
    const countries = await holidayCountries();
    expect(countries.find(({ code }) => code === 'DE')?.states).toContainEqual({ code: 'BY', name: 'Bayern' });
    const places = countries.flatMap(({ code, states }) => [code, ...states.map((state) => `${code}-${state.code}`)]);
    const unknown: string[] = [];
    for (const holidays of places) {
      await payDaysOf(asked({ holidays, ifClosed: 'keep' }), 1, { now: NOW }).catch(() => unknown.push(holidays));
    }
    expect(unknown).toEqual([]);
  });

  it('are no more than a schedule can have ahead', async () => {
    await expect(payDaysOf(asked({ zone: 'UTC' }), 53, { now: NOW })).rejects.toThrow('52');
  });
});

const ZONES = [
  ...[
    'UTC',
    'Europe/Berlin',
    'Europe/London',
    'Europe/Lisbon',
    'Europe/Moscow',
    'Europe/Istanbul',
    'Africa/Cairo',
    'Africa/Casablanca',
  ],
  ...[
    'Africa/Lagos',
    'Africa/Johannesburg',
    'America/New_York',
    'America/Chicago',
    'America/Denver',
    'America/Los_Angeles',
    'America/St_Johns',
  ],
  ...[
    'America/Sao_Paulo',
    'America/Santiago',
    'America/Havana',
    'America/Caracas',
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Asia/Tehran',
    'Asia/Gaza',
  ],
  ...[
    'Asia/Tokyo',
    'Asia/Shanghai',
    'Australia/Lord_Howe',
    'Australia/Sydney',
    'Pacific/Apia',
    'Pacific/Chatham',
    'Pacific/Kiritimati',
  ],
];

/** The same days by Temporal, whose clock and calendar are another library's, with this machine's zones. */
function byTemporal(
  first: Temporal.PlainDate,
  zone: string,
  at: string,
  on: readonly number[],
  every: number,
): bigint[] {
  const dates: bigint[] = [];
  for (let passed = 0; dates.length < 12; passed += every) {
    const month = first.with({ day: 1 }).add({ months: passed });
    for (const day of [...new Set(on.map((each) => Math.min(each, month.daysInMonth)))].toSorted((a, b) => a - b)) {
      const date = month.with({ day });
      if (Temporal.PlainDate.compare(date, first) < 0) continue;
      const zoned = date.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(at) });
      dates.push(BigInt(Math.floor(zoned.epochMilliseconds / 1_000)));
    }
  }
  return dates.slice(0, 12);
}

describe('30 zones, 1970 to 2100, and 400 years', () => {
  const two = (number: number) => String(number).padStart(2, '0');
  const rules = (years: { readonly min: number; readonly max: number }) =>
    fc.record({
      zone: fc.constantFrom(...ZONES),
      year: fc.integer(years),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.integer({ min: 1, max: 28 }),
      hour: fc.nat(23),
      minute: fc.nat(59),
      on: fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 1, maxLength: 3 }),
      every: fc.integer({ min: 1, max: 13 }),
    });

  it.each([
    ['zones as they were and are', { min: 1971, max: 2100 }],
    ['400 years', { min: 1971, max: 2370 }],
  ])('have the days that another library counts: %s', async (_, years) => {
    await fc.assert(
      fc.asyncProperty(rules(years), async ({ zone, year, month, day, hour, minute, on, every }) => {
        const [first, at] = [`${year}-${two(month)}-${two(day)}`, `${two(hour)}:${two(minute)}`];
        const { calendar } = await payDaysOf(asked({ zone, first, at, on: on.join(), every: `${every}mo` }), 12, {
          now: NOW,
        });
        expect(calendar.dates).toEqual(byTemporal(Temporal.PlainDate.from(first), zone, at, on, every));
        expect((calendar.dates ?? []).every((date) => date < NO_DATE)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
