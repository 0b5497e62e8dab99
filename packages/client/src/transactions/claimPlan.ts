import { ClientError } from '../http/clientError.ts';
import { BITMAP_PAGE_BITS, isBitSet } from '../merkle/bitmap.ts';
import { MAX_PAGES_MADE, PAGE_SLOTS } from './balancePages.ts';
import { MAX_CLAIMS_PER_TRANSACTION, MAX_PAGES_PER_TRANSACTION } from './claimTransaction.ts';

/** A contiguous range of unpaid leaves for one transaction. */
export type ClaimRange = { readonly start: number; readonly count: number };

/** Input of `planClaims`. */
export type ClaimPlanInput = {
  /** How many leaves the list has. */
  readonly count: number;
  /** The page of a leaf's balance by the leaf's index, as any number that is the page's own. */
  readonly pageAt: (index: number) => number;
  /** Whether a page has to be made first; by default none has to. */
  readonly isMissing?: (page: number) => boolean;
  /** The window's bitmap: bit i says that leaf i is paid. */
  readonly paidBitmap: ArrayLike<number>;
  /** The most leaves in a range; `MAX_CLAIMS_PER_TRANSACTION` by default, which is also the limit. */
  readonly maxLeaves?: number;
};

/**
 * Cuts the unpaid leaves into contiguous ranges, each small enough for one transaction: by its leaves, by the pages where their balances
 * are and those of them that it makes, and by the bitmap's pages. A page whose leaves follow each other stands in one range. Every unpaid leaf stands in exactly one range, a paid one in none. Throws `INVALID_PLAN` for a limit out of bounds and
 * `INVALID_BITMAP` for a bitmap that is too short. A range is found when it is asked for, so that long lists hold nobody up.
 */
export function* planClaims(input: ClaimPlanInput): Generator<ClaimRange, void, undefined> {
  const { count, pageAt, isMissing = () => false, paidBitmap, maxLeaves = MAX_CLAIMS_PER_TRANSACTION } = input;
  if (!Number.isInteger(maxLeaves) || maxLeaves < 1 || maxLeaves > MAX_CLAIMS_PER_TRANSACTION) {
    throw new ClientError('INVALID_PLAN', `A claim plan's limit lies between 1 and ${MAX_CLAIMS_PER_TRANSACTION}.`);
  }
  let pages = new Set<number>();
  let missing = 0;
  let start = 0;
  function* close(end: number): Generator<ClaimRange, void, undefined> {
    if (end > start) yield { start, count: end - start };
    pages = new Set();
    missing = 0;
    start = end;
  }
  /** Whether a page whose first leaf this is has no room in the range. */
  const isTooMuch = (page: number, index: number): boolean => {
    // Whoever changes a page writes all of it: it is not begun where the next range would change it again.
    const last = index + PAGE_SLOTS - 1;
    if (last - start >= maxLeaves && last < count && pageAt(last) === page) return true;
    const made = missing + (isMissing(page) ? 1 : 0);
    // With each page that is made its read permission is named.
    return made > MAX_PAGES_MADE || pages.size + 1 + made > MAX_PAGES_PER_TRANSACTION;
  };
  for (let index = 0; index < count; index++) {
    if (isBitSet(paidBitmap, index)) {
      yield* close(index);
      start = index + 1;
      continue;
    }
    const page = pageAt(index);
    const isFull = index - start === maxLeaves || (!pages.has(page) && isTooMuch(page, index));
    if (isFull || index % BITMAP_PAGE_BITS === 0) yield* close(index);
    if (!pages.has(page) && isMissing(page)) missing += 1;
    pages.add(page);
  }
  yield* close(count);
}
