import { Random } from './random.ts';
import { seed } from './seed.ts';

/** Whether all cases are wanted, where the gate has a share of them. `npm run habits` and `npm run test:random` set it. */
export const isWhole = process.env.PAYOUTS_TEST_WHOLE === 'yes';

/**
 * So many of the cases that take long: the last one, in which all of them should come together, and others drawn by the seed, in their order.
 * All of them if those are wanted.
 */
export function shareOf<T>(cases: readonly T[], count: number): readonly T[] {
  if (isWhole) return cases;
  const random = new Random(seed);
  const left = cases.map((_, place) => place).slice(0, -1);
  const drawn = new Set([cases.length - 1]);
  while (drawn.size < count && left.length > 0) {
    for (const place of left.splice(random.below(left.length), 1)) drawn.add(place);
  }
  return cases.filter((_, place) => drawn.has(place));
}
