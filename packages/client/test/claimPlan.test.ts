import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BITMAP_PAGE_BITS,
  bitmapSize,
  isBitSet,
  MAX_CLAIMS_PER_TRANSACTION,
  MAX_PAGES_PER_TRANSACTION,
  PAGE_SLOTS,
  planClaims,
} from '../src/index.ts';

/** Numbers as pages have them: of any size, and none beside another. */
const PAGES = Array.from({ length: 300 }, (_, page) => page * 7_919);

const plans = fc.integer({ min: 1, max: 1_500 }).chain((count) =>
  fc.record({
    pages: fc.array(fc.nat({ max: PAGES.length - 1 }), { minLength: count, maxLength: count }),
    /** Neighbours share pages, as in a list that was arranged. */
    areTogether: fc.boolean(),
    paid: fc.uint8Array({ minLength: bitmapSize(count), maxLength: bitmapSize(count) }),
    nonePaid: fc.boolean(),
    maxLeaves: fc.integer({ min: 1, max: MAX_CLAIMS_PER_TRANSACTION }),
  }),
);

const ofList = (pages: readonly number[]) => ({
  count: pages.length,
  pageAt: (index: number) => PAGES[pages[index] as number] as number,
});

describe('planClaims', () => {
  it('covers every unpaid leaf exactly once and keeps the limits', () => {
    fc.assert(
      fc.property(plans, ({ pages: drawn, areTogether, paid, nonePaid, maxLeaves }) => {
        const paidBitmap = nonePaid ? new Uint8Array(paid.length) : paid;
        const pages = areTogether ? drawn.toSorted((one, other) => one - other) : drawn;
        const list = ofList(pages);
        const ranges = [...planClaims({ ...list, paidBitmap, maxLeaves })];
        const covered = ranges.flatMap(({ start, count }) =>
          Array.from({ length: count }, (_, place) => start + place),
        );
        expect(covered).toEqual(pages.map((_, index) => index).filter((index) => !isBitSet(paidBitmap, index)));
        for (const [at, { start, count }] of ranges.entries()) {
          const touched = new Set(Array.from({ length: count }, (_, place) => list.pageAt(start + place)));
          expect(count).toBeLessThanOrEqual(maxLeaves);
          expect(touched.size).toBeLessThanOrEqual(MAX_PAGES_PER_TRANSACTION);
          // No range ends before it must: at a leaf that is paid, a limit, or the end.
          const next = start + count;
          if (ranges[at + 1]?.start !== next) continue;
          const isOnePageMore = touched.size === MAX_PAGES_PER_TRANSACTION && !touched.has(list.pageAt(next));
          expect(count === maxLeaves || isOnePageMore).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('fills transactions: 1,020 leaves on few pages, 120 pages of few leaves', () => {
    const counts = (count: number, pageAt: (index: number) => number) =>
      Array.from(planClaims({ count, pageAt, paidBitmap: new Uint8Array(bitmapSize(count)) }), (range) => range.count);
    expect(counts(2_500, (index) => Math.floor(index / PAGE_SLOTS))).toEqual([1_020, 1_020, 460]);
    expect(counts(250, (index) => index)).toEqual([120, 120, 10]);
    // The page that is one too many begins a range; one that is named already does not.
    expect(counts(123, (index) => Math.min(index, 119))).toEqual([123]);
    expect(counts(123, (index) => Math.min(index, 120))).toEqual([120, 3]);
  });

  it('lets no range reach into another page of the bitmap', () => {
    const ranges = [
      ...planClaims({ count: 131_073, pageAt: () => 0, paidBitmap: new Uint8Array(bitmapSize(131_073)) }),
    ];
    const pageOf = (index: number) => Math.floor(index / BITMAP_PAGE_BITS);
    for (const { start, count } of ranges) expect(pageOf(start + count - 1)).toBe(pageOf(start));
    expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBe(131_073);
  });

  it('finds a range when it is asked for', () => {
    let asked = 0;
    const pageAt = () => asked++ && 0;
    const [first] = planClaims({ count: 1_000_000, pageAt, paidBitmap: new Uint8Array(bitmapSize(1_000_000)) });
    expect(first).toEqual({ start: 0, count: MAX_CLAIMS_PER_TRANSACTION });
    expect(asked).toBeLessThan(2_000);
  });

  it('refuses limits out of bounds and a bitmap that is too short', () => {
    const input = { ...ofList([0]), paidBitmap: [0] };
    for (const maxLeaves of [0, -1, 1.5, MAX_CLAIMS_PER_TRANSACTION + 1]) {
      expect(() => [...planClaims({ ...input, maxLeaves })]).toThrow(expect.objectContaining({ code: 'INVALID_PLAN' }));
    }
    expect(() => [...planClaims({ ...input, paidBitmap: [] })]).toThrow(
      expect.objectContaining({ code: 'INVALID_BITMAP' }),
    );
  });
});
