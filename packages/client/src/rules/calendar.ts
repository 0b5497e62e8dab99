import { CalendarUnit, type Schedule } from '../generated/index.ts';
import { ClientError } from '../http/clientError.ts';

/** What lies between two executions of a schedule; the rule of months also names the day. */
export type CalendarUnitName =
  | 'seconds'
  | 'days'
  | 'weeks'
  | 'months-on-day'
  | 'months-last-day'
  | 'months-last-business-day'
  | 'dates';

/**
 * A schedule's rule, all in UTC: every `every` units. `day` is the day of the month, 1–31, for 'months-on-day' (the last one of
 * a shorter month); other units have none, or 0. The time of day, and the day of weeks, are those of the first execution.
 * 'dates': `dates` alone, which the employer has signed, in unix seconds, whole minutes, ascending; `every` is 0.
 */
export type Calendar = {
  readonly unit: CalendarUnitName;
  readonly every: number;
  readonly day?: number;
  readonly dates?: readonly bigint[];
};

/** Dates that a schedule can have ahead: a year of weeks. */
export const MOST_DATES = 52;

const UNITS: Record<CalendarUnitName, CalendarUnit> = {
  seconds: CalendarUnit.Seconds,
  days: CalendarUnit.Days,
  weeks: CalendarUnit.Weeks,
  'months-on-day': CalendarUnit.MonthsOnDay,
  'months-last-day': CalendarUnit.MonthsLastDay,
  'months-last-business-day': CalendarUnit.MonthsLastBusinessDay,
  dates: CalendarUnit.Dates,
};

const DAY = 86_400;
const LEAST_MONTH = 28 * DAY;
/** Seconds of the units that always have as many. */
const LENGTHS: Partial<Record<CalendarUnitName, number>> = { seconds: 1, days: DAY, weeks: 7 * DAY };
/** A hundred years, with 25 leap days: the longest step that the ledger takes. */
const LONGEST_STEP = 36_525 * DAY;
const MOST_MONTHS = 1_200;
/** 2401-01-01T00:00:00Z. */
const FIRST_TIME_TOO_LATE = 13_601_088_000n;
/** The next execution of a schedule whose dates have all been: unix seconds that no execution has. */
export const NO_DATE = FIRST_TIME_TOO_LATE;
const MINUTE = 60n;
/** The last second that a `Date` can hold, in the year 275760. */
const LAST_TIME = 8_640_000_000_000;

const invalid = (sentence: string) => new ClientError('INVALID_CALENDAR', sentence);

/** The terms of a schedule on the ledger that say when it is paid. */
type LedgerCalendar = Pick<Schedule, 'unit' | 'every' | 'day'> &
  Partial<Pick<Schedule, 'dates' | 'dateCount' | 'proposedDatesBefore'>>;

/** The rule of a schedule on the ledger; of dates those in force, without what waits for the approver. Throws `INVALID_CALENDAR`. */
export function calendarFromLedger(terms: LedgerCalendar): Calendar {
  const names = Object.keys(UNITS) as CalendarUnitName[];
  const unit = names.find((name) => UNITS[name] === terms.unit);
  if (unit === undefined) throw invalid(`There is no unit ${terms.unit}.`);
  const { every, day, dates = [], dateCount = 0, proposedDatesBefore = 0 } = terms;
  if (unit === 'dates') {
    const inForce = proposedDatesBefore === 0 ? dateCount : proposedDatesBefore - 1;
    return { unit, every, dates: dates.slice(0, inForce).map(timeOfDate) };
  }
  return { unit, every, ...(day === 0 ? {} : { day }) };
}

/** All dates of a schedule, also those that wait for the approver, as the ledger's instructions take them. */
export const allDates = ({ dates, dateCount }: Pick<Schedule, 'dates' | 'dateCount'>): number[] =>
  dates.slice(0, dateCount);

/** A date of the ledger as unix seconds. */
export const timeOfDate = (date: number): bigint => BigInt(date) * MINUTE;

/** Times as the ledger's instructions take them: minutes since 1970. Throws `INVALID_CALENDAR` for one that is no whole minute. */
export function datesToLedger(times: readonly bigint[]): number[] {
  return times.map((time) => {
    if (time % MINUTE !== 0n) throw invalid('A date is a whole minute.');
    return Number(time / MINUTE);
  });
}

/** A rule as the ledger's instructions take it. */
export function calendarToLedger({ unit, every, day = 0, dates = [] }: Calendar): {
  unit: CalendarUnit;
  every: number;
  day: number;
  dates: number[];
} {
  return { unit: UNITS[unit], every, day, dates: datesToLedger(dates) };
}

