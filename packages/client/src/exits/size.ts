/** What anybody can read of a schedule: what it pays in a month, base units, and to how many. */
export type PublicPay = { readonly monthly: bigint; readonly recipients: number };

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
