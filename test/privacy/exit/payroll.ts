import type { Random } from '@payouts/testing/random';

/** Release instants in a day: ten minutes each. */
export const DAY = 144;
/** Instants between two windows of an employer. */
export const MONTH = 30 * DAY;

/** Somebody who is paid: amounts in hundredths of the token. */
export type Person = { readonly employer: number; readonly salary: number };

/** Who is paid how much, and when each employer's windows settle, in instants. All of it is known to the observer. */
export type Payroll = {
  readonly people: readonly Person[];
  /** By employer, then by month. */
  readonly windows: readonly (readonly number[])[];
};

/** Median of the salaries and the spread of their logarithm; bounds; hundredths. */
const MEDIAN = 300_000;
const SPREAD = 0.45;
const [LEAST, MOST] = [80_000, 1_200_000];
/** What an employer that agrees round sums rounds them to. The others pay to the hundredth, as after tax. */
const ROUND = 5_000;
/** Days within which all employers pay. */
const PAY_DAYS = 6;
const [FIRST_HOUR, LAST_HOUR] = [6, 18];

/** Employers for so many people: from two up to twenty. */
export const employersOf = (people: number): number => Math.max(2, Math.min(20, Math.round(people / 50)));

/** What somebody earns in a month, by a log-normal distribution; every other employer rounds it. */
export function salaryOf(random: Random, employer: number): number {
  const drawn = MEDIAN * Math.exp(SPREAD * normal(random));
  const step = employer % 2 === 0 ? ROUND : 1;
  return Math.round(Math.min(MOST, Math.max(LEAST, drawn)) / step) * step;
}

/** Salaries of several employers on one pool. */
export function makePayroll(random: Random, count: number, months: number): Payroll {
  const employers = employersOf(count);
  const people = Array.from({ length: count }, (_, place): Person => {
    const employer = place % employers;
    return { employer, salary: salaryOf(random, employer) };
  });
  const windows = Array.from({ length: employers }, () => {
    const time = random.below(PAY_DAYS) * DAY + random.between(FIRST_HOUR * 6, LAST_HOUR * 6);
    return Array.from({ length: months }, (_, month) => month * MONTH + time);
  });
  return { people, windows };
}

/** By Box and Muller. */
function normal(random: Random): number {
  const unit = () => (random.u32() + 0.5) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(unit())) * Math.cos(2 * Math.PI * unit());
}