/** Throws `INVALID_CALENDAR` unless the rule is one that the ledger accepts and `first`, unix seconds, lies on its day. */
export function checkCalendar(calendar: Calendar, first: bigint): void {
  checkRule(calendar);
  if (first <= 0n || first >= FIRST_TIME_TOO_LATE) {
    throw invalid('The first execution lies between 1970 and the end of the year 2400.');
  }
  if (calendar.dates !== undefined) {
    if (calendar.dates[0] !== first) throw invalid('The first execution is not the first date.');
    return;
  }
  const time = Number(first);
  if (isMonthly(calendar) && timeIn(calendar, monthOf(time), time) !== time) {
    throw invalid("The first execution is not on the rule's day.");
  }
}

/** The least seconds between two executions, which the ledger's least interval is compared with: a month counts as 28 days. */
export function minIntervalSeconds({ unit, every, dates }: Calendar): bigint {
  if (dates !== undefined) {
    let least = BigInt(LEAST_MONTH);
    for (const [place, date] of dates.entries()) {
      const gap = date - (dates[place - 1] ?? -NO_DATE);
      if (gap < least) least = gap;
    }
    return least;
  }
  return BigInt(every) * BigInt(LENGTHS[unit] ?? LEAST_MONTH);
}

/**
 * When a schedule's next window may open, unix seconds: when it is planned, or as long after the last opening as the schedule's least
 * interval asks for.
 */
export const dueAt = ({ nextExecution, opensFrom }: { nextExecution: bigint; opensFrom: bigint }): bigint =>
  nextExecution > opensFrom ? nextExecution : opensFrom;

/** The execution after the one planned for `planned`, in unix seconds. Throws `INVALID_CALENDAR`. */
export function nextExecution(calendar: Calendar, planned: bigint): bigint {
  if (calendar.dates !== undefined) return dateAfter(calendar.dates, planned);
  const time = secondsOf(planned);
  return executionAfter(calendar, time, time);
}

/** The first execution after `now`, at least one step after `planned`, from which it is counted. Throws `INVALID_CALENDAR`. */
export function firstAfter(calendar: Calendar, planned: bigint, now: bigint): bigint {
  if (calendar.dates !== undefined) return dateAfter(calendar.dates, now > planned ? now : planned);
  const time = secondsOf(planned);
  return executionAfter(calendar, time, now > planned ? secondsOf(now) : time);
}

/** `planned` if it is not before `now`, else the first execution that is not. Throws `INVALID_CALENDAR`. */
export function firstOnOrAfter(calendar: Calendar, planned: bigint, now: bigint): bigint {
  if (calendar.dates !== undefined && planned === NO_DATE) return dateAfter(calendar.dates, now - 1n);
  return planned >= now ? planned : firstAfter(calendar, planned, now - 1n);
}

/** The first `count` executions, the one at `first` included; fewer where dates end. Throws `INVALID_CALENDAR`. */
export function executions(calendar: Calendar, first: bigint, count: number): bigint[] {
  checkCalendar(calendar, first);
  const planned: bigint[] = [];
  for (let time = first; planned.length < count && time !== NO_DATE; time = nextExecution(calendar, time))
    planned.push(time);
  return planned;
}

/**
 * The rule in words, such as "every 2 months on the last business day at 14:00 UTC"; the time of day, and the day of weeks, are
 * those of `first`. Throws `INVALID_CALENDAR`.
 */
