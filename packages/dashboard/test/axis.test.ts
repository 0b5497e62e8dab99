import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ticksOf } from '../src/views/run/axis.ts';

it('marks any length of time at few round distances, from its beginning on', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 * 86_400_000 }), (length) => {
      const ticks = ticksOf(length);
      expect(ticks[0]).toBe(0);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)).toBeLessThanOrEqual(length);
    }),
  );
});
