import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SeenBalance } from '../src/owed/balanceAccount.ts';
import { Deliveries } from '../src/withdrawals/deliveries.ts';
import { randomAddress } from './support/promised.ts';

const EVERY = 600;
const MS = EVERY * 1_000;
/** A release instant. */
const NOON = 3_000_000 * MS;

const seen = (balance: Address, dueAt = 0n) => ({ balance, dueAt }) as SeenBalance;
const startedAt = (at: number, every = EVERY) => {
  let now = at;
  const deliveries = new Deliveries({ releaseSeconds: every, time: { now: () => now } });
  return {
    deliveries,
    /** Looks at what waits. */
    look(time: number, ...waiting: SeenBalance[]) {
      now = time;
      deliveries.gather(waiting, now);
    },
  };
};

describe('deliveries to wallets', () => {
  it('leave together at the instant after the half-way at which they waited', () => {
    const { deliveries, look } = startedAt(NOON - 1);
    const [first, second, late] = [seen(randomAddress()), seen(randomAddress()), seen(randomAddress())];
    look(NOON, first);
    expect(deliveries.has(first)).toBe(false);
    look(NOON + MS / 2 - 1, first, second);
    expect(deliveries.has(first)).toBe(false);
    look(NOON + MS / 2, first, second);
    look(NOON + MS, first, second, late);
    expect([first, second, late].map((one) => deliveries.has(one))).toEqual([true, true, false]);
    look(NOON + 1.5 * MS, late);
    expect([first, second, late].map((one) => deliveries.has(one))).toEqual([false, false, true]);
  });

  it('do not count among them what waits for a time of its own', () => {
    const { deliveries, look } = startedAt(NOON);
    const withdrawal = seen(randomAddress(), 1n);
    look(NOON + MS / 2, withdrawal);
    expect(deliveries.has(withdrawal)).toBe(false);
  });

  it('of windows claimed within half an interval from a round time leave at one instant, whatever was seen when', () => {
    const claimed = fc.integer({ min: 0, max: MS / 2 - 1 });
    fc.assert(
      fc.property(fc.array(claimed, { minLength: 2, maxLength: 6 }), fc.integer({ min: 0, max: MS }), (times, ago) => {
        const { deliveries, look } = startedAt(NOON - ago);
        const all = times.map((at) => ({ at: NOON + at, balance: seen(randomAddress()) }));
        const left = new Set<number>();
        for (let now = NOON; now <= NOON + 3 * MS; now += MS / 10) {
          look(now, ...all.filter(({ at }) => at <= now).map(({ balance }) => balance));
          if (now % MS === 0 && all.some(({ balance }) => deliveries.has(balance))) {
            expect(all.every(({ balance }) => deliveries.has(balance))).toBe(true);
            left.add(now);
          }
        }
        expect(Math.min(...left)).toBe(NOON + MS);
      }),
    );
  });

  it('wait for the next half-way when a look comes too late', () => {
    const { deliveries, look } = startedAt(NOON);
    const one = seen(randomAddress());
    look(NOON + MS, one);
    expect(deliveries.has(one)).toBe(false);
    look(NOON + 1.5 * MS, one);
    expect(deliveries.has(one)).toBe(true);
  });

  it('wait for the next half-way when a coordinator starts, even of an odd interval', () => {
    const { deliveries } = startedAt(NOON, 1);
    expect(deliveries.areToBeGathered(NOON + 499)).toBe(false);
    expect(deliveries.areToBeGathered(NOON + 500)).toBe(true);
  });
});
