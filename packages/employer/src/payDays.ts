import { allDates, MOST_DATES, type Schedule, timeOfDate } from '@payouts/client';
import { DateTime, IANAZone } from 'luxon';
import { invalidTerms, type Terms, type TermsText, termsOf } from './terms.ts';

/** Which days are paid on, as people write it: with any of these, pay days are dates that the employer signs. */
export type PayDaysText = TermsText & {
  /** Time zone of the pay days, such as Europe/Berlin; UTC unless it is said. */
  readonly zone?: string;
  /** Time of day in that zone, such as 09:00, which it is unless it is said. */
  readonly at?: string;
  /** Country, and state if wanted, whose public holidays are no pay days: DE, DE-BY, US-CA. */
  readonly holidays?: string;
  /** What becomes of a pay day on a weekend or holiday: before, after or keep. */
  readonly ifClosed?: string;
};

/** Days of the week that are no business days: Saturday and Sunday. */
const WEEKEND: readonly number[] = [6, 7];
/** Days by which a pay day moves at the most: no holidays are longer. */
const MOST_CLOSED = 31;
/** The last day of a month, whatever its number. */
const LAST = 32;

type Rule = {
  readonly count: number;
  readonly unit: 'days' | 'weeks' | 'months';
  /** Days of the month, ascending. */
  readonly on: readonly number[];
  readonly step: -1 | 0 | 1;
  readonly isHoliday: (day: DateTime) => boolean;
};

/** Whether what is asked for is no rule that the ledger reckons with, but dates. */
const asksForDates = ({ zone, at, holidays, ifClosed, on }: PayDaysText): boolean =>
  [zone, at, holidays, ifClosed].some((option) => option !== undefined) || (on ?? '').includes(',');

/**
 * When a schedule of so many windows is paid, by what is asked for: a rule, or dates; those after `after` (unix seconds) where it goes on.
 * `now` in unix seconds. Throws `Failure` terms-invalid.
 */
export async function payDaysOf(
  asked: PayDaysText,
  windows: number,
  { now, after }: { readonly now: number; readonly after?: bigint },
): Promise<Terms> {
  if (!asksForDates(asked)) return termsOf(asked, now);
  if (windows > MOST_DATES) {
    throw invalidTerms(
      `A schedule has ${MOST_DATES} dates ahead at most: promise ${MOST_DATES} windows, and add more later.`,
    );
  }
  // A day that is named has begun, and the ledger takes one that was within a day.
  const from = after ?? (isNamed(asked) ? 0n : BigInt(now) - 1n);
  const dates = await datesOf(asked, windows, { now, after: from });
  return { calendar: { unit: 'dates', every: 0, dates }, firstExecution: dates[0] as bigint };
}

/**
 * The next dates, unix seconds, of a schedule that is paid on dates: after the last one that it has, by what was asked for as it was created;
 * its `first` is the day from which on those were counted. `now` in unix seconds. Throws `Failure` terms-invalid.
 */
export async function furtherDates(
  schedule: Pick<Schedule, 'dates' | 'dateCount'>,
  asked: PayDaysText & { readonly first: string },
  windows: number,
  now: number,
): Promise<readonly bigint[]> {
  const known = allDates(schedule).at(-1);
  const last = known === undefined ? 0n : timeOfDate(known);
  const soonest = BigInt(now) - 1n;
  const after = last > soonest ? last : soonest;
  const { calendar } = await payDaysOf({ zone: 'UTC', ...asked }, windows, { now, after });
  return calendar.dates ?? [];
}

async function datesOf(
  options: PayDaysText,
  count: number,
  { now, after }: { readonly now: number; readonly after: bigint },
): Promise<bigint[]> {
  const zone = options.zone ?? 'UTC';
  if (!IANAZone.isValidZone(zone))
    throw invalidTerms(`There is no time zone ${zone}. Names are such as Europe/Berlin.`);
  const start = startOf(options, zone, now);
  const rule = await ruleOf(options, start);
  const dates: bigint[] = [];
  let last = after;
  for (const day of nominalDays(rule, start)) {
    const moved = moveOf(rule, day);
    const time = BigInt(moved.toUnixInteger());
    // Two days that move to one are paid once; what moves before now is over.
    if (time <= last) continue;
    dates.push(time);
    last = time;
    if (dates.length === count) return dates;
  }
  return dates;
}

const INTERVAL = /^([1-9]\d{0,2})(d|w|mo|y)$/;
const UNITS = { d: 'days', w: 'weeks', mo: 'months', y: 'months' } as const;
const STEPS: Readonly<Record<string, -1 | 0 | 1>> = { before: -1, keep: 0, after: 1 };

async function ruleOf(options: PayDaysText, start: DateTime): Promise<Rule> {
  const [, number = '', unit = ''] = INTERVAL.exec(options.every.trim()) ?? [];
  if (unit === '') throw invalidTerms('Dates are counted in days, weeks, months or years, such as 2w, 1mo or 1y.');
  const isMonthly = unit === 'mo' || unit === 'y';
  if (!isMonthly && options.on !== undefined) throw invalidTerms('Days of the month go with months or years.');
  const isBusinessDay = options.on === 'last-business-day';
  const step = STEPS[options.ifClosed ?? (options.holidays !== undefined || isBusinessDay ? 'before' : 'keep')];
  if (step === undefined)
    throw invalidTerms('A pay day on a weekend or holiday is paid before or after it, or kept: before, after or keep.');
  return {
    count: Number(number) * (unit === 'y' ? 12 : 1),
    unit: UNITS[unit as keyof typeof UNITS],
    on: isMonthly ? daysOf(options.on, start) : [],
    step,
    isHoliday: options.holidays === undefined ? () => false : await holidaysOf(options.holidays),
  };
}

