import { type Calendar, minIntervalSeconds } from '../rules/calendar.ts';

/** What anybody can read of a schedule: what it pays in a month, base units, and to how many. */
export type PublicPay = { readonly monthly: bigint; readonly recipients: number };

const MONTH_SECONDS = 30n * 86_400n;
/** Seconds for which a size holds at least, and from its announcement until it holds. */
const HOLDS_SECONDS = 182n * 86_400n;
const NOTICE_SECONDS = 30n * 86_400n;

/** What a schedule pays in a month by its public terms, base units: as often as its rule has it, and no oftener than it ever does. */
export function monthlyPay(terms: {
  readonly amount: bigint;
  readonly calendar: Calendar;
  readonly executions: bigint;
}): bigint {
  const { amount, calendar, executions } = terms;
  const interval = minIntervalSeconds(calendar);
  if (interval > MONTH_SECONDS) return (amount * MONTH_SECONDS) / interval;
  const times = MONTH_SECONDS / interval;
  return amount * (times < executions ? times : executions);
}

/** A size of parts, base units, and from when on it holds, unix seconds. */
export type SizeFrom = { readonly size: bigint; readonly from: bigint };

/**
 * What is to follow the last size that was announced, if anything: people who leave in parts of different sizes don't hide each other, so it
 * changes twice a year at most, and is known a month ahead. `derived`: what public figures say now.
 */
export function sizeToAnnounce(last: SizeFrom | undefined, derived: bigint, now: bigint): SizeFrom | undefined {
  if (derived === 0n || derived === last?.size) return undefined;
  if (last === undefined) return { size: derived, from: now };
  const from = now + NOTICE_SECONDS;
  return from < last.from + HOLDS_SECONDS ? undefined : { size: derived, from };
}

/** The largest 1, 2 or 5 × 10ⁿ that is not above `most`; 0 below 1. */
function roundBelow(most: bigint): bigint {
  if (most < 1n) return 0n;
  const power = 10n ** BigInt(most.toString().length - 1);
  return [5n, 2n, 1n].map((digit) => digit * power).find((size) => size <= most) as bigint;
}

/**
 * The one size in which all balances of a token leave, base units: the largest 1, 2 or 5 × 10ⁿ that is at most a quarter of what the median
 * recipient gets in a month. Only public figures decide, and each schedule's by its number of recipients: one that pays few people very
 * much moves nothing. 0 if nobody is paid.
 */
export function partSize(schedules: readonly PublicPay[]): bigint {
  const averages = schedules
    .filter(({ recipients }) => recipients > 0)
    .map(({ monthly, recipients }) => ({ average: monthly / BigInt(recipients), recipients }))
    .sort((one, other) => (one.average < other.average ? -1 : 1));
  const half = averages.reduce((sum, { recipients }) => sum + recipients, 0) / 2;
  let counted = 0;
  const median = averages.find(({ recipients }) => {
    counted += recipients;
    return counted >= half;
  });
  return roundBelow((median?.average ?? 0n) / 4n);
}
