import { randomBytes, randomInt } from 'node:crypto';
import {
  bitmapSize,
  MAX_PAGES_PER_TRANSACTION,
  ownerRecord,
  PAGE_SLOTS,
  type Payee,
  planClaims,
  prepareList,
  type RecipientList,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FreePlaces, PAGE_PLACES, pageOfPlace, slotOfPlace, takePlaces } from '../src/domain/places.ts';
import { somePayees } from './support/promised.ts';

const begun = (): FreePlaces => ({ nextPage: 1, places: [] });
const pagesOf = (places: readonly number[]) => new Set(places.map(pageOfPlace));

describe('places for balances', () => {
  it('are given once, each in a slot that a page has, in pages that were begun', () => {
    const counts = fc.array(fc.oneof(fc.nat(20), fc.nat(1_200)), { maxLength: 12 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 70_000 }), (wanted, nextPage) => {
        const free = { nextPage, places: [] };
        const given = new Set<number>();
        for (const count of wanted) {
          const taken = takePlaces(free, count, randomInt);
          expect(taken).toHaveLength(count);
          // One expectation for all of them: of a hundred thousand, each takes its time.
          const isRight = (place: number) =>
            !given.has(place) &&
            slotOfPlace(place) < PAGE_SLOTS &&
            pageOfPlace(place) >= nextPage &&
            pageOfPlace(place) < free.nextPage;
          expect(taken.filter((place) => !isRight(place))).toEqual([]);
          for (const place of taken) given.add(place);
          expect(new Set(taken).size).toBe(count);
        }
        // All that was begun is either given or free, once.
        expect(new Set(free.places).size).toBe(free.places.length);
        expect(free.places.filter((place) => given.has(place))).toEqual([]);
        expect(given.size + free.places.length).toBe((free.nextPage - nextPage) * PAGE_SLOTS);
      }),
      { numRuns: 60 },
    );
  });

  it('of small lists lie here and there among those of other lists', () => {
    const free = begun();
    const lists = Array.from({ length: 40 }, () => takePlaces(free, 20, randomInt));
    // Some twelve of sixteen pages each: once in 1,300 runs one has six by chance, and none ever has three.
    const pages = lists.map((places) => pagesOf(places).size);
    expect(Math.min(...pages)).toBeGreaterThan(3);
    expect(pages.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(10 * lists.length);
    // No list has pages of its own.
    const meet = (one: readonly number[], other: readonly number[]) => {
      const pages = pagesOf(one);
      return [...pagesOf(other)].some((page) => pages.has(page));
    };
    const sharing = lists.map((places) => lists.filter((other) => meet(places, other)).length);
    expect(Math.min(...sharing)).toBeGreaterThan(30);
    // Neighbours in a list are no neighbours in pages.
    const steps = lists.flatMap((places) => places.slice(1).map((place, at) => place - (places[at] as number)));
    expect(steps.filter((step) => Math.abs(step) === 1).length).toBeLessThan(20);
  });

  it('of a large list fill pages of their own, in an order that says nothing', () => {
    const free = begun();
    const places = takePlaces(free, 3 * PAGE_SLOTS + 10, randomInt);
    for (let page = 0; page < 3; page++) {
      const own = places.slice(page * PAGE_SLOTS, (page + 1) * PAGE_SLOTS);
      expect(pagesOf(own)).toEqual(new Set([1 + page]));
      expect(own).not.toEqual(own.toSorted((one, other) => one - other));
    }
    expect([...pagesOf(places.slice(3 * PAGE_SLOTS))].every((page) => page > 3)).toBe(true);
    expect(places.slice(0, PAGE_SLOTS).map(slotOfPlace)).not.toEqual(
      places.slice(PAGE_SLOTS, 2 * PAGE_SLOTS).map(slotOfPlace),
    );
  });

  it('differ by chance alone', () => {
    const always = (bound: number) => bound - 1;
    expect(takePlaces(begun(), 300, always)).toEqual(takePlaces(begun(), 300, always));
    expect(takePlaces(begun(), 300, randomInt)).not.toEqual(takePlaces(begun(), 300, randomInt));
    expect(takePlaces(begun(), 3, always).every((place) => place < 17 * PAGE_PLACES)).toBe(true);
  });
});

describe('the pages that a claim names', () => {
  const salts = new Map<Address, Uint8Array>();
  const saltFor = (recipient: Address) => {
    const salt = salts.get(recipient) ?? new Uint8Array(randomBytes(16));
    salts.set(recipient, salt);
    return salt;
  };
  const free = begun();
  const placeOf = new Map<string, number>();

  /** Gives owners without one a place, and returns how many pages each transaction of a list's claims names. */
  function pagesEach({ recipients }: RecipientList): number[] {
    const owners = recipients.map((each) => Buffer.from(ownerRecord(each).owner).toString('hex'));
    const missing = owners.filter((owner) => !placeOf.has(owner));
    for (const [at, place] of takePlaces(free, missing.length, randomInt).entries()) {
      placeOf.set(missing[at] as string, place);
    }
    const pageAt = (index: number) => pageOfPlace(placeOf.get(owners[index] as string) as number);
    const plan = planClaims({ count: owners.length, pageAt, paidBitmap: new Uint8Array(bitmapSize(owners.length)) });
    return Array.from(plan, ({ start, count }) => {
      return new Set(Array.from({ length: count }, (_, at) => pageAt(start + at))).size;
    });
  }

  it('are few, in the first list and in others of the same people, some of whom go and come', () => {
    let payees: readonly Payee[] = somePayees(10_000);
    const first = pagesEach(prepareList(payees, { saltFor }));
    // Four pages each: a fifth would be cut in two.
    expect(first).toHaveLength(Math.ceil(10_000 / (4 * PAGE_SLOTS)));
    // But for the rest of the list, which shares pages with others.
    expect(first.filter((pages) => pages > 8).length).toBeLessThanOrEqual(1);
    for (let month = 0; month < 3; month++) {
      payees = [...payees.slice(200), ...somePayees(200)];
      const each = pagesEach(prepareList(payees, { saltFor }));
      expect(each).toHaveLength(first.length);
      expect(Math.max(...each)).toBeLessThan(MAX_PAGES_PER_TRANSACTION);
    }
  });
});
