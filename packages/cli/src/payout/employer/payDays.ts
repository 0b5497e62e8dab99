import { MOST_DATES } from '@payouts/client';
import type { Terms, TermsText } from '@payouts/employer';
import type { Command } from 'commander';
import { DateTime, IANAZone } from 'luxon';
import { WrongUsage } from '../failure.ts';
import { askedTerms, type TermsOptions } from './terms.ts';

/** Which days are paid on, as it is written on the command line. */
export type PayDayOptions = {
  readonly zone?: string;
  readonly at?: string;
  readonly holidays?: string;
  readonly ifClosed?: string;
};

/** Adds the options by which pay days become dates that the employer signs. */
export const withPayDays = (command: Command): Command =>
  command
    .option('--zone <name>', 'time zone of the pay days, such as Europe/Berlin or America/New_York')
    .option('--at <time>', 'time of day in that zone, such as 09:00')
    .option(
      '--holidays <place>',
      'country, and state if wanted, whose public holidays are no pay days: DE, DE-BY, US-CA',
    )
    .option(
      '--if-closed <when>',
      'pay on the business day before or after instead of a weekend or holiday, or keep the day',
    );

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
const asksForDates = ({ zone, at, holidays, ifClosed, on }: PayDayOptions & TermsText): boolean =>
  [zone, at, holidays, ifClosed].some((option) => option !== undefined) || (on ?? '').includes(',');

/**
 * When a schedule of so many windows is paid, by what the options say: a rule, or dates; those after `after` (unix seconds) where it goes on.
 * `now` in unix seconds. Throws `WrongUsage`.
 */
export async function payDaysOf(
  options: TermsOptions & PayDayOptions,
  windows: number,
  { now, after }: { readonly now: number; readonly after?: bigint },
): Promise<Terms> {
  if (!asksForDates(options)) return askedTerms(options, now);
  if (windows > MOST_DATES) {
    throw new WrongUsage(
      `A schedule has ${MOST_DATES} dates ahead at most: --executions ${MOST_DATES}, and payout schedule fund later.`,
    );
  }
  // A day that is named has begun, and the ledger takes one that was within a day.
  const from = after ?? (isNamed(options) ? 0n : BigInt(now) - 1n);
  const dates = await datesOf(options, windows, { now, after: from });
  return { calendar: { unit: 'dates', every: 0, dates }, firstExecution: dates[0] as bigint };
}

async function datesOf(
  options: TermsOptions & PayDayOptions,
  count: number,
  { now, after }: { readonly now: number; readonly after: bigint },
): Promise<bigint[]> {
  const zone = options.zone ?? 'UTC';
  if (!IANAZone.isValidZone(zone))
    throw new WrongUsage(`There is no time zone ${zone}. Names are such as Europe/Berlin.`);
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

async function ruleOf(options: TermsOptions & PayDayOptions, start: DateTime): Promise<Rule> {
  const [, number = '', unit = ''] = INTERVAL.exec(options.every.trim()) ?? [];
  if (unit === '')
    throw new WrongUsage(
      '--every takes days, weeks, months or years with --zone, --at, --holidays, --if-closed or several days: 2w, 1mo, 1y.',
    );
  const isMonthly = unit === 'mo' || unit === 'y';
  if (!isMonthly && options.on !== undefined) throw new WrongUsage('--on goes with --every of months or years.');
  const isBusinessDay = options.on === 'last-business-day';
  const step = STEPS[options.ifClosed ?? (options.holidays !== undefined || isBusinessDay ? 'before' : 'keep')];
  if (step === undefined) throw new WrongUsage('--if-closed takes before, after or keep.');
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
    throw new WrongUsage('--on takes days of the month, such as 15, last or 1,15.');
  });
  return days.toSorted((one, other) => one - other);
}

/** Which days are public holidays of a place. */
async function holidaysOf(place: string): Promise<(day: DateTime) => boolean> {
  // Loaded by whoever asks for it: it knows the whole world.
  const { default: Holidays } = await import('date-holidays');
  const [country = '', state] = place.toUpperCase().split('-');
  const known = new Holidays();
  const states = known.getStates(country) ?? {};
  if (!Object.hasOwn(known.getCountries(), country) || (state !== undefined && !Object.hasOwn(states, state))) {
    throw new WrongUsage(
      `There are no holidays of ${place}. --holidays takes a country and, if wanted, one of its states: DE, DE-BY.`,
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
function startOf(options: TermsOptions & PayDayOptions, zone: string, now: number): DateTime {
  const { first = 'now', at = '09:00' } = options;
  const [, hour, minute] = AT.exec(at) ?? [];
  if (hour === undefined) throw new WrongUsage('--at takes a time of day such as 09:00.');
  const day = !isNamed(options) ? DateTime.fromSeconds(now, { zone }) : DateTime.fromISO(first, { zone });
  if (!day.isValid || (isNamed(options) && !DATE.test(first))) {
    throw new WrongUsage('--first takes now or a day such as 2026-12-31 here; --at its time.');
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
    if (days === MOST_CLOSED) throw new WrongUsage(`There is no business day within a month of ${day.toISODate()}.`);
    moved = moved.plus({ days: step });
  }
  return moved;
}

/** Pay days in words, in their zone: 12 at most unless all are asked for. */
export function payDayLines(dates: readonly bigint[], zone = 'UTC', most = 12): string[] {
  const lines = dates
    .slice(0, most)
    .map(
      (date) => `  ${DateTime.fromSeconds(Number(date), { zone, locale: 'en-GB' }).toFormat('ccc d LLL yyyy HH:mm')}`,
    );
  return [`Pay days (${zone}):`, ...lines, ...(dates.length > most ? [`  … and ${dates.length - most} more`] : [])];
}
