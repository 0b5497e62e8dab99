import { ClientError } from '../http/clientError.ts';
import { BITMAP_PAGE_BITS, isBitSet } from '../merkle/bitmap.ts';
import { MAX_CLAIMS_PER_TRANSACTION, MAX_PAGES_PER_TRANSACTION } from './claimTransaction.ts';

/** A contiguous range of unpaid leaves for one transaction. */
export type ClaimRange = { readonly start: number; readonly count: number };

/** Input of `planClaims`. */
export type ClaimPlanInput = {
  /** How many leaves the list has. */
  readonly count: number;
  /** The page of a leaf's balance by the leaf's index, as any number that is the page's own. */
  readonly pageAt: (index: number) => number;
  /** The window's bitmap: bit i says that leaf i is paid. */
  readonly paidBitmap: ArrayLike<number>;
  /** The most leaves in a range; `MAX_CLAIMS_PER_TRANSACTION` by default, which is also the limit. */
  readonly maxLeaves?: number;
};

/**
 * Cuts the unpaid leaves into contiguous ranges, each small enough for one transaction: by its leaves, by the pages where their balances
 * are, and by the bitmap's pages. Every unpaid leaf stands in exactly one range, a paid one in none. Throws `INVALID_PLAN` for a limit out of bounds and
 * `INVALID_BITMAP` for a bitmap that is too short. A range is found when it is asked for, so that long lists hold nobody up.
 */
export function* planClaims(input: ClaimPlanInput): Generator<ClaimRange, void, undefined> {
  const { count, pageAt, paidBitmap, maxLeaves = MAX_CLAIMS_PER_TRANSACTION } = input;
  if (!Number.isInteger(maxLeaves) || maxLeaves < 1 || maxLeaves > MAX_CLAIMS_PER_TRANSACTION) {
    throw new ClientError('INVALID_PLAN', `A claim plan's limit lies between 1 and ${MAX_CLAIMS_PER_TRANSACTION}.`);
  }
  let pages = new Set<number>();
  let start = 0;
  function* close(end: number): Generator<ClaimRange, void, undefined> {
    if (end > start) yield { start, count: end - start };
    pages = new Set();
    start = end;
  }
  for (let index = 0; index < count; index++) {
    if (isBitSet(paidBitmap, index)) {
      yield* close(index);
      start = index + 1;
      continue;
    }
    const page = pageAt(index);
    const isFull = index - start === maxLeaves || (pages.size === MAX_PAGES_PER_TRANSACTION && !pages.has(page));
    if (isFull || index % BITMAP_PAGE_BITS === 0) yield* close(index);
    pages.add(page);
  }
  yield* close(count);
}
