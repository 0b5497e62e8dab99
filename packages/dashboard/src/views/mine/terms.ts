import { executions } from '@payouts/client';
import { secondsIn, type Terms, termsOf } from '@payouts/employer';

/** How often a payroll is paid, as the form offers it. */
export const INTERVALS = [
  { value: '1mo', name: 'every month' },
  { value: '1w', name: 'every week' },
  { value: '2w', name: 'every 2 weeks' },
  { value: '3mo', name: 'every 3 months' },
  { value: '12mo', name: 'every year' },
  { value: '1d', name: 'every day' },
  { value: '1h', name: 'every hour' },
] as const;

/** Days of a month, as the form offers them. */
export const DAYS = [
  { value: '', name: 'the day of the first' },
  { value: 'last', name: 'the last day' },
  { value: 'last-business-day', name: 'the last business day' },
  ...Array.from({ length: 31 }, (_, day) => ({ value: `${day + 1}`, name: `day ${day + 1}` })),
];

/** How long a pay run may take, as the form offers it. */
export const DEADLINES = [
  { value: '1h', name: '1 hour' },
  { value: '10m', name: '10 minutes' },
  { value: '6h', name: '6 hours' },
  { value: '1d', name: '1 day' },
] as const;

/** What the form holds. */
export type TermsForm = {
  readonly every: string;
  readonly on: string;
  /** As the browser's own field writes it, in the reader's time; empty: at once, or on the rule's next day. */
  readonly first: string;
  readonly executions: string;
  /** Whether it ends after them; else they are those whose fees are prepaid. */
  readonly end: 'after' | 'never';
  /** Pay runs that are kept reserved without an end. */
  readonly keep: string;
  readonly timeout: string;
  readonly missed: 'catchUp' | 'skip';
};

export const FIRST_TERMS: TermsForm = {
  every: '1mo',
  on: '',
  first: '',
  executions: '12',
  end: 'after',
  keep: '3',
  timeout: '1h',
  missed: 'catchUp',
};

/** What the form asks for, as a plan takes it; `now` in unix milliseconds. Throws `Failure`. */
export function askedTerms({ every, on, first, end, ...terms }: TermsForm, now: number) {
  const time = firstOf(first);
  const asked = { every, ...(on !== '' && { on }), ...(time && { first: time }) };
  return {
    ...termsOf(asked, Math.floor(now / 1_000)),
    executions: Number(terms.executions),
    ...(end === 'never' && { keep: Number(terms.keep) }),
    batchTimeout: secondsIn(terms.timeout) ?? 0,
    missed: terms.missed,
  };
}

/** Pay days that are shown before they are promised. */
const SHOWN_DAYS = 12;

/** The first of them, unix seconds. */
export const payDaysOf = ({ calendar, firstExecution }: Terms, { end, executions: count }: TermsForm): bigint[] =>
  executions(calendar, firstExecution, end === 'never' ? SHOWN_DAYS : Math.min(SHOWN_DAYS, Number(count)));

/** A time of the browser's field, in the reader's zone, as the terms take it: in UTC; undefined: none. */
function firstOf(field: string): string | undefined {
  if (field === '') return undefined;
  return new Date(field).toISOString().slice(0, 16);
}
