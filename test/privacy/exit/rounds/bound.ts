import { EXIT_LIMIT_SECONDS, lastRound, ROUND_SECONDS, roundBefore } from '@payouts/client';
import type { Plan, Played } from './play.ts';

/**
 * How often the best guess whose a wallet is is right at least, whichever rounds these plans leave in, if each leaves whole and within the
 * limit: the guess for a round is whoever has most parts in it, so it is right as often as the sum of these over all rounds, of all parts. The
 * rounds are chosen so that this sum is the least. Nobody's wallets are known here, and plans are as they were played.
 */
export function leastWhose(
  { plans }: Played,
  isMeant: (plan: Plan) => boolean,
  limit: bigint = EXIT_LIMIT_SECONDS,
): number {
  const meant = plans.filter((plan) => plan.parts > 0 && isMeant(plan));
  const all = meant.reduce((sum, { parts }) => sum + parts, 0);
  const moments = new Map<bigint, Plan[]>();
  for (const plan of meant) moments.set(plan.asked, [...(moments.get(plan.asked) ?? []), plan]);
  const times = [...moments.keys()].sort((one, other) => Number(one - other));
  /** The least sum over the rounds of what is asked for at the first so many times. */
  const least = [0];
  for (const [place, last] of times.entries()) {
    const round = roundBefore(last + ROUND_SECONDS - 1n);
    const held = new Map<number, number>();
    let [most, best] = [0, Number.POSITIVE_INFINITY];
    for (let first = place; first >= 0 && lastRound(times[first] as bigint, limit) >= round; first -= 1) {
      for (const { person, parts } of moments.get(times[first] as bigint) as Plan[]) {
        const own = (held.get(person) ?? 0) + parts;
        held.set(person, own);
        most = Math.max(most, own);
      }
      best = Math.min(best, (least[first] as number) + most);
    }
    least.push(best);
  }
  return (least.at(-1) as number) / Math.max(1, all);
}
