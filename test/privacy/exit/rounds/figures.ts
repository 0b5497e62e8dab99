import type { Ledger } from './ledger.ts';
import type { Class } from './observer.ts';
import { END, MONTHS, START } from './world.ts';

/** How often the observer is right about some people, as shares of one. */
export type Figures = {
  /** The best guess whose a wallet is; and how often the observer thinks it is. */
  readonly whose: number;
  readonly believed: number;
  /** The best guess of a wallet of a given person's, by month; the best of all months. */
  readonly which: number;
  readonly whichOfAll: number;
  /** The same of the person about whom the observer knows most: on average over the months, and in any. */
  readonly worst: number;
  readonly worstOfAll: number;
  /** For a wallet, the one of all others that is likeliest the same person's. */
  readonly link: number;
  /** Effective anonymity sets of wallets, 2 to the entropy: median and fifth percentile. */
  readonly median: number;
  readonly fifth: number;
};

/** Chances this near to the best one are as good to whoever must guess. */
const TIE = 1e-9;
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const greatest = (values: Iterable<number>): number => {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
};

/** How many payouts of a class are whose. */
type Judged = Class & { readonly owners: ReadonlyMap<number, number>; readonly months: ReadonlySet<number> };

/** How right the observer is about some people and their wallets. */
export function figuresOf(classes: readonly Class[], ledger: Ledger, isMeant: (person: number) => boolean): Figures {
  const judged = classes.map((each): Judged => {
    const owners = new Map<number, number>();
    for (const place of each.payouts) {
      const owner = ledger.owners[place] as number;
      owners.set(owner, (owners.get(owner) ?? 0) + 1);
    }
    const rounds = each.payouts.map((place) => ledger.payouts[place]?.group.round ?? START);
    return { ...each, owners, months: new Set(rounds.map(monthOf)) };
  });
  return { ...ofWallets(judged, isMeant), ...ofPeople(judged, isMeant), link: linkOf(judged, isMeant) };
}

const monthOf = (round: bigint) => Math.min(MONTHS - 1, Number(((round - START) * BigInt(MONTHS)) / (END - START)));

function ofWallets(judged: readonly Judged[], isMeant: (person: number) => boolean) {
  const [right, believed, sets]: [number[], number[], number[]] = [[], [], []];
  for (const { owners, chances } of judged) {
    const most = greatest(chances.values());
    const best = new Set([...chances].filter(([, chance]) => chance >= most * (1 - TIE)).map(([person]) => person));
    const entropy = [...chances.values()].reduce(
      (sum, chance) => sum - (chance > 0 ? chance * Math.log2(chance) : 0),
      0,
    );
    for (const [person, count] of owners) {
      if (!isMeant(person)) continue;
      for (let wallet = 0; wallet < count; wallet += 1) {
        right.push(best.has(person) ? 1 / best.size : 0);
        believed.push(most);
        sets.push(2 ** entropy);
      }
    }
  }
  sets.sort((one, other) => one - other);
  const at = (share: number) => sets[Math.floor(share * (sets.length - 1))] ?? 0;
  return { whose: mean(right), believed: mean(believed), median: at(0.5), fifth: at(0.05) };
}

/** The best guess of one of somebody's wallets. */
type Guess = { readonly chance: number; readonly right: number };
const NO_GUESS: Guess = { chance: 0, right: 0 };
const better = (one: Guess, other: Guess) => (other.chance > one.chance ? other : one);

function ofPeople(judged: readonly Judged[], isMeant: (person: number) => boolean) {
  const guesses = new Map<number, Map<number, Guess>>();
  for (const { chances, owners, months, payouts } of judged) {
    for (const [person, chance] of chances) {
      if (!isMeant(person)) continue;
      const guess = { chance, right: (owners.get(person) ?? 0) / payouts.length };
      const mine = guesses.get(person) ?? new Map<number, Guess>();
      for (const month of months) mine.set(month, better(mine.get(month) ?? NO_GUESS, guess));
      guesses.set(person, mine);
    }
  }
  const people = [...guesses.values()].map((months) => [...months.values()]);
  const ofAll = people.map((months) => months.reduce(better, NO_GUESS));
  return {
    which: mean(people.flatMap((months) => months.map(({ right }) => right))),
    whichOfAll: mean(ofAll.map(({ right }) => right)),
    worst: greatest(people.map((months) => mean(months.map(({ right }) => right)))),
    worstOfAll: greatest(ofAll.map(({ right }) => right)),
  };
}

/** How often a wallet's likeliest companion is the same person's: in a cluster another of it, else one of the class that shares most people. */
function linkOf(judged: readonly Judged[], isMeant: (person: number) => boolean): number {
  const apart = judged.filter(({ isLinked }) => !isLinked);
  const shared = pairsOf(apart, ({ payouts, chances }) => scaled(chances, payouts.length));
  const [right, weight] = [[] as number[], [] as number[]];
  const add = (owners: ReadonlyMap<number, number>, share: number) => {
    const meant = [...owners].filter(([person]) => isMeant(person)).reduce((sum, [, count]) => sum + count, 0);
    right.push(share * meant);
    weight.push(meant);
  };
  for (const { owners, payouts, isLinked } of judged) {
    if (!isLinked) continue;
    const same = [...owners.values()].reduce((sum, count) => sum + count * (count - 1), 0);
    add(owners, payouts.length < 2 ? 0 : same / payouts.length / (payouts.length - 1));
  }
  for (const [place, one] of apart.entries()) {
    const chance = (other: number) => {
      const size = (apart[other] as Judged).payouts.length - (other === place ? 1 : 0);
      return size <= 0 ? 0 : (shared.get(pairOf(place, other, apart.length)) ?? 0) / one.payouts.length / size;
    };
    const best = apart.reduce((most, _, other) => (chance(other) > chance(most) ? other : most), place);
    add(one.owners, sameOwner(one, apart[best] as Judged, best === place));
  }
  const all = weight.reduce((sum, each) => sum + each, 0);
  return all === 0 ? 0 : right.reduce((sum, each) => sum + each, 0) / all;
}

const pairOf = (one: number, other: number, count: number) => one * count + other;
const scaled = (chances: ReadonlyMap<number, number>, by: number) =>
  new Map([...chances].map(([person, chance]) => [person, chance * by]));

/** For every two classes how many pairs of one person's parts there are, as far as the observer knows. */
function pairsOf(classes: readonly Judged[], countsOf: (each: Judged) => ReadonlyMap<number, number>) {
  const byPerson = new Map<number, [place: number, count: number][]>();
  for (const [place, each] of classes.entries()) {
    for (const [person, count] of countsOf(each)) {
      const mine = byPerson.get(person);
      if (mine === undefined) byPerson.set(person, [[place, count]]);
      else mine.push([place, count]);
    }
  }
  const pairs = new Map<number, number>();
  for (const mine of byPerson.values()) {
    for (const [one, count] of mine) {
      for (const [other, others] of mine) {
        const pair = pairOf(one, other, classes.length);
        const ways = one === other ? count * Math.max(0, count - 1) : count * others;
        pairs.set(pair, (pairs.get(pair) ?? 0) + ways);
      }
    }
  }
  return pairs;
}

function sameOwner(one: Judged, other: Judged, isSame: boolean): number {
  const size = other.payouts.length - (isSame ? 1 : 0);
  const same = [...one.owners].reduce((sum, [person, count]) => {
    const others = (other.owners.get(person) ?? 0) - (isSame ? 1 : 0);
    return sum + count * Math.max(0, others);
  }, 0);
  return size <= 0 ? 0 : same / one.payouts.length / size;
}
