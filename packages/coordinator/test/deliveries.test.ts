import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deliveries } from '../src/withdrawals/deliveries.ts';
import { observed } from './support/personal.ts';

const EVERY = 600;
const MS = EVERY * 1_000;
/** A release instant. */
const NOON = 3_000_000 * MS;

/** An account by which all that comes goes on to a wallet. */
const delivery = () => observed({ delivery: 1 });

describe('deliveries to wallets', () => {
  it('leave together at the instant after the half-way at which they waited, and not before it', () => {
    const deliveries = new Deliveries({ releaseSeconds: EVERY });
    const [first, second, late] = [delivery(), delivery(), delivery()];
    const leaving = (now: number) => [first, second, late].map((one) => deliveries.mayLeave(one, now));
    deliveries.gather([first], NOON);
    deliveries.gather([first, second], NOON + MS / 2 - 1);
    expect(leaving(NOON + MS)).toEqual([false, false, false]);
    deliveries.gather([first, second], NOON + MS / 2);
    deliveries.gather([first, second, late], NOON + MS - 1);
    expect(leaving(NOON + MS - 1)).toEqual([false, false, false]);
    expect(leaving(NOON + MS)).toEqual([true, true, false]);
    deliveries.gather([late], NOON + 1.5 * MS);
    expect(leaving(NOON + 1.5 * MS)).toEqual([false, false, false]);
    expect(leaving(NOON + 2 * MS)).toEqual([false, false, true]);
  });

  it('of windows claimed within half an interval from a round time leave at one instant, whenever it is looked', () => {
    const claimed = fc.integer({ min: 0, max: MS / 2 - 1 });
    const looks = fc.array(fc.integer({ min: 0, max: 4 * MS }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(claimed, { minLength: 2, maxLength: 6 }), looks, (times, moments) => {
        const deliveries = new Deliveries({ releaseSeconds: EVERY });
        const all = times.map((at) => ({ at: NOON + at, personal: delivery() }));
        for (const moment of moments.sort((one, other) => one - other)) {
          const now = NOON + moment;
          deliveries.gather(
            all.filter(({ at }) => at <= now).map(({ personal }) => personal),
            now,
          );
          const leaving = all.filter(({ personal }) => deliveries.mayLeave(personal, now));
          expect([0, all.length]).toContain(leaving.length);
          if (leaving.length > 0) expect(now).toBeGreaterThanOrEqual(NOON + MS);
        }
      }),
    );
  });

  it('are gathered at once by a coordinator that starts in the second half, so that restarts keep nobody waiting', () => {
    const deliveries = new Deliveries({ releaseSeconds: 1 });
    expect(deliveries.areToBeGathered(NOON + 499)).toBe(false);
    expect(deliveries.areToBeGathered(NOON + 500)).toBe(true);
    expect(deliveries.areToBeGathered(NOON + 999)).toBe(true);
  });
});
