import { type Calendar, executions, firstOnOrAfter, type PublicPay } from '@payouts/client';
import type { Random } from '@payouts/testing/random';
import { employersOf, salaryOf } from '../payroll.ts';

export const DAY = 86_400n;
/** 2027-01-01T00:00:00Z, and 2027-07-01T00:00:00Z: half a year of real months. */
export const [START, END] = [1_798_761_600n, 1_814_400_000n];
export const MONTHS = 6;

/** What somebody does with what they are paid; the observer knows it of everybody. */
export type Habit = 'rounds' | 'at once' | 'joins' | 'exchange';
/** Of a hundred people. Only the first keep their wallets apart, as the default does. */
export const HABITS: readonly (readonly [number, Habit])[] = [
  [60, 'rounds'],
  [20, 'at once'],
  [10, 'joins'],
  [10, 'exchange'],
];

/** When an employer pays, and how many of its windows a year has. */
type PayDays = { readonly calendars: readonly Calendar[]; readonly yearly: number; readonly weekday?: number };
const monthly = (calendar: Calendar): PayDays => ({ calendars: [calendar], yearly: 12 });
const onDay = (day: number): Calendar => ({ unit: 'months-on-day', every: 1, day });
const weekly = (every: number): PayDays => ({
  calendars: [{ unit: 'weeks', every }],
  yearly: 52 / every,
  weekday: 5,
});

/** Of a hundred employers. A window falls where its rule puts it, on Sundays too. */
export const PAY_DAYS: readonly (readonly [number, PayDays])[] = [
  [20, monthly({ unit: 'months-last-business-day', every: 1 })],
  [10, monthly({ unit: 'months-last-day', every: 1 })],
  [12, monthly(onDay(25))],
  [6, monthly(onDay(28))],
  [7, monthly(onDay(1))],
  [15, { calendars: [onDay(15), { unit: 'months-last-day', every: 1 }], yearly: 24 }],
  [20, weekly(2)],
  [10, weekly(1)],
];

export type Employer = {
  readonly token: number;
  readonly yearly: number;
  /** When its windows fall due, unix seconds. */
  readonly windows: readonly bigint[];
};

/** Amounts in hundredths of the token, for each window. */
export type Job = { readonly employer: number; readonly pay: bigint };
export type Resident = { readonly habit: Habit; readonly jobs: readonly Job[] };
export type World = { readonly employers: readonly Employer[]; readonly people: readonly Resident[] };

/** A window's payments can be asked out so many seconds after it fell due. */
export const SETTLED_AFTER = 300n;
/** The second token's people for one of the first's; people with a second employer, who pays half as much. */
const [SECOND_TOKEN, TWO_EMPLOYERS] = [0.2, 0.05];

/** Other people, or other employers, than the usual ones. */
export type Population = { readonly payDays?: typeof PAY_DAYS; readonly habits?: typeof HABITS };

/** Six months of half a dozen calendars; the first token has so many people, and a second one a fifth as many more. */
export function makeWorld(random: Random, count: number, population: Population = {}): World {
  const { payDays = PAY_DAYS, habits = HABITS } = population;
  const others = Math.round(count * SECOND_TOKEN);
  const [first, second] = [employersOf(count), employersOf(others)];
  const employers = Array.from({ length: first + second }, (_, place) => {
    return makeEmployer(random, place < first ? 0 : 1, random.weighted(payDays));
  });
  const people = Array.from({ length: count + others }, (_, place): Resident => {
    const employer = place < count ? place % first : first + ((place - count) % second);
    const jobs = [jobAt(random, employers, employer, 1)];
    if (random.chance(TWO_EMPLOYERS)) {
      const next = (employer + random.between(1, employers.length - 1)) % employers.length;
      jobs.push(jobAt(random, employers, next, 0.5));
    }
    return { habit: random.weighted(habits), jobs };
  });
  return { employers, people };
}

function makeEmployer(random: Random, token: number, { calendars, yearly, weekday }: PayDays): Employer {
  const timeOfDay = BigInt(random.between(6 * 6, 18 * 6) * 600);
  const windows = calendars.flatMap((calendar) => {
    const first = firstOf(calendar, timeOfDay, weekday, random);
    return executions(calendar, first, 60).filter((time) => time < END);
  });
  return { token, yearly, windows: windows.sort((one, other) => (one < other ? -1 : 1)) };
}

/** The rule's first time of the half-year. */
function firstOf(calendar: Calendar, timeOfDay: bigint, weekday: number | undefined, random: Random): bigint {
  if (weekday === undefined) return firstOnOrAfter(calendar, START - DAY + timeOfDay, START);
  // 1970-01-01 was a Thursday.
  const day = START / DAY;
  const ahead = (BigInt(weekday) - (day + 4n) + 7n * day) % 7n;
  return (day + ahead + 7n * BigInt(random.below(calendar.every))) * DAY + timeOfDay;
}

function jobAt(random: Random, employers: readonly Employer[], employer: number, share: number): Job {
  const { yearly } = employers[employer] as Employer;
  return { employer, pay: BigInt(Math.round((salaryOf(random, employer) * share * 12) / yearly)) };
}

/** What somebody is paid, in the order of time. */
export type Payment = {
  readonly person: number;
  readonly employer: number;
  readonly token: number;
  readonly at: bigint;
  readonly amount: bigint;
};

export function paymentsOf({ employers, people }: World): Payment[] {
  const payments = people.flatMap(({ jobs }, person) =>
    jobs.flatMap(({ employer, pay }) => {
      const { token, windows } = employers[employer] as Employer;
      return windows.map((due): Payment => ({ person, employer, token, at: due + SETTLED_AFTER, amount: pay }));
    }),
  );
  return payments.sort((one, other) => Number(one.at - other.at));
}

/** What anybody can read of a token's schedules. */
export function publicPayOf({ employers, people }: World, token: number): PublicPay[] {
  const monthly = employers.map(() => ({ monthly: 0n, recipients: 0 }));
  for (const { employer, pay } of people.flatMap(({ jobs }) => jobs)) {
    const of = monthly[employer] as (typeof monthly)[number];
    of.monthly += (pay * BigInt((employers[employer] as Employer).yearly)) / 12n;
    of.recipients += 1;
  }
  return monthly.filter((_, place) => employers[place]?.token === token);
}
