import { type Calendar, ClientError, checkCalendar, firstOnOrAfter } from '@payouts/client';
import { SECONDS } from './duration.ts';
import { Failure } from './failure.ts';

/** When and how often a list is paid, as people write it. */
export type TermsText = {
  /** Such as 30s, 15m, 6h, 1d, 2w or 1mo. */
  readonly every: string;
  /** For months: 1 to 31, last or last-business-day. */
  readonly on?: string;
  /** Now, or UTC such as 2026-12-31 or 2026-12-31T14:00. */
  readonly first?: string;
};

/** When and how often a list is paid; the first time in unix seconds. */
export type Terms = { readonly calendar: Calendar; readonly firstExecution: bigint };

/** The code of terms that no schedule can have. */
export const TERMS_INVALID = 'terms-invalid';

const INTERVAL = /^([1-9]\d{0,8})(s|m|h|d|w|mo)$/;
const DAY = 86_400n;
/** Back from any day to one in an earlier month. */
const LONGER_THAN_A_MONTH = 32n * DAY;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z?)?$/;
const MONTHLY: Readonly<Record<string, Calendar['unit']>> = {
  last: 'months-last-day',
  'last-business-day': 'months-last-business-day',
};

/** The rule and the first execution that are asked for; `now` in unix seconds. Throws `Failure` terms-invalid. */
export function termsOf(options: TermsText, now: number): Terms {
  const asked = firstOf(options.first ?? 'now', now);
  const calendar = calendarOf(options, asked);
  try {
    // Without a date, the first day of the rule from now on.
    const first = isDated(options) ? asked : firstOnDay(calendar, asked);
    checkCalendar(calendar, first);
    return { calendar, firstExecution: first };
  } catch (error) {
    if (error instanceof ClientError) throw invalidTerms(error.message);
    throw error;
  }
}

/** What is said of terms that no schedule can have. */
export const invalidTerms = (message: string): Failure => new Failure(TERMS_INVALID, message);

const isDated = ({ first }: TermsText) => first !== undefined && first !== 'now';

function calendarOf({ every, on }: TermsText, first: bigint): Calendar {
  const parts = INTERVAL.exec(every.trim());
  if (parts === null) throw invalidTerms('The interval is none such as 30s, 15m, 6h, 1d, 2w or 1mo.');
  const [count, unit] = [Number(parts[1]), parts[2] as string];
  if (unit !== 'mo') {
    if (on !== undefined) throw invalidTerms('A day of the month goes with an interval of months, such as 1mo.');
    if (unit === 'd') return { unit: 'days', every: count };
    if (unit === 'w') return { unit: 'weeks', every: count };
    return { unit: 'seconds', every: count * (SECONDS[unit] as number) };
  }
  const named = MONTHLY[on ?? ''];
  if (named !== undefined) return { unit: named, every: count };
  const day = on === undefined ? new Date(Number(first) * 1_000).getUTCDate() : Number(on);
  if (!Number.isInteger(day) || day < 1 || day > 31) {
    throw invalidTerms('The day is none of a month, 1 to 31, last or last-business-day.');
  }
  return { unit: 'months-on-day', every: count, day };
}

function firstOf(text: string, now: number): bigint {
  if (text === 'now') return BigInt(now);
  const time = DATE.test(text) ? Date.parse(text.length === 10 ? text : `${text.replace(/Z$/, '')}Z`) : Number.NaN;
  // A day that the month does not have would be one of the next.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text.replace(/Z$/, ''))) {
    throw invalidTerms(
      'The first time is neither now nor a day or time in UTC such as 2026-12-31 or 2026-12-31T14:00.',
    );
  }
  return BigInt(time / 1_000);
}

/** Now, or at the beginning of the rule's next day if today is none. */
function firstOnDay(calendar: Calendar, now: bigint): bigint {
  if (!calendar.unit.startsWith('months')) return now;
  const midnight = now - (now % DAY);
  const first = firstOnOrAfter({ ...calendar, every: 1 }, midnight - LONGER_THAN_A_MONTH, midnight);
  return first === midnight ? now : first;
}
