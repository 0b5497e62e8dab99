import { shareOf } from '@payouts/testing/share';
import fc from 'fast-check';
import { expect, it } from 'vitest';

it('is of the cases, in their order, none twice, with the one in which all come together', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), (all, count) => {
      const cases = Array.from({ length: all }, (_, place) => place);
      const share = shareOf(cases, count);
      expect(share).toHaveLength(Math.min(count, all));
      expect(share.at(-1)).toBe(all - 1);
      expect([...new Set(share)].sort((a, b) => a - b)).toEqual(share);
      expect(shareOf(cases, count)).toEqual(share);
    }),
  );
});
