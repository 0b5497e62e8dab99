import type { Address } from '@solana/kit';
import { ClientError } from '../http/clientError.ts';
import { isBitSet } from '../merkle/bitmap.ts';
import { MAX_CLAIMS_PER_TRANSACTION } from './claimTransaction.ts';

/** Balances that one transaction can create: the layer's trace holds 64 instructions and each creation takes one. */
export const MAX_NEW_BALANCES = 62;
/** Claims in a transaction at which the layer's throughput was highest. */
export const BEST_CLAIMS_PER_TRANSACTION = 122;

/** A contiguous range of unpaid leaves for one transaction, and how many balances it creates. */
export type ClaimRange = { readonly start: number; readonly count: number; readonly newBalances: number };

/** Input of `planClaims`. */
export type ClaimPlanInput = {
  /** How many leaves the list has. */
  readonly count: number;
  /** The balance of a leaf by its index; asked for where it is not known. */
  readonly balanceAt: (index: number) => Address;
  /** The batch's bitmap: bit i says that leaf i is paid. */
  readonly paidBitmap: ArrayLike<number>;
  /** Whether the balance of a leaf exists in the execution layer. */
  readonly isKnown: (index: number) => boolean;
  /** The most new balances in a range; 62 by default, which is also the limit. */
  readonly maxNew?: number;
  /** The most leaves in a range; 122 by default, 250 at most. */
  readonly maxKnown?: number;
};

/**
 * Cuts the unpaid leaves into contiguous ranges, each small enough for one transaction. Every unpaid leaf stands in exactly one
 * range, a paid one in none. A recipient's later leaves in the same range count as known. Throws `INVALID_PLAN` for limits out of
 * bounds and `INVALID_BITMAP` for a bitmap that is too short. A range is found when it is asked for, so that long lists hold nobody up.
 */
export function* planClaims(input: ClaimPlanInput): Generator<ClaimRange, void, undefined> {
  const { count, balanceAt, paidBitmap, isKnown } = input;
  const maxNew = bounded(input.maxNew ?? MAX_NEW_BALANCES, MAX_NEW_BALANCES);
  const maxLeaves = bounded(input.maxKnown ?? BEST_CLAIMS_PER_TRANSACTION, MAX_CLAIMS_PER_TRANSACTION);
  let created = new Set<Address>();
  let start = 0;
  function* close(end: number): Generator<ClaimRange, void, undefined> {
    if (end > start) yield { start, count: end - start, newBalances: created.size };
    created = new Set();
    start = end;
  }
  for (let index = 0; index < count; index++) {
    if (isBitSet(paidBitmap, index)) {
      yield* close(index);
      start = index + 1;
      continue;
    }
    const balance = isKnown(index) ? undefined : balanceAt(index);
    const isNew = balance !== undefined && !created.has(balance);
    if (index - start === maxLeaves || (isNew && created.size === maxNew)) yield* close(index);
    if (balance !== undefined) created.add(balance);
  }
  yield* close(count);
}

function bounded(value: number, limit: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= limit) return value;
  throw new ClientError('INVALID_PLAN', `A limit of a claim plan lies between 1 and ${limit}.`);
}
