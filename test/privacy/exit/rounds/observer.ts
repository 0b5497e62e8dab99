import { byAmount, type Cluster, HEURISTICS, isInOrder } from './heuristics.ts';
import type { Payout } from './ledger.ts';
import type { Group, Lot, Plan, Played } from './play.ts';
import type { World } from './world.ts';

/** Payouts that the observer can't tell apart, or holds to be one person's; and whose each of them is, by person. */
export type Class = {
  readonly payouts: readonly number[];
  readonly isLinked: boolean;
  readonly chances: ReadonlyMap<number, number>;
};

/** Parts of everybody by group, as the observer has worked them out. */
export type Holdings = ReadonlyMap<number, ReadonlyMap<Group, number>>;

/** Somebody who keeps wallets apart as a habit, and has emptied these to one address all the same. */
const AGAINST_HABIT = 1e-6;
/** What is so much less likely than the likeliest isn't kept. */
const UNLIKELY = 1e-5;

export function holdingsOf(groups: readonly Group[]): Holdings {
  const holdings = new Map<number, Map<Group, number>>();
  for (const group of groups) {
    for (const [person, count] of group.held) {
      const mine = holdings.get(person) ?? new Map<Group, number>();
      mine.set(group, count);
      holdings.set(person, mine);
    }
  }
  return holdings;
}

/**
 * What somebody can tell who sees the public record and knows everybody's employers, pay, pay days and habit, and so how many parts each person has
 * in each round. Parts of a round that nothing links are as likely one person's as another's: the chance is exactly own ÷ all.
 */
export function observe(world: World, { groups, plans }: Played, payouts: readonly Payout[]): Class[] {
  const holdings = holdingsOf(groups);
  const found = Object.values(HEURISTICS).flatMap((heuristic) => heuristic(payouts));
  const clusters = merged(found.filter((cluster) => isFeasible(cluster, payouts, holdings)));
  const isJoined = (cluster: Cluster) => new Set(cluster.map((place) => payouts[place]?.move.to)).size === 1;
  const joiners = world.people.filter(({ habit }) => habit === 'joins' || habit === 'exchange').length;
  // More addresses than people who join: others do as well, and habits say nothing.
  const byHabit = clusters.filter(isJoined).length <= joiners ? world : undefined;
  const linked = clusters.map((cluster): Class => {
    const counts = countsOf(cluster, payouts);
    return {
      payouts: cluster,
      isLinked: true,
      chances: chancesOf(counts, holdings, isJoined(cluster) ? byHabit : undefined),
    };
  });
  const seen = new Set(clusters.flat());
  for (const [place, people] of byAmount(payouts, plans)) {
    if (seen.has(place)) continue;
    seen.add(place);
    const chances = new Map([...people].map((person) => [person, 1 / people.size]));
    linked.push({ payouts: [place], isLinked: true, chances });
  }
  const cells = cellsOf(groups, plans, payouts, isInOrder(payouts, clusters));
  return [...linked, ...unlinked(cells, linked, seen)];
}

/** Clusters that share a payout are one. */
function merged(clusters: readonly Cluster[]): Cluster[] {
  const root = new Map<number, number>();
  const rootOf = (place: number): number => {
    let at = place;
    for (let up = root.get(at) ?? at; up !== at; up = root.get(at) ?? at) at = up;
    root.set(place, at);
    return at;
  };
  for (const cluster of clusters) for (const place of cluster) root.set(rootOf(place), rootOf(cluster[0] as number));
  const found = new Map<number, number[]>();
  for (const place of root.keys()) {
    const top = rootOf(place);
    const same = found.get(top);
    if (same === undefined) found.set(top, [place]);
    else same.push(place);
  }
  return [...found.values()];
}

