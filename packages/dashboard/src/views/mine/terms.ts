import { executions } from '@payouts/client';
import { type CreateTerms, secondsIn, type Terms, termsOf } from '@payouts/employer';
import { zonedText } from '../../format/zoned.ts';
import { type DatesForm, datesText, FIRST_DATES } from './dates.ts';
import type { ShownDays } from './PayDays.tsx';

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

/** How long a pay run may take, as the form offers it. */
export const DEADLINES = [
  { value: '1h', name: '1 hour' },
  { value: '10m', name: '10 minutes' },
  { value: '6h', name: '6 hours' },
  { value: '1d', name: '1 day' },
] as const;

/** What the form holds. */
export type TermsForm = {
  /** Whether the ledger follows a rule, or the employer signs dates. */
  readonly by: 'interval' | 'dates';
  readonly dates: DatesForm;
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
  by: 'interval',
  dates: FIRST_DATES,
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
export async function askedTerms(form: TermsForm, now: number): Promise<CreateTerms> {
  const { end, keep, missed, timeout } = form;
  return {
    ...(await paidOn(form, Math.floor(now / 1_000))),
    executions: Number(form.executions),
    ...(end === 'never' && { keep: Number(keep) }),
    batchTimeout: secondsIn(timeout) ?? 0,
    missed,
  };
}

/** When it is paid; `now` in unix seconds. */
async function paidOn({ by, dates, every, on, first, executions: count }: TermsForm, now: number): Promise<Terms> {
  if (by === 'interval') {
    const time = firstOf(first);
    return termsOf({ every, ...(on !== '' && { on }), ...(time && { first: time }) }, now);
  }
  const { payDaysOf } = await import('@payouts/employer/payDays');
  return payDaysOf(datesText(dates), Number(count), { now });
}

/** Pay days of a rule that are shown before they are promised. */
const SHOWN_DAYS = 12;

/** Pay days before they are promised: the first ones of a rule; of dates all, which are those that are signed. */
export async function shownDays({ calendar, firstExecution }: Terms, form: TermsForm): Promise<ShownDays> {
  if (calendar.dates !== undefined) return shownDates(calendar.dates, form.dates);
  const count = Number(form.executions);
  const shown = form.end === 'never' ? SHOWN_DAYS : Math.min(SHOWN_DAYS, count);
  const days = executions(calendar, firstExecution, shown).map((day) => zonedText(Number(day) * 1_000));
  return { days, isAll: form.end === 'after' && days.length === count };
}

/** Dates (unix seconds) in their own zone. */
export async function shownDates(dates: readonly bigint[], { zone }: DatesForm): Promise<ShownDays> {
  const { payDayText } = await import('@payouts/employer/payDays');
  return { days: dates.map((date) => payDayText(date, zone)), isAll: true, zone };
}

/** A time of the browser's field, in the reader's zone, as the terms take it: in UTC; undefined: none. */
function firstOf(field: string): string | undefined {
  if (field === '') return undefined;
  return new Date(field).toISOString().slice(0, 16);
}