/** Days of the month, as `--on` names them. */
function daysOf(on: string | undefined, start: DateTime): number[] {
  if (on === undefined) return [start.day];
  const days = on.split(',').map((part) => {
    const day = part.trim();
    if (day === 'last' || day === 'last-business-day') return LAST;
    if (/^([1-9]|[12]\d|3[01])$/.test(day)) return Number(day);
    throw invalidTerms('The days of the month are none such as 15, last or 1,15.');
  });
  return days.toSorted((one, other) => one - other);
}

/** Loaded by whoever asks for it: it knows the whole world. */
const theHolidays = async () => (await import('date-holidays')).default;

/** A country whose public holidays are known, or one of its states, by its letters and its name in English. */
export type HolidayPlace = { readonly code: string; readonly name: string };
export type HolidayCountry = HolidayPlace & { readonly states: readonly HolidayPlace[] };

/** Countries whose public holidays are known, by their names. */
export async function holidayCountries(): Promise<HolidayCountry[]> {
  const Holidays = await theHolidays();
  const known = new Holidays();
  return placesOf(known.getCountries('en')).map((country) => ({
    ...country,
    states: placesOf(known.getStates(country.code, 'en') ?? {}),
  }));
}

const placesOf = (names: Readonly<Record<string, string>>): HolidayPlace[] =>
  Object.entries(names)
    .map(([code, name]) => ({ code, name }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));

/** Which days are public holidays of a place. */
async function holidaysOf(place: string): Promise<(day: DateTime) => boolean> {
  const Holidays = await theHolidays();
  const [country = '', named] = place.toUpperCase().split('-');
  const known = new Holidays();
  const state = Object.keys(known.getStates(country) ?? {}).find((code) => code.toUpperCase() === named);
  if (!Object.hasOwn(known.getCountries(), country) || (named !== undefined && state === undefined)) {
    throw invalidTerms(
      `There are no holidays of ${place}. Name a country and, if wanted, one of its states: DE, DE-BY.`,
    );
  }
  const calendar = state === undefined ? new Holidays(country) : new Holidays(country, state);
  const years = new Map<number, ReadonlySet<string>>();
  return (day) => {
    const { year } = day;
    const found = years.get(year) ?? publicDays(calendar, year);
    years.set(year, found);
    return found.has(day.toISODate() as string);
  };
}

type HolidaysOfPlace = import('date-holidays').default;

/** Dates such as 2026-12-25: of a holiday of several days, each. */
function publicDays(calendar: HolidaysOfPlace, year: number): ReadonlySet<string> {
  const days = new Set<string>();
  for (const { type, date, start, end } of calendar.getHolidays(year)) {
    if (type !== 'public') continue;
    const length = Math.max(1, Math.round((end.getTime() - start.getTime()) / 86_400_000));
    const first = DateTime.fromISO(date.slice(0, 10), { zone: 'utc' });
    for (let day = 0; day < length; day++) days.add(first.plus({ days: day }).toISODate() as string);
  }
  return days;
}

const AT = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const isNamed = ({ first }: TermsText): boolean => first !== undefined && first !== 'now';

/** The day from which on days are looked for, at the time of day of all of them. */
function startOf(options: PayDaysText, zone: string, now: number): DateTime {
  const { first = 'now', at = '09:00' } = options;
  const [, hour, minute] = AT.exec(at) ?? [];
  if (hour === undefined) throw invalidTerms('The time of day is none such as 09:00.');
  const day = !isNamed(options) ? DateTime.fromSeconds(now, { zone }) : DateTime.fromISO(first, { zone });
  if (!day.isValid || (isNamed(options) && !DATE.test(first))) {
    throw invalidTerms(
      'The first day of dates is neither now nor a day such as 2026-12-31; their time is said apart from it.',
    );
  }
  return day.set({ hour: Number(hour), minute: Number(minute), second: 0, millisecond: 0 });
}

/** The days of the rule from the first on, without end. */
function* nominalDays({ count, unit, on }: Rule, start: DateTime): Generator<DateTime> {
  for (let passed = 0; ; passed += count) {
    if (unit !== 'months') {
      yield start.plus({ [unit]: passed });
      continue;
    }
    const month = start.set({ day: 1 }).plus({ months: passed });
    for (const day of on) {
      const date = month.set({ day: Math.min(day, month.daysInMonth as number) });
      if (date >= start) yield date;
    }
  }
}

/** The day on which a pay day is paid. */
function moveOf({ step, isHoliday }: Rule, day: DateTime): DateTime {
  if (step === 0) return day;
  const isClosed = (date: DateTime) => WEEKEND.includes(date.weekday) || isHoliday(date);
  let moved = day;
  for (let days = 0; isClosed(moved); days++) {
    if (days === MOST_CLOSED) throw invalidTerms(`There is no business day within a month of ${day.toISODate()}.`);
    moved = moved.plus({ days: step });
  }
  return moved;
}

/** A pay day (unix seconds) as it is in its zone: "Fri 27 Nov 2026 09:00". */
export const payDayText = (date: bigint, zone: string): string =>
  DateTime.fromSeconds(Number(date), { zone, locale: 'en-GB' }).toFormat('ccc d LLL yyyy HH:mm');
