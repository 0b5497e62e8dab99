import { PAGE_SLOTS } from '@payouts/client';

/** Places in one page of the liabilities tree: a page's number × 256 and a slot are the place of a balance, and its leaf there. */
export const PAGE_PLACES = 256;
/** Pages whose places are mixed, so that the balances of small lists of several employers share pages. */
const MIXED_PAGES = 16;

export const pageOfPlace = (place: number): number => Math.floor(place / PAGE_PLACES);
export const slotOfPlace = (place: number): number => place % PAGE_PLACES;

/** Numbers of the pages where these places are, each once. */
export const pagesOfPlaces = (places: Iterable<number>): Set<number> => {
  const pages = new Set<number>();
  for (const place of places) pages.add(pageOfPlace(place));
  return pages;
};

const PLACE_BYTES = 4;

/** Places as they are stored: u32 each. */
export function placesToBytes(places: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(places.length * PLACE_BYTES);
  for (let at = 0; at < places.length; at++) bytes.writeUInt32LE(places[at] as number, at * PLACE_BYTES);
  return bytes;
}

/** The places that `placesToBytes` wrote. */
export function placesFromBytes(bytes: Uint8Array): Uint32Array {
  const read = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / PLACE_BYTES }, (_, at) => read.readUInt32LE(at * PLACE_BYTES));
}

/** Places that nobody has. */
export type FreePlaces = {
  /** Number of the next page. */
  nextPage: number;
  /** Of pages that are begun, in random order. */
  readonly places: number[];
};

/** An integer from 0 to below `bound`, by secure randomness. */
type RandomBelow = (bound: number) => number;

function shuffle(places: number[], randomBelow: RandomBelow): number[] {
  for (let at = places.length - 1; at > 0; at--) {
    const other = randomBelow(at + 1);
    [places[at], places[other]] = [places[other] as number, places[at] as number];
  }
  return places;
}

/**
 * Takes places for so many balances, in the order in which they are to be given. A small list gets places here and there in pages that
 * several employers share; each page that a large list fills is its own, its places in random order: a slot says nothing of whoever
 * else is in the page, nor of an order.
 */
export function takePlaces(free: FreePlaces, count: number, randomBelow: RandomBelow): number[] {
  const newPages = (pages: number) => {
    const first = free.nextPage;
    free.nextPage += pages;
    return Array.from({ length: pages }, (_, page) =>
      Array.from({ length: PAGE_SLOTS }, (_, slot) => (first + page) * PAGE_PLACES + slot),
    );
  };
  const whole = Math.floor(count / PAGE_SLOTS);
  const taken = newPages(whole).flatMap((page) => shuffle(page, randomBelow));
  const rest = count - taken.length;
  if (free.places.length < rest) {
    free.places.push(...newPages(MIXED_PAGES).flat());
    shuffle(free.places, randomBelow);
  }
  taken.push(...free.places.splice(free.places.length - rest, rest));
  return taken;
}
