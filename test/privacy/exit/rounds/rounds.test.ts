import { EXIT_LIMIT_SECONDS, FIRST_LIMIT_SECONDS, MOST_PARTS, ROUND_SECONDS } from '@payouts/client';
import { Random } from '@payouts/testing/random';
import { describe, expect, it } from 'vitest';
import { byCounting } from '../observer.ts';
import { type Leak, type Payout, publish } from './ledger.ts';
import { chancesOf, holdingsOf, observe } from './observer.ts';
import { type Group, play } from './play.ts';
import { type Outcome, simulateRounds } from './simulate.ts';
import { type Habit, makeWorld, START, type World } from './world.ts';

const groupOf = (held: readonly number[], rounds = 1n): Group => ({
  token: 0,
  size: 500n,
  round: START + rounds * ROUND_SECONDS,
  held: new Map([...held.entries()].filter(([, count]) => count > 0)),
});
const worldOf = (habits: readonly Habit[]): World => ({
  employers: [],
  people: habits.map((habit) => ({ habit, jobs: [] })),
});
/** As many payouts as there are parts; those of one destination, by their place in the group, are joined. */
function payoutsOf(group: Group, joined: Readonly<Record<number, string>> = {}): Payout[] {
  const count = [...group.held.values()].reduce((sum, each) => sum + each, 0);
  return Array.from({ length: count }, (_, place): Payout => {
    const to = joined[place] ?? 'shop';
    const move = { to, isLabelled: to === 'shop', payer: 'relay', price: 1, at: BigInt(place) * 977n };
    return { group, place, amount: group.size, wallet: Number(group.round) + place, move };
  });
}

describe('the observer of rounds', () => {
  it('says what counting all assignments says, whoever has how many parts', () => {
    const random = new Random(11);
    for (let run = 0; run < 20; run += 1) {
      const held = Array.from({ length: 4 }, () => random.between(0, 2));
      const group = groupOf(held);
      const payouts = payoutsOf(group);
      if (payouts.length === 0) continue;
      const [found] = observe(worldOf(Array(4).fill('rounds')), { groups: [group], plans: [] }, payouts);
      const columns = [...group.held.values()].map((each) => ({ size: 1, each }));
      const likelihood = new Float64Array(columns.length).fill(1);
      const counted = byCounting({ rows: [payouts.length], columns, likelihood });
      for (const [at, chance] of [...(found?.chances.values() ?? [])].entries()) {
        expect(chance).toBeCloseTo(counted[at] as number, 12);
      }
      expect(found?.chances.size).toBe(columns.length);
    }
  });

  it('takes out of a round whom their joined wallets give away, so that the others hide among fewer', () => {
    // Of two, one and three parts; the last person has joined hers.
    const group = groupOf([2, 1, 3]);
    const joined = { 1: 'hers', 3: 'hers', 4: 'hers' };
    const habits: Habit[] = ['rounds', 'rounds', 'joins'];
    const classes = observe(worldOf(habits), { groups: [group], plans: [] }, payoutsOf(group, joined));
    const linked = classes.find(({ isLinked }) => isLinked);
    expect(linked?.payouts).toEqual([1, 3, 4]);
    expect([...(linked?.chances ?? [])]).toEqual([[2, 1]]);
    const others = classes.find(({ isLinked }) => !isLinked);
    expect(others?.payouts).toEqual([0, 2, 5]);
    expect(others?.chances).toEqual(new Map([0, 1].map((person) => [person, (2 - person) / 3])));
  });

  it('takes what nobody could have got alone for many people’s', () => {
    const group = groupOf([2, 2]);
    const shared = { 0: 'somewhere', 1: 'somewhere', 2: 'somewhere' };
    const classes = observe(worldOf(['rounds', 'rounds']), { groups: [group], plans: [] }, payoutsOf(group, shared));
    expect(classes.map(({ isLinked }) => isLinked)).toEqual([false]);
  });

  it('weighs two linked wallets by the pairs that everybody has, and by who has no others', () => {
    // Three pairs of the first person, one of the second, who has no more than these two.
    const group = groupOf([3, 2]);
    const chances = chancesOf(new Map([[group, 2]]), holdingsOf([group]));
    // One way of all three pairs is as good as another; the second person makes no other choice, and all of theirs is one, too.
    expect(chances.get(0)).toBeCloseTo(1 / 3, 12);
    expect(chances.get(1)).toBeCloseTo(2 / 3, 12);
  });
});

describe('a half-year of payments', () => {
  it('follows real calendars', () => {
    const { employers } = makeWorld(new Random(4), 1_000);
    expect(new Set(employers.map(({ yearly }) => yearly))).toEqual(new Set([12, 24, 26, 52]));
    for (const { yearly, windows } of employers) {
      const expected = yearly === 26 ? [13] : yearly === 52 ? [25, 26] : [yearly / 2];
      expect(expected).toContain(windows.length);
      const lengths = new Set(windows.slice(1).map((due, place) => due - (windows[place] as bigint)));
      // Weeks are alike, months are not.
      expect(lengths.size === 1).toBe(yearly > 24);
    }
  });

  it('has every part leave in one of two rounds of its plan, none after its limit, and what is less stay', () => {
    const world = makeWorld(new Random(5), 300);
    const { groups, plans } = play(world);
    const held = groups.flatMap((group) => [...group.held.values()]).reduce((sum, count) => sum + count, 0);
    expect(plans.reduce((sum, { parts }) => sum + parts, 0)).toBe(held);
    for (const { lots, asked, parts, rest, balance } of plans) {
      expect(lots.reduce((sum, lot) => sum + lot.parts, 0)).toBe(parts);
      for (const [place, { group, due }] of lots.entries()) {
        if (group === undefined) throw new Error('a part never left');
        expect(group.round <= due && group.round >= asked).toBe(true);
        expect(due - asked <= (place < lots.length - 1 ? FIRST_LIMIT_SECONDS : EXIT_LIMIT_SECONDS)).toBe(true);
        expect(BigInt(parts) * group.size + rest).toBe(balance);
      }
    }
  });
});

