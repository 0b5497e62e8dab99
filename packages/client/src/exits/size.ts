import { type Calendar, minIntervalSeconds } from '../rules/calendar.ts';

/** What anybody can read of a schedule: what it has paid in a month, base units, and to how many. */
export type PublicPay = { readonly monthly: bigint; readonly recipients: number };

const MONTH_SECONDS = 30n * 86_400n;
/** Seconds for which a size holds at least, and from its announcement until it holds. */
const HOLDS_SECONDS = 182n * 86_400n;
const NOTICE_SECONDS = 30n * 86_400n;

/** What a schedule that pays so much in a window pays in a month, base units: as often as its rule has it, and no oftener than `windows`. */
export function monthlyPay(terms: {
  readonly amount: bigint;
  readonly calendar: Calendar;
  readonly windows: bigint;
}): bigint {
  const { amount, calendar, windows } = terms;
  const interval = minIntervalSeconds(calendar);
  if (interval > MONTH_SECONDS) return (amount * MONTH_SECONDS) / interval;
  const times = MONTH_SECONDS / interval;
  return amount * (times < windows ? times : windows);
}

/** A size of parts, base units, and from when on it holds, unix seconds. */
export type SizeFrom = { readonly size: bigint; readonly from: bigint };

/**
 * From when on another size can hold: people who leave in parts of different sizes don't hide each other, so it changes twice a year at most,
 * and is known a month ahead. `used`: the size that holds now and in which parts have left; undefined: none has, so one can hold at once.
 */
export function nextSizeFrom(used: SizeFrom | undefined, now: bigint): bigint {
  if (used === undefined) return now;
  const [announced, held] = [now + NOTICE_SECONDS, used.from + HOLDS_SECONDS];
  return announced > held ? announced : held;
}

/** The largest 1, 2 or 5 × 10ⁿ that is not above `most`; 0 below 1. */
function roundBelow(most: bigint): bigint {
  if (most < 1n) return 0n;
  const power = 10n ** BigInt(most.toString().length - 1);
  return [5n, 2n, 1n].map((digit) => digit * power).find((size) => size <= most) as bigint;
}

/**
 * The size that a token's pay suggests, base units: at most a quarter of what a recipient gets in a month, on average, of the schedule that is in
 * the middle by what schedules pay. Money counts and not people, who cost nothing: a schedule that pays very little to very many moves nothing.
 * 0 if nobody is paid.
 */
export function partSize(schedules: readonly PublicPay[]): bigint {
  const averages = schedules
    .filter(({ recipients }) => recipients > 0)
    .map(({ monthly, recipients }) => ({ average: monthly / BigInt(recipients), monthly }))
    .sort((one, other) => (one.average < other.average ? -1 : 1));
  const all = averages.reduce((sum, { monthly }) => sum + monthly, 0n);
  let counted = 0n;
  const median = averages.find(({ monthly }) => {
    counted += monthly;
    return counted * 2n >= all;
  });
  return roundBelow((median?.average ?? 0n) / 4n);
}