/** Parts by group; those of other sizes than a part's say nothing here. */
function countsOf(cluster: Cluster, payouts: readonly Payout[]): Map<Group, number> {
  const counts = new Map<Group, number>();
  for (const place of cluster) {
    const { group, amount } = payouts[place] as Payout;
    if (amount === group.size) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

/** Who could have got all of these: looked for in one group after the other, the one with the fewest people first. */
function candidatesOf(counts: ReadonlyMap<Group, number>, holdings: Holdings): number[] {
  const groups = [...counts].sort(([one], [other]) => one.held.size - other.held.size);
  const few = [...(groups[0]?.[0].held.keys() ?? holdings.keys())];
  return groups.reduce((left, [group, count]) => left.filter((person) => (group.held.get(person) ?? 0) >= count), few);
}

/** Whether anybody could have got all of these. If not, whatever they share is many people's: a relay, a shop, a usual price. */
function isFeasible(cluster: Cluster, payouts: readonly Payout[], holdings: Holdings): boolean {
  return candidatesOf(countsOf(cluster, payouts), holdings).length > 0;
}

const waysToChoose = (count: number, of: number): number => {
  let ways = 1;
  for (let place = 1; place <= count; place += 1) ways *= (of - count + place) / place;
  return ways;
};

/**
 * Whose parts these are that are one person's. Either all of the time they span, which everybody has one way to make, or a choice of them at random.
 * `world`: they were emptied to one address, so that habits count.
 */
export function chancesOf(
  counts: ReadonlyMap<Group, number>,
  holdings: Holdings,
  world?: World,
): ReadonlyMap<number, number> {
  const rounds = [...counts.keys()].map(({ round }) => Number(round));
  const [first, last] = [Math.min(...rounds), Math.max(...rounds)];
  const size = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const weights = candidatesOf(counts, holdings).map((person): [number, number] => {
    const mine = [...(holdings.get(person) as ReadonlyMap<Group, number>)];
    const within = mine.filter(([{ round }]) => Number(round) >= first && Number(round) <= last);
    const isAll = within.length === counts.size && within.every(([group, count]) => counts.get(group) === count);
    const total = mine.reduce((sum, [, count]) => sum + count, 0);
    const chosen = mine.reduce((ways, [group, count]) => ways * waysToChoose(counts.get(group) ?? 0, count), 1);
    const habit = world?.people[person]?.habit === 'rounds' ? AGAINST_HABIT : 1;
    return [person, habit * ((isAll ? 1 : 0) + chosen / waysToChoose(size, total))];
  });
  const most = weights.reduce((greatest, [, weight]) => Math.max(greatest, weight), 0);
  const likely = weights.filter(([, weight]) => weight > most * UNLIKELY);
  const sum = likely.reduce((total, [, weight]) => total + weight, 0);
  return new Map(likely.map(([person, weight]) => [person, weight / sum]));
}

/** Parts that nothing but their place may tell apart: a group, or what one window brought to it. */
type Cell = { readonly places: number[]; readonly held: Map<number, number> };

/** Groups; if parts leave in the order in which they were asked for, the windows in them. */
function cellsOf(
  groups: readonly Group[],
  plans: readonly Plan[],
  payouts: readonly Payout[],
  isOrdered: boolean,
): Map<Group, Cell[]> {
  const cells = new Map<Group, Cell[]>();
  const cellAt = new Map<Group, Cell[]>();
  if (!isOrdered) {
    for (const group of groups) cells.set(group, [{ places: [], held: new Map(group.held) }]);
  } else {
    const last = new Map<Group, Plan>();
    for (const { plan, parts, group } of plans.flatMap(({ lots }): Lot[] => lots)) {
      if (group === undefined) continue;
      const inGroup = cells.get(group) ?? [];
      cells.set(group, inGroup);
      const former = last.get(group);
      const isNext = former?.employer === plan.employer && former.asked === plan.asked;
      const cell = isNext ? (inGroup.at(-1) as Cell) : { places: [], held: new Map<number, number>() };
      if (!isNext) inGroup.push(cell);
      cell.held.set(plan.person, (cell.held.get(plan.person) ?? 0) + parts);
      const at = cellAt.get(group) ?? [];
      for (let part = 0; part < parts; part += 1) at.push(cell);
      cellAt.set(group, at);
      last.set(group, plan);
    }
  }
  for (const [place, payout] of payouts.entries()) {
    const cell = cellAt.get(payout.group)?.[payout.place] ?? cells.get(payout.group)?.at(-1);
    cell?.places.push(place);
  }
  return cells;
}

/** What is linked to nothing: own ÷ all, of what is left when everybody has what is known to be theirs. */
function unlinked(cells: ReadonlyMap<Group, Cell[]>, linked: readonly Class[], seen: ReadonlySet<number>): Class[] {
  const known = new Map<number, Class>();
  for (const each of linked) for (const place of each.payouts) known.set(place, each);
  return [...cells.values()].flat().flatMap(({ places, held }): Class[] => {
    for (const place of places) {
      for (const [person, chance] of known.get(place)?.chances ?? []) {
        const count = held.get(person);
        if (count !== undefined) held.set(person, Math.max(0, count - chance));
      }
    }
    const left = places.filter((place) => !seen.has(place));
    const all = [...held.values()].reduce((sum, count) => sum + count, 0);
    if (left.length === 0 || all === 0) return [];
    const chances = [...held]
      .filter(([, count]) => count > 1e-9)
      .map(([person, count]) => [person, count / all] as const);
    return [{ payouts: left, isLinked: false, chances: new Map(chances) }];
  });
}
