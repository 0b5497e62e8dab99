import { type Calendar, ClientError, checkCalendar, firstOnOrAfter } from '@payouts/client';
import type { Command } from 'commander';
import { SECONDS } from '../duration.ts';
import { WrongUsage } from '../failure.ts';

/** When and how often, as it is written on the command line. */
export type TermsOptions = {
  readonly every: string;
  readonly on?: string;
  readonly first?: string;
  readonly timeout: string;
};

/** Adds the options that say when a schedule is paid. */
export function withTerms(command: Command): Command {
  return command
    .option('--every <interval>', 'how often: 30s, 15m, 6h, 1d, 2w or 1mo', '1mo')
    .option('--on <day>', 'for months: 1 to 31, last or last-business-day (default: the day of the first)')
    .option('--first <time>', 'first payout: now, or UTC such as 2026-12-31 or 2026-12-31T14:00', 'now')
    .option('--timeout <duration>', 'after which unpaid amounts of a window go back to the vault: 10m, 1h', '1h');
}

const INTERVAL = /^([1-9]\d{0,8})(s|m|h|d|w|mo)$/;
const DAY = 86_400n;
/** Back from any day to one in an earlier month. */
const LONGER_THAN_A_MONTH = 32n * DAY;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z?)?$/;
const MONTHLY: Readonly<Record<string, Calendar['unit']>> = {
  last: 'months-last-day',
  'last-business-day': 'months-last-business-day',
};

/** The rule and the first execution (unix seconds) that the options ask for; `now` in unix seconds. Throws `WrongUsage`. */
export function termsOf(options: TermsOptions, now: number): { calendar: Calendar; firstExecution: bigint } {
  const asked = firstOf(options.first ?? 'now', now);
  const calendar = calendarOf(options, asked);
  try {
    // Without a date, the first day of the rule from now on.
    const first = isDated(options) ? asked : firstOnDay(calendar, asked);
    checkCalendar(calendar, first);
    return { calendar, firstExecution: first };
  } catch (error) {
    if (error instanceof ClientError) throw new WrongUsage(`${error.message} See --every, --on and --first.`);
    throw error;
  }
}

const isDated = ({ first }: TermsOptions) => first !== undefined && first !== 'now';

function calendarOf({ every, on }: TermsOptions, first: bigint): Calendar {
  const parts = INTERVAL.exec(every.trim());
  if (parts === null) throw new WrongUsage('--every takes an interval such as 30s, 15m, 6h, 1d, 2w or 1mo.');
  const [count, unit] = [Number(parts[1]), parts[2] as string];
  if (unit !== 'mo') {
    if (on !== undefined) throw new WrongUsage('--on goes with an interval of months, such as --every 1mo.');
    if (unit === 'd') return { unit: 'days', every: count };
    if (unit === 'w') return { unit: 'weeks', every: count };
    return { unit: 'seconds', every: count * (SECONDS[unit] as number) };
  }
  const named = MONTHLY[on ?? ''];
  if (named !== undefined) return { unit: named, every: count };
  const day = on === undefined ? new Date(Number(first) * 1_000).getUTCDate() : Number(on);
  if (!Number.isInteger(day) || day < 1 || day > 31) {
    throw new WrongUsage('--on takes a day of the month, 1 to 31, or last or last-business-day.');
  }
  return { unit: 'months-on-day', every: count, day };
}

function firstOf(text: string, now: number): bigint {
  if (text === 'now') return BigInt(now);
  const time = DATE.test(text) ? Date.parse(text.length === 10 ? text : `${text.replace(/Z$/, '')}Z`) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new WrongUsage('--first takes now, or a day or time in UTC such as 2026-12-31 or 2026-12-31T14:00.');
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
