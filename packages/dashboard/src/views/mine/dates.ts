import type { PayDaysText } from '@payouts/employer/payDays';

/** What a day is called that moves to a business day by itself. */
export const LAST_BUSINESS_DAY = 'last-business-day';

/** Days of a month, as the form offers them. */
export const DAYS = [
  { value: '', name: 'the day of the first' },
  { value: 'last', name: 'the last day' },
  { value: LAST_BUSINESS_DAY, name: 'the last business day' },
  ...Array.from({ length: 31 }, (_, day) => ({ value: `${day + 1}`, name: `day ${day + 1}` })),
];

/** How pay days come again, as the form offers it. */
export const RULES = [
  { value: 'month', name: 'every month' },
  { value: 'twice', name: 'twice a month' },
  { value: 'weeks', name: 'every few weeks' },
  { value: 'months', name: 'every few months' },
  { value: 'year', name: 'every year' },
] as const;

type RuleName = (typeof RULES)[number]['value'];

/** What becomes of a pay day on a weekend or holiday, as the form offers it. */
export const IF_CLOSED = [
  { value: 'before', name: 'are paid on the business day before' },
  { value: 'after', name: 'are paid on the business day after' },
  { value: 'keep', name: 'are kept' },
] as const;

/** What the form of dates holds. */
export type DatesForm = {
  readonly rule: RuleName;
  /** After how many weeks or months. */
  readonly count: string;
  /** Day of the month, as the command takes it; empty: the day of the first. */
  readonly on: string;
  /** The second one of two days a month. */
  readonly also: string;
  /** The day from which on they are counted; empty: today. */
  readonly first: string;
  /** Time of day, in the zone. */
  readonly at: string;
  readonly zone: string;
  /** Whose public holidays are no pay days; empty: nobody's. */
  readonly holidays: string;
  readonly ifClosed: string;
};

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Time zones that the browser knows, its own first. */
export const ZONES = [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

export const FIRST_DATES: DatesForm = {
  rule: 'month',
  count: '2',
  on: '',
  also: 'last',
  first: '',
  at: '09:00',
  zone: OWN_ZONE,
  holidays: '',
  ifClosed: 'before',
};

export const isCounted = (rule: RuleName): boolean => rule === 'weeks' || rule === 'months';

/** What the form asks for, as the command takes it. */
export function datesText({ rule, count, on, also, first, at, zone, holidays, ifClosed }: DatesForm): PayDaysText {
  const every = { month: '1mo', twice: '1mo', weeks: `${count}w`, months: `${count}mo`, year: '1y' }[rule];
  const days = rule === 'twice' ? `${on},${also}` : on;
  return {
    ...{ every, at, zone },
    ...(rule !== 'weeks' && days !== '' && { on: days }),
    ...(first !== '' && { first }),
    ...(holidays !== '' && { holidays }),
    ...(days !== LAST_BUSINESS_DAY && { ifClosed }),
  };
}
