import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BITMAP_PAGE_BITS,
  bitmapSize,
  isBitSet,
  MAX_CLAIMS_PER_TRANSACTION,
  MAX_PAGES_MADE,
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
    missing: fc.subarray(PAGES),
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
      fc.property(plans, ({ pages: drawn, areTogether, missing, paid, nonePaid, maxLeaves }) => {
        const paidBitmap = nonePaid ? new Uint8Array(paid.length) : paid;
        const pages = areTogether ? drawn.toSorted((one, other) => one - other) : drawn;
        const list = ofList(pages);
        const isMissing = (page: number) => missing.includes(page);
        const ranges = [...planClaims({ ...list, isMissing, paidBitmap, maxLeaves })];
        const covered = ranges.flatMap(({ start, count }) =>
          Array.from({ length: count }, (_, place) => start + place),
        );
        expect(covered).toEqual(pages.map((_, index) => index).filter((index) => !isBitSet(paidBitmap, index)));
        for (const [at, { start, count }] of ranges.entries()) {
          const touched = new Set(Array.from({ length: count }, (_, place) => list.pageAt(start + place)));
          expect(count).toBeLessThanOrEqual(maxLeaves);
          const made = [...touched].filter(isMissing).length;
          expect(made).toBeLessThanOrEqual(MAX_PAGES_MADE);
          expect(touched.size + made).toBeLessThanOrEqual(MAX_PAGES_PER_TRANSACTION);
          // No range ends before it must: at a leaf that is paid, a limit, a page that would be cut in two, or the end.
          const next = start + count;
          if (ranges[at + 1]?.start !== next) continue;
          const page = list.pageAt(next);
          const madeThen = made + (isMissing(page) ? 1 : 0);
          const isTooMuch = madeThen > MAX_PAGES_MADE || touched.size + 1 + madeThen > MAX_PAGES_PER_TRANSACTION;
          const last = next + PAGE_SLOTS - 1;
          const isCut = last - start >= maxLeaves && last < pages.length && list.pageAt(last) === page;
          expect(count === maxLeaves || (!touched.has(page) && (isTooMuch || isCut))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  const counts = (count: number, pageAt: (index: number) => number, isMissing = (_: number) => false) =>
    Array.from(
      planClaims({ count, pageAt, isMissing, paidBitmap: new Uint8Array(bitmapSize(count)) }),
      (range) => range.count,
    );

  it('fills transactions: 1,020 leaves on few pages, 112 pages of few leaves, 16 that are made', () => {
    expect(counts(2_500, () => 0)).toEqual([1_020, 1_020, 460]);
    expect(counts(250, (index) => index)).toEqual([112, 112, 26]);
    // The page that is one too many begins a range; one that is named already does not.
    expect(counts(123, (index) => Math.min(index, 111))).toEqual([123]);
    expect(counts(123, (index) => Math.min(index, 112))).toEqual([112, 11]);
    expect(
      counts(
        40,
        (index) => index,
        () => true,
      ),
    ).toEqual([16, 16, 8]);
    expect(
      counts(
        112,
        (index) => index,
        (page) => page === 111,
      ),
    ).toEqual([111, 1]);
  });

  it('cuts no page in two whose leaves follow each other', () => {
    const pageAt = (index: number) => Math.floor(index / PAGE_SLOTS);
    expect(counts(2_500, pageAt)).toEqual([960, 960, 580]);
    expect(counts(1_020, pageAt)).toEqual([1_020]);
    // Nothing is gained where it is cut by a limit all the same.
    expect(
      Array.from(
        planClaims({ count: 300, pageAt, paidBitmap: new Uint8Array(38), maxLeaves: 100 }),
        ({ count }) => count,
      ),
    ).toEqual([100, 100, 100]);
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
