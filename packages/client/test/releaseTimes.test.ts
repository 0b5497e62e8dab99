import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientError, drawReleaseTime, RELEASE_SECONDS, releaseInstant, secureRandomBelow } from '../src/index.ts';

const window = fc
  .tuple(fc.bigInt(0n, 4_000_000_000n), fc.bigInt(0n, 90n * 86_400n), fc.integer({ min: 1, max: 3_600 }))
  .map(([earliest, length, every]) => ({ earliest, latest: earliest + length, every }));

describe('release times', () => {
  it('are instants of the window, or the first one after it when it has none', () => {
    fc.assert(
      fc.property(window, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (drawn, chance) => {
        const { earliest, latest, every } = drawn;
        const time = drawReleaseTime(drawn, (bound) => Math.floor(chance * bound));
        expect(time % BigInt(every)).toBe(0n);
        expect(time).toBeGreaterThanOrEqual(earliest);
        const hasOne = (latest / BigInt(every)) * BigInt(every) >= earliest;
        if (hasOne) expect(time).toBeLessThanOrEqual(latest);
        else expect(time - BigInt(every)).toBeLessThan(earliest);
      }),
    );
  });

  it('can be every instant of the window, each by one number of the source', () => {
    const [earliest, latest] = [1_000n, 4_200n];
    const bounds = new Set<number>();
    const all = [0, 1, 2, 3, 4, 5].map((number) =>
      drawReleaseTime({ earliest, latest }, (bound) => {
        bounds.add(bound);
        return number;
      }),
    );
    expect(bounds).toEqual(new Set([6]));
    expect(all).toEqual([1_200n, 1_800n, 2_400n, 3_000n, 3_600n, 4_200n]);
  });

  it('are as likely as each other by the source that stands behind them', () => {
    const draws = 12_000;
    const counts = new Map<bigint, number>();
    for (let draw = 0; draw < draws; draw += 1) {
      const time = drawReleaseTime({ earliest: 0n, latest: 5n * BigInt(RELEASE_SECONDS) });
      counts.set(time, (counts.get(time) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    // Chi-square with 5 degrees of freedom: above 45 once in 70 million runs, and in every one if a time is left out.
    const expected = draws / 6;
    const distance = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(distance).toBeLessThan(45);
  });

  it('keep below the bound, whatever it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 }), (bound) => {
        const drawn = secureRandomBelow(bound);
        expect(Number.isInteger(drawn) && drawn >= 0 && drawn < bound).toBe(true);
      }),
    );
  });

  it.each([
    ['ends before it begins', { earliest: 2n, latest: 1n }],
    ['is longer than 90 days', { earliest: 0n, latest: 90n * 86_400n + 1n }],
    ['begins before 1970', { earliest: -1n, latest: 1n }],
    ['has no instants', { earliest: 0n, latest: 1n, every: 0 }],
  ])('refuse a window that %s', (_, drawn) => {
    expect(() => drawReleaseTime(drawn)).toThrow(ClientError);
  });

  it('round a time up to the instant that many share', () => {
    expect([0n, 1n, 600n, 601n].map((time) => releaseInstant(time))).toEqual([0n, 600n, 600n, 1_200n]);
  });
});
