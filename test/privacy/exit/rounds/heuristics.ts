import type { Payout } from './ledger.ts';
import type { Group, Plan } from './play.ts';

/** Payouts by their place in the public record that are one person's. */
export type Cluster = readonly number[];

/** A way to tell that payouts are one person's. */
type Heuristic = (payouts: readonly Payout[]) => Cluster[];

/** Those of which something is the same. */
const bySame =
  (trait: (payout: Payout) => string | number | bigint | undefined): Heuristic =>
  (payouts) => {
    const found = new Map<string | number | bigint, number[]>();
    for (const [place, payout] of payouts.entries()) {
      const same = trait(payout);
      if (same === undefined) continue;
      const others = found.get(same);
      if (others === undefined) found.set(same, [place]);
      else others.push(place);
    }
    return [...found.values()].filter(({ length }) => length > 1);
  };

/** Wallets that were emptied in the same second, if more of them were than by chance. */
const bySecond: Heuristic = (payouts) => {
  const clusters = bySame(({ move }) => move.at)(payouts);
  const pairs = clusters.reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0);
  const times = payouts.map(({ move }) => Number(move.at));
  const [first, last] = times.reduce(
    ([least, most], at) => [Math.min(least, at), Math.max(most, at)],
    [Number.POSITIVE_INFINITY, 0],
  );
  const byChance = payouts.length ** 2 / 2 / (last - first + 1);
  return pairs > 10 + 10 * byChance ? clusters : [];
};

/** Address reuse; consolidation, without addresses known to be many people's; who paid the fee, and what they bid; when. */
export const HEURISTICS: Readonly<Record<string, Heuristic>> = {
  wallet: bySame(({ wallet }) => wallet),
  graph: bySame(({ move }) => (move.isLabelled ? undefined : move.to)),
  payer: bySame(({ move }) => move.payer),
  price: bySame(({ move }) => move.price),
  timing: bySecond,
};

/** People whom an amount that isn't the size of a part points to, by payout: by its digits, or since it and another make up their pay. */
export function byAmount(payouts: readonly Payout[], plans: readonly Plan[]): Map<number, ReadonlySet<number>> {
  const pointedTo = new Map<number, ReadonlySet<number>>();
  const odd = new Map<Group, number[]>();
  for (const [place, { group, amount }] of payouts.entries()) {
    if (amount !== group.size) odd.set(group, [...(odd.get(group) ?? []), place]);
  }
  const leaving = new Map<Group, Plan[]>();
  for (const plan of plans) {
    const group = plan.lots[0]?.group;
    if (group !== undefined && odd.has(group)) {
      leaving.set(group, [...(leaving.get(group) ?? []), plan]);
    }
  }
  for (const [group, places] of odd) {
    const mine = leaving.get(group) ?? [];
    const amountOf = (place: number) => (payouts[place] as Payout).amount;
    for (const place of places) {
      const rest = new Set(mine.filter((plan) => plan.rest === amountOf(place)).map(({ person }) => person));
      const people = rest.size > 0 ? rest : paidIn(place, places, amountOf, mine);
      if (people.size > 0) pointedTo.set(place, people);
    }
  }
  return pointedTo;
}

/** Whose pay an amount and one other of the round make up: knapsack by twos. */
function paidIn(place: number, places: readonly number[], amountOf: (place: number) => bigint, plans: readonly Plan[]) {
  const others = new Set(places.filter((other) => other !== place).map(amountOf));
  const fitting = plans.filter(({ pay }) => others.has(pay - amountOf(place)));
  return new Set(fitting.map(({ person }) => person));
}

/**
 * Whether parts leave in the order in which they were asked for: those that are known to be one person's, by what became of them, then follow each
 * other.
 */
export function isInOrder(payouts: readonly Payout[], clusters: readonly Cluster[]): boolean {
  let [neighbours, pairs] = [0, 0];
  for (const cluster of clusters) {
    const sorted = cluster.map((place) => payouts[place] as Payout);
    sorted.sort((one, other) => Number(one.group.round - other.group.round) || one.place - other.place);
    for (const [at, payout] of sorted.entries()) {
      const next = sorted[at + 1];
      if (next === undefined || next.group !== payout.group) continue;
      pairs += 1;
      if (next.place === payout.place + 1) neighbours += 1;
    }
  }
  return pairs >= 10 && neighbours > pairs / 2;
}
