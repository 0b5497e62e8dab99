import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitmapSize, isBitSet, planClaims } from '../src/index.ts';
import { randomAddress } from './support.ts';

const POOL = Array.from({ length: 400 }, randomAddress);

const plans = fc.integer({ min: 1, max: 400 }).chain((count) =>
  fc.record({
    balances: fc.array(fc.nat({ max: POOL.length - 1 }), { minLength: count, maxLength: count }),
    paid: fc.uint8Array({ minLength: bitmapSize(count), maxLength: bitmapSize(count) }),
    nonePaid: fc.boolean(),
    known: fc.integer({ min: 0, max: POOL.length }),
    maxNew: fc.integer({ min: 1, max: 62 }),
    maxKnown: fc.integer({ min: 1, max: 250 }),
  }),
);

type Balance = (typeof POOL)[number];
const ofList = (recipients: readonly { readonly balance: Balance }[], known: ReadonlySet<Balance>) => {
  const balanceAt = (index: number) => (recipients[index] as { balance: Balance }).balance;
  return { count: recipients.length, balanceAt, isKnown: (index: number) => known.has(balanceAt(index)) };
};

describe('planClaims', () => {
  it('covers every unpaid leaf exactly once and keeps the limits', () => {
    fc.assert(
      fc.property(plans, ({ balances, paid, nonePaid, known, maxNew, maxKnown }) => {
        const paidBitmap = nonePaid ? new Uint8Array(paid.length) : paid;
        const recipients = balances.map((place) => ({ balance: POOL[place] as (typeof POOL)[number] }));
        const knownBalances = new Set(POOL.slice(0, known));
        const ranges = [...planClaims({ ...ofList(recipients, knownBalances), paidBitmap, maxNew, maxKnown })];
        const covered = ranges.flatMap(({ start, count }) =>
          Array.from({ length: count }, (_, place) => start + place),
        );
        const unpaid = recipients.map((_, index) => index).filter((index) => !isBitSet(paidBitmap, index));
        expect(covered).toEqual(unpaid);
        for (const { start, count, newBalances } of ranges) {
          const inRange = recipients.slice(start, start + count).map(({ balance }) => balance);
          const created = new Set(inRange.filter((balance) => !knownBalances.has(balance)));
          expect(newBalances).toBe(created.size);
          expect(newBalances).toBeLessThanOrEqual(maxNew);
          expect(count).toBeLessThanOrEqual(maxKnown);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('fills transactions: 62 new balances, 122 known ones', () => {
    const recipients = POOL.map((balance) => ({ balance }));
    const paidBitmap = new Uint8Array(50);
    const counts = (knownBalances: ReadonlySet<(typeof POOL)[number]>) =>
      Array.from(planClaims({ ...ofList(recipients, knownBalances), paidBitmap }), ({ count }) => count);
    expect(counts(new Set())).toEqual([62, 62, 62, 62, 62, 62, 28]);
    expect(counts(new Set(POOL))).toEqual([122, 122, 122, 34]);
  });

  it('refuses limits out of bounds and a bitmap that is too short', () => {
    const input = { ...ofList([{ balance: randomAddress() }], new Set()), paidBitmap: [0] };
    for (const change of [{ maxNew: 0 }, { maxNew: 63 }, { maxKnown: 251 }, { maxKnown: 1.5 }]) {
      expect(() => [...planClaims({ ...input, ...change })]).toThrow(expect.objectContaining({ code: 'INVALID_PLAN' }));
    }
    expect(() => [...planClaims({ ...input, paidBitmap: [] })]).toThrow(
      expect.objectContaining({ code: 'INVALID_BITMAP' }),
    );
  });
});
