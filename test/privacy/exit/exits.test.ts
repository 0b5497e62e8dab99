import { Random } from '@payouts/testing/random';
import { describe, expect, it } from 'vitest';
import { HABITS, type Habit, partsOf, releaseChances } from './habits.ts';
import { ofCandidates, ofObservations } from './measure.ts';
import { byCounting, byScaling, posterior, type Question } from './observer.ts';
import { simulate, type Wallets } from './simulate.ts';

const people = (count: number) => Array.from({ length: count }, () => ({ size: 1, each: 1 }));
const question = (rows: number[], columns: Question['columns'], likelihood: number[]): Question => ({
  rows,
  columns,
  likelihood: Float64Array.from(likelihood),
});
const rounded = (chances: Float64Array) => [...chances].map((chance) => Number(chance.toFixed(9)));

describe('what an observer can tell of withdrawals', () => {
  describe('by hand', () => {
    it('weighs two people against two withdrawals: both the one way, or both the other', () => {
      // Anna made the first and Ben the second: 0.6 × 0.1; the other way round: 0.2 × 0.4.
      const chances = posterior(question([1, 1], people(2), [0.6, 0.2, 0.4, 0.1]));
      expect(rounded(chances)).toEqual([6 / 14, 8 / 14, 8 / 14, 6 / 14].map((each) => Number(each.toFixed(9))));
    });

    it('leaves to the second person what cannot be of the first', () => {
      // The first withdrawal was too early for Ben. So it is Anna's, and the second is Ben's, likely as Anna's as it may be.
      const asked = question([1, 1], people(2), [0.1, 0, 0.9, 0.1]);
      const chances = posterior(asked);
      expect(rounded(chances)).toEqual([1, 0, 0, 1]);
      const truth = [[[[0, 1]]], [[[1, 1]]]] as const;
      expect(ofObservations(asked, chances, truth)).toEqual(Array(2).fill({ among: 1, believed: 1, guessed: 1 }));
    });

    it('hides four alike among four, and guesses one in four', () => {
      const asked = question([4], [{ size: 4, each: 1 }], [0.3]);
      const chances = posterior(asked);
      const truth = [Array.from({ length: 4 }, () => [[0, 1]] as const)];
      const hidden = { among: 4, believed: expect.closeTo(0.25, 9), guessed: 0.25 };
      expect(ofObservations(asked, chances, truth)).toEqual(Array(4).fill(hidden));
      expect(ofCandidates(asked, chances, truth)).toEqual(Array(4).fill(hidden));
    });

    it('counts who makes more of the withdrawals as the likelier one', () => {
      // Three equal parts are Anna's, one is Ben's; nothing else tells them apart.
      const asked = question(
        [4],
        [people(1), people(1)].map((_, place) => ({ size: 1, each: 3 - 2 * place })),
        [1, 1],
      );
      expect(rounded(posterior(asked))).toEqual([0.75, 0.25]);
      const [first] = ofObservations(asked, posterior(asked), [[[[0, 3]]], [[[0, 1]]]]);
      expect(first?.among).toBeCloseTo(2 ** (-0.75 * Math.log2(0.75) - 0.25 * Math.log2(0.25)));
      expect(first?.guessed).toBe(1);
    });

    it('adds up the delays of parts that follow each other', () => {
      // Within two instants each: the first comes after 1 or 2, the second after 2, 3, 3 or 4.
      const [none, one, two] = releaseChances(2, 2);
      expect([...(none as Float64Array)]).toEqual([0, 0, 0, 0, 0]);
      expect([...(one as Float64Array)]).toEqual([0, 0.5, 0.5, 0, 0]);
      expect([...(two as Float64Array)]).toEqual([0, 0.25, 0.375, 0.25, 0.125]);
    });

    it('carries over what is less than a part', () => {
      expect(partsOf(250, 100, 4)).toEqual([2, 3, 2, 3]);
    });
  });

  it('comes by scaling near to what counting all assignments says', () => {
    const random = new Random(7);
    let [distance, entries] = [0, 0];
    for (let round = 0; round < 40; round += 1) {
      const asked = question(
        Array<number>(8).fill(1),
        people(8),
        Array.from({ length: 64 }, () => random.u32() / 2 ** 32),
      );
      const [counted, scaled] = [byCounting(asked), byScaling(asked)];
      for (const chances of [counted, scaled]) {
        for (let row = 0; row < 8; row += 1) {
          expect(chances.subarray(row * 8, row * 8 + 8).reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 6);
        }
      }
      for (const [at, chance] of counted.entries()) distance += Math.abs(chance - (scaled[at] as number));
      entries += counted.length;
    }
    // An entry is 1/8 on average.
    expect(distance / entries).toBeLessThan(0.01);
  });

  const named = (name: string) => HABITS.find((habit) => habit.name === name) as Habit;
  const of = (name: string, wallets: Wallets, count = 1_000) => simulate(named(name), count, wallets, 3).exits;

  it.each(HABITS.map(({ name }) => name))('knows how much it knows: %s', (name) => {
    const result = simulate(named(name), 1_000, 'fresh', 5).exits;
    expect(Math.abs(result.believed - result.right)).toBeLessThan(0.03);
  });

  it('is the same for the same seed', () => {
    expect(of('parts of 500, each within a day', 'fresh', 100)).toEqual(
      of('parts of 500, each within a day', 'fresh', 100),
    );
  });

  describe('as the documentation says', () => {
    const inFull = of('at once, in full', 'fresh');
    const parts = of('at once, in parts of 500', 'fresh');
    const both = of('parts of 500, each within a day', 'fresh');

    it('full salaries give most people away, and waiting alone helps little', () => {
      const waiting = of('in full, within 14 days', 'fresh');
      expect(inFull.right).toBeGreaterThan(waiting.right);
      expect(waiting.right).toBeGreaterThan(0.5);
    });

    it('parts hide among an employer’s people, parts with delays among all of the pool', () => {
      expect(parts.median).toBeGreaterThan(20 * inFull.median);
      expect(both.median).toBeGreaterThan(5 * parts.median);
      expect(both.right).toBeLessThan(0.01);
    });

    it('one wallet for all parts undoes most of it', () => {
      const reused = of('parts of 500, each within a day', 'reused');
      expect(reused.median).toBeLessThan(both.median / 50);
      expect(reused.right).toBeGreaterThan(0.3);
    });

    it('more people hide better', () => {
      const few = of('parts of 500, each within a day', 'fresh', 100);
      expect(both.median).toBeGreaterThan(5 * few.median);
    });
  });
});