describe('a planted leak', () => {
  const PEOPLE = 150;
  const honest = simulateRounds(PEOPLE, 6).byHabit.rounds;

  it('is what the observer lacks: without one nothing is linked, and guesses are right by chance', () => {
    const world = makeWorld(new Random(6), PEOPLE);
    const played = play(world);
    const { payouts, owners } = publish(world, played, new Random(7));
    const linked = observe(world, played, payouts).filter(({ isLinked }) => isLinked);
    const habits = linked.flatMap((each) => each.payouts.map((place) => world.people[owners[place] as number]?.habit));
    expect(new Set(habits)).toEqual(new Set(['joins', 'exchange']));
    expect(honest.whose).toBeLessThan(0.08);
    expect(honest.link).toBeLessThan(0.05);
  });

  const found: readonly (readonly [Leak, keyof Outcome['byHabit']['rounds'], number])[] = [
    ['wallet', 'whose', 0.7],
    ['digits', 'which', 0.5],
    ['knapsack', 'whose', 0.7],
    ['graph', 'link', 0.9],
    ['payer', 'whose', 0.7],
    ['price', 'whose', 0.7],
    ['timing', 'link', 0.8],
    ['order', 'whose', 1.3 * honest.whose],
  ];

  it.each(found)('is found: %s', (leak, figure, least) => {
    const figures = simulateRounds(PEOPLE, 6, { leak }).byHabit.rounds;
    expect(figures[figure]).toBeGreaterThan(least);
    expect(figures[figure]).toBeGreaterThan(1.3 * honest[figure]);
    expect(figures.whose).toBeGreaterThan(1.3 * honest.whose);
  });
});

describe('withdrawals in rounds, for those who keep to the default', () => {
  const outcome = simulateRounds(1_000, 3);
  const { rounds } = outcome.byHabit;

  it('give away less than if all parts of a plan left together, without a longer wait for most', () => {
    const together = simulateRounds(1_000, 1, { firstParts: MOST_PARTS, firstLimit: 96n * 3_600n });
    const apart = simulateRounds(1_000, 1);
    expect(apart.byHabit.rounds.whose).toBeLessThan(0.95 * together.byHabit.rounds.whose);
    expect(apart.hours.median).toBeLessThan(together.hours.median);
  });

  it('of the same each month, to wallets that are used again, tell less than all of it', () => {
    const { one, worst, fixed, out } = outcome.steady;
    expect(one).toBeLessThan(0.015);
    expect(one).toBeLessThan(outcome.joining['all of six months'] / 10);
    expect(worst).toBeLessThan(0.06);
    expect(fixed).toBeLessThan(one);
    expect(out).toBeGreaterThan(0.7);
  });

  it('are given away no more by employers who have everybody wait, only later', () => {
    const hostile = simulateRounds(1_000, 3, { hostileWindows: true });
    expect(hostile.byHabit.rounds.whose).toBeLessThan(1.1 * rounds.whose);
    expect(hostile.hours.longest).toBeLessThanOrEqual(240);
    expect(hostile.hours.median).toBeGreaterThan(outcome.hours.median);
  });

  it('are the same for the same seed', () => {
    expect(simulateRounds(100, 3)).toEqual(simulateRounds(100, 3));
  });

  it('give away what the observer thinks they do', () => {
    expect(Math.abs(rounds.whose - rounds.believed)).toBeLessThan(0.002);
  });

  it('reach what the documentation says, at 1,000 people', () => {
    expect(rounds.which).toBeLessThanOrEqual(0.01);
    expect(rounds.link).toBeLessThanOrEqual(0.02);
    expect(rounds.worst).toBeLessThanOrEqual(0.025);
    expect(outcome.parts).toBeLessThanOrEqual(8);
    expect(outcome.hours.longest).toBeLessThanOrEqual(240);
    expect(outcome.hours.median).toBeLessThan(48);
    expect(rounds.whose).toBeLessThanOrEqual(0.01);
  });

  it('are not what others have: one wallet, or joined ones, are mostly known', () => {
    for (const habit of ['at once', 'joins', 'exchange'] as const) {
      expect(outcome.byHabit[habit].whose).toBeGreaterThan(0.6);
    }
  });

  it('are not given away by recipients who have something waiting all the time', () => {
    const hostile = simulateRounds(1_000, 3, { hostileAfter: 0n });
    expect(hostile.byHabit.rounds.whose).toBeLessThan(2 * rounds.whose);
    expect(hostile.hours.longest).toBeLessThanOrEqual(240);
  });
});
