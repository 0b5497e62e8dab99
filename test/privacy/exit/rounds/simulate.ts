import { Random } from '@payouts/testing/random';
import { type Figures, figuresOf, mean } from './figures.ts';
import { type Leak, publish } from './ledger.ts';
import { chancesOf, holdingsOf, observe } from './observer.ts';
import { type Group, type Lot, type Played, play, type Variant } from './play.ts';
import { type Steady, steadyOf } from './steady.ts';
import { type Habit, MONTHS, makeWorld, type Population, paymentsOf, type World } from './world.ts';

/** What a run differs in from the usual one. */
export type Options = Variant & Population & { readonly leak?: Leak };

/** What a run came to; figures by habit are shares of one, times in hours. */
export type Outcome = {
  /** Of the first token's people, by what they do. */
  readonly byHabit: Readonly<Record<Habit, Figures>>;
  /** Of the second token's people who keep to the default. */
  readonly second: Figures;
  /** Whose a wallet is and which is somebody's, of all the first token's people alike. */
  readonly all: { readonly whose: number; readonly which: number };
  readonly hours: { readonly median: number; readonly longest: number };
  /** Of somebody in a month. */
  readonly parts: number;
  /** If those who keep to the default took the same to the same wallets each month. */
  readonly steady: Steady;
  /** How often the best guess is right about those who link so many of their wallets. */
  readonly joining: Readonly<Record<Joining, number>>;
};

/** Plays half a year of so many people on the first token, and the observer. */
export function simulateRounds(count: number, seed: number, options: Options = {}): Outcome {
  const world = makeWorld(new Random(seed), count, options);
  const random = new Random(seed + 1);
  const played = play(world, options);
  const ledger = publish(world, played, random, options.leak);
  const classes = observe(world, played, ledger.payouts);
  const isOfToken = (token: number) => (person: number) =>
    world.employers[world.people[person]?.jobs[0]?.employer ?? -1]?.token === token;
  const figures = (token: number, habit: Habit) =>
    figuresOf(classes, ledger, (person) => isOfToken(token)(person) && world.people[person]?.habit === habit);
  const byHabit = {
    rounds: figures(0, 'rounds'),
    'at once': atOnce(world),
    joins: figures(0, 'joins'),
    exchange: figures(0, 'exchange'),
  };
  return {
    byHabit,
    second: figures(1, 'rounds'),
    all: allOf(world, byHabit, isOfToken(0)),
    hours: hoursOf(world, played),
    parts: partsOf(world, played),
    steady: steadyOf(world),
    joining: joiningOf(world, played, random),
  };
}

/** Weighs every person alike, and not every wallet. */
function allOf(world: World, byHabit: Outcome['byHabit'], isMeant: (person: number) => boolean): Outcome['all'] {
  const meant = world.people.filter((_, person) => isMeant(person));
  return {
    whose: mean(meant.map(({ habit }) => byHabit[habit].whose)),
    which: mean(meant.map(({ habit }) => byHabit[habit].which)),
  };
}

/** Whoever takes everything out at once, to one wallet, is known by times and amounts: hidden among those alone who have the same. */
function atOnce(world: World): Figures {
  const series = new Map<number, string>();
  for (const { person, token, at, amount } of paymentsOf(world)) {
    if (world.people[person]?.habit !== 'at once') continue;
    series.set(person, `${series.get(person) ?? ''} ${token} ${at} ${amount}`);
  }
  const same = new Map<string, number>();
  for (const each of series.values()) same.set(each, (same.get(each) ?? 0) + 1);
  const among = [...series.values()].map((each) => same.get(each) as number).sort((one, other) => one - other);
  const right = mean(among.map((count) => 1 / count));
  const best = 1 / (among[0] ?? 1);
  const [whose, worst] = [
    { whose: right, believed: right, which: right, whichOfAll: right },
    { worst: best, worstOfAll: best },
  ];
  const at = (share: number) => among[Math.floor(share * (among.length - 1))] ?? 1;
  return { ...whose, ...worst, link: 1, median: at(0.5), fifth: at(0.05) };
}

const isDefault = (world: World, person: number) => world.people[person]?.habit === 'rounds';

/** Hours until nine tenths of what a window paid are out, the rest from before included; and the longest that a part waited. */
function hoursOf(world: World, { plans }: Played): Outcome['hours'] {
  const waitedFor = ({ plan, group }: Lot) => Number((group?.round ?? plan.asked) - plan.asked) / 3_600;
  const hours = plans
    .filter(({ person }) => isDefault(world, person))
    .map(({ lots, pay }) => {
      let out = 0n;
      const last = lots.find(({ parts, group }) => {
        out += BigInt(parts) * (group?.size ?? 0n);
        return out * 10n >= pay * 9n;
      });
      return last === undefined ? Number.POSITIVE_INFINITY : waitedFor(last);
    });
  const longest = plans.flatMap(({ lots }) => lots).reduce((most, lot) => Math.max(most, waitedFor(lot)), 0);
  hours.sort((one, other) => one - other);
  return { median: hours[Math.floor(hours.length / 2)] ?? 0, longest };
}

function partsOf(world: World, { plans }: Played): number {
  const people = world.people.filter(({ habit }) => habit === 'rounds').length;
  const mine = plans.filter(({ person }) => isDefault(world, person));
  return mine.reduce((sum, { parts }) => sum + parts, 0) / people / MONTHS;
}

/** Wallets of one person's that something links: to whom, what they pay with them, or when. */
export const JOININGS = ['two', 'one a month', 'a month’s', 'all of six months'] as const;
export type Joining = (typeof JOININGS)[number];
const ASKED = 300;

/** How often the observer names the person whose wallets are linked, of some who keep to the default. */
function joiningOf(world: World, { groups }: Played, random: Random): Outcome['joining'] {
  const holdings = holdingsOf(groups);
  const people = [...holdings.keys()].filter((person) => isDefault(world, person));
  const right = new Map<Joining, number[]>(JOININGS.map((joining) => [joining, []]));
  for (let asked = 0; asked < ASKED; asked += 1) {
    const person = random.pick(people);
    const mine = holdings.get(person) as ReadonlyMap<Group, number>;
    for (const joining of JOININGS) {
      const chances = chancesOf(linkedBy(joining, mine, random), holdings);
      const most = Math.max(...chances.values());
      const best = [...chances].filter(([, chance]) => chance >= most * (1 - 1e-9)).map(([each]) => each);
      right.get(joining)?.push(best.includes(person) ? 1 / best.length : 0);
    }
  }
  return Object.fromEntries([...right].map(([joining, each]) => [joining, mean(each)])) as Outcome['joining'];
}

function linkedBy(joining: Joining, mine: ReadonlyMap<Group, number>, random: Random): Map<Group, number> {
  const parts = [...mine].flatMap(([group, count]) => Array<Group>(count).fill(group));
  const monthOf = ({ round }: Group) => new Date(Number(round) * 1_000).getUTCMonth();
  const month = monthOf(random.pick(parts));
  const months = new Map<number, Group>(parts.map((group) => [monthOf(group), group]));
  const first = random.below(parts.length);
  const second = (first + random.between(1, Math.max(1, parts.length - 1))) % parts.length;
  const chosen: Record<Joining, readonly Group[]> = {
    two: parts.filter((_, place) => place === first || place === second),
    'one a month': [...months.values()],
    'a month’s': parts.filter((group) => monthOf(group) === month),
    'all of six months': parts,
  };
  const counts = new Map<Group, number>();
  for (const group of chosen[joining]) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}