export function describeCalendar(calendar: Calendar, first: bigint): string {
  const { unit, every, day = 0, dates } = calendar;
  if (dates !== undefined) return dates.length === 1 ? 'on one named date' : `on ${dates.length} named dates`;
  checkCalendar(calendar, first);
  const date = new Date(Number(first) * 1000);
  const at = `at ${date.toISOString().slice(11, date.getUTCSeconds() === 0 ? 16 : 19)} UTC`;
  switch (unit as Exclude<CalendarUnitName, 'dates'>) {
    case 'seconds':
      if (every % 3_600 === 0) return times(every / 3_600, 'hour');
      return every % 60 === 0 ? times(every / 60, 'minute') : times(every, 'second');
    case 'days':
      return `${times(every, 'day')} ${at}`;
    case 'weeks':
      return `${times(every, 'week')} on ${WEEKDAYS[date.getUTCDay()]} ${at}`;
    case 'months-on-day':
      return `${times(every, 'month')} on the ${ordinal(day)}${day > 28 ? ', or else the last day,' : ''} ${at}`;
    case 'months-last-day':
      return `${times(every, 'month')} on the last day ${at}`;
    case 'months-last-business-day':
      return `${times(every, 'month')} on the last business day ${at}`;
  }
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const times = (every: number, unit: string) => (every === 1 ? `every ${unit}` : `every ${every} ${unit}s`);
const ORDINAL_ENDS: Partial<Record<number, string>> = {
  1: 'st',
  2: 'nd',
  3: 'rd',
  21: 'st',
  22: 'nd',
  23: 'rd',
  31: 'st',
};
const ordinal = (day: number) => `${day}${ORDINAL_ENDS[day] ?? 'th'}`;

const isMonthly = ({ unit }: Calendar) => LENGTHS[unit] === undefined;

/** The first date after a time, unix seconds; `NO_DATE`: there is none. */
const dateAfter = (dates: readonly bigint[], time: bigint): bigint => dates.find((date) => date > time) ?? NO_DATE;

function checkDates({ every, day = 0, dates = [] }: Calendar): void {
  if (every !== 0 || day !== 0) throw invalid('A calendar of dates has no interval and no day of the month.');
  if (dates.length > MOST_DATES) throw invalid(`A schedule has ${MOST_DATES} dates at most.`);
  datesToLedger(dates);
  if (dates.some((date, place) => date <= (dates[place - 1] ?? 0n) || date >= NO_DATE)) {
    throw invalid('Dates lie one after the other, before the end of the year 2400.');
  }
}

function checkRule(calendar: Calendar): void {
  const { unit, every, day = 0, dates } = calendar;
  if (!Object.hasOwn(UNITS, unit)) throw invalid(`There is no unit ${unit}.`);
  if (unit === 'dates') {
    checkDates(calendar);
    return;
  }
  if (dates !== undefined) throw invalid('Only a calendar of dates has dates.');
  const length = LENGTHS[unit];
  const most = length === undefined ? MOST_MONTHS : Math.floor(LONGEST_STEP / length);
  if (!Number.isInteger(every) || every < 1 || every > most) {
    throw invalid(`Between two executions lie 1 to ${most} ${unit.replace(/-.*/, '')}.`);
  }
  if (unit === 'months-on-day' && !(Number.isInteger(day) && day >= 1 && day <= 31)) {
    throw invalid('The day of the month is one of 1 to 31.');
  }
  if (unit !== 'months-on-day' && day !== 0) throw invalid('Only a rule of months on a day has a day of the month.');
}

/** A time as a number that a `Date` takes. */
function secondsOf(time: bigint): number {
  if (time < 0n || time > BigInt(LAST_TIME)) throw invalid(`The time ${time} is before 1970 or after the year 275760.`);
  return Number(time);
}

/** The first execution after `now`, which is not before `planned`: a whole number of steps after that. */
function executionAfter(calendar: Calendar, planned: number, now: number): bigint {
  checkRule(calendar);
  const length = LENGTHS[calendar.unit];
  const execution =
    length === undefined ? monthAfter(calendar, planned, now) : after(calendar.every * length, planned, now);
  // Not a number: beyond what a Date can hold.
  if (!(execution <= LAST_TIME)) throw invalid('The execution lies after the year 275760.');
  return BigInt(execution);
}

const after = (step: number, planned: number, now: number) => planned + (Math.floor((now - planned) / step) + 1) * step;

function monthAfter(calendar: Calendar, planned: number, now: number): number {
  const month = monthOf(planned);
  const step = calendar.every;
  const passed = Math.floor((monthOf(now) - month) / step);
  // The last execution whose month has begun; the one after it has a later month than now.
  const candidate = timeIn(calendar, month + passed * step, planned);
  return passed > 0 && candidate > now ? candidate : timeIn(calendar, month + (passed + 1) * step, planned);
}

/** Months from January 1970 to the one of `time`. */
function monthOf(time: number): number {
  const date = new Date(time * 1000);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** The rule's time in a month: on its day, at the time of day of `planned`. */
function timeIn({ unit, day = 0 }: Calendar, month: number, planned: number): number {
  // The day before the next month's first.
  const last = new Date(Date.UTC(1970, month + 1, 0));
  let date = last.getUTCDate();
  if (unit === 'months-on-day') date = Math.min(day, date);
  // Back to Friday: two days from Sunday (0), one from Saturday (6).
  if (unit === 'months-last-business-day') date -= { 0: 2, 6: 1 }[last.getUTCDay()] ?? 0;
  return Date.UTC(1970, month, date) / 1000 + (planned % DAY);
}
