import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bidFor, DEFAULT_FEES, priorityFeeOf, unitLimitFor } from '../src/index.ts';

const fees = fc.array(fc.bigInt(0n, 10n ** 9n), { maxLength: 200 });
const policy = fc
  .tuple(fc.bigInt(0n, 10n ** 7n), fc.bigInt(0n, 10n ** 7n))
  .map(([floor, more]) => ({ floor, cap: floor + more }));
const signing = fc.integer({ min: 1, max: 80 });

it('bids nothing where nobody pays, at first', () => {
  expect(bidFor([], DEFAULT_FEES)).toEqual({ price: 0n, isCapped: false });
  expect(bidFor([0n, 0n, 0n], DEFAULT_FEES, 1).price).toBe(0n);
});

it('stays between floor and cap, and says when the cap held it back', () => {
  fc.assert(
    fc.property(fees, policy, signing, (recent, between, times) => {
      const { price, isCapped } = bidFor(recent, between, times);
      expect(price).toBeGreaterThanOrEqual(between.floor);
      expect(price).toBeLessThanOrEqual(between.cap);
      if (isCapped) expect(price).toBe(between.cap);
    }),
  );
});

it('never bids less with another signing, and more until the cap', () => {
  fc.assert(
    fc.property(fees, policy, signing, (recent, between, times) => {
      const [now, next] = [bidFor(recent, between, times), bidFor(recent, between, times + 1)];
      expect(next.price).toBeGreaterThanOrEqual(now.price);
      if (!next.isCapped) expect(next.price).toBeGreaterThan(now.price);
    }),
  );
});

it('never bids less where others pay more', () => {
  fc.assert(
    fc.property(fees, fc.bigInt(0n, 10n ** 6n), policy, signing, (recent, more, between, times) => {
      const dearer = recent.map((fee) => fee + more);
      expect(bidFor(dearer, between, times).price).toBeGreaterThanOrEqual(bidFor(recent, between, times).price);
    }),
  );
});

it('bids what nine in ten of the last slots took', () => {
  const free = { floor: 0n, cap: 10n ** 9n };
  const recent = Array.from({ length: 20 }, (_, place) => BigInt(place + 1) * 100n);
  expect(bidFor([10n ** 8n, ...recent], free).price).toBe(1_800n);
});

it('limits units to what was used and a tenth, and never beyond what is allowed', () => {
  expect([unitLimitFor(100, 1_000), unitLimitFor(1_001, 2_000), unitLimitFor(950, 1_000)]).toEqual([110, 1_102, 1_000]);
});

it('costs whole lamports, rounded up', () => {
  expect([priorityFeeOf(0n, 5), priorityFeeOf(1n, 1), priorityFeeOf(500_000n, 300_000)]).toEqual([0n, 1n, 150_000n]);
});
