import { monthlyPay, nextSizeFrom, partSize, type SizeFrom } from '@payouts/client';
import type { Address } from '@solana/kit';
import { calendarOf } from '../domain/calendarOf.ts';
import { forgetAnnounced, keepSize, lastDecided, settledPay, sizesAt } from '../store/queries/rounds.ts';
import type { Db } from '../store/schema.ts';

/** Windows that a schedule must have settled, and in how many milliseconds, for what it pays to count. */
const LEAST_WINDOWS = 3;
const SETTLED_WITHIN_MS = 92 * 86_400_000;

/** A token's sizes, base units; times in unix seconds. */
export type PartSizes = {
  /** The one that holds, and the one that is announced. */
  readonly size: SizeFrom | undefined;
  readonly next: SizeFrom | undefined;
  /** What the pay of so many schedules suggests; size 0: nothing. */
  readonly proposed: { readonly size: bigint; readonly schedules: number };
};

/** What holds, and what an operator could set, at a time in unix milliseconds. */
export async function partSizesOf(database: Db, mint: Address, now: number): Promise<PartSizes> {
  const [sizes, paying] = await Promise.all([
    sizesAt(database, mint, secondsOf(now)),
    settledPay(database, mint, { since: now - SETTLED_WITHIN_MS, windows: LEAST_WINDOWS }),
  ]);
  const pays = paying.map(({ paid, windows, recipients, ...rule }) => {
    const [count, calendar] = [BigInt(windows), calendarOf(rule)];
    return { monthly: monthlyPay({ amount: BigInt(paid) / count, calendar, windows: count }), recipients };
  });
  return { ...sizes, proposed: { size: partSize(pays), schedules: pays.length } };
}

/**
 * Sets the size of a token's parts, base units: at once where none has left in the one that holds, else half a year after that at the earliest and
 * a month from now. What was announced before is forgotten. Returns what will hold, and from when on.
 */
export async function setPartSize(database: Db, mint: Address, size: bigint, nowMs: number): Promise<SizeFrom> {
  const now = secondsOf(nowMs);
  const { size: held } = await sizesAt(database, mint, now);
  if (held?.size === size) {
    await forgetAnnounced(database, mint, now);
    return held;
  }
  const [left] = await lastDecided(database, mint, { limit: 1, leaves: true });
  const isUsed = held !== undefined && left !== undefined && left.round >= held.from;
  const set = { size, from: nextSizeFrom(isUsed ? held : undefined, now) };
  await keepSize(database, mint, { ...set, now });
  return set;
}

const secondsOf = (milliseconds: number): bigint => BigInt(Math.floor(milliseconds / 1_000));
