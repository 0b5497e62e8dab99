import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Semaphore } from '../src/platform/semaphore.ts';

it('is never fuller than its size, admits in order, and everything gets its turn', async () => {
  const weights = fc.array(
    fc.record({ weight: fc.integer({ min: 0, max: 30 }), turns: fc.nat(4), fails: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 40,
      size: 'max',
    },
  );
  await fc.assert(
    fc.asyncProperty(weights, fc.integer({ min: 1, max: 20 }), async (works, size) => {
      const room = new Semaphore(size);
      const begun: number[] = [];
      let inside = 0;
      const ends = works.map(({ weight, turns, fails }, place) =>
        room.within(weight, async () => {
          begun.push(place);
          inside += Math.min(weight, size);
          expect(inside).toBeLessThanOrEqual(size);
          for (let turn = 0; turn < turns; turn++) await nextTurn();
          inside -= Math.min(weight, size);
          if (fails) throw new Error(`work ${place}`);
          return place;
        }),
      );
      const outcomes = await Promise.allSettled(ends);
      expect(begun).toEqual(works.map((_, place) => place));
      expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(works.map(({ fails }) => fails));
    }),
    { numRuns: 100 },
  );
});

/** A semaphore of a size, and who goes in and out. */
function logging(size: number) {
  const room = new Semaphore(size);
  const log: string[] = [];
  const work = (name: string, weight: number) =>
    room.within(weight, async () => {
      log.push(`${name} in`);
      await nextTurn();
      log.push(`${name} out`);
    });
  return { log, work };
}

it('keeps whoever takes all of it alone, and nobody waits for ever behind those who share', async () => {
  const { log, work } = logging(Number.MAX_SAFE_INTEGER);
  const all = Number.MAX_SAFE_INTEGER;
  await Promise.all([work('a', 1), work('b', 1), work('c', all), work('d', all), work('e', 1), work('f', 1)]);
  const [together, alone] = [
    (x: string, y: string) => [`${x} in`, `${y} in`, `${x} out`, `${y} out`],
    (x: string) => [`${x} in`, `${x} out`],
  ];
  expect(log).toEqual([...together('a', 'b'), ...alone('c'), ...alone('d'), ...together('e', 'f')]);
});

it('lets work in together while there is room', async () => {
  const { log, work } = logging(10);
  await Promise.all([work('a', 4), work('b', 6), work('c', 1), work('large', 99)]);
  expect(log.slice(0, 2)).toEqual(['a in', 'b in']);
  expect(log.slice(-2)).toEqual(['large in', 'large out']);
});
