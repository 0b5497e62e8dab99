import type { VaultHistory, VaultMovement } from './vaultHistory.ts';

/** A time from one moment to another, which is not part of it; unix milliseconds. */
export type Period = { readonly from: number; readonly to: number };

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** A month in UTC, such as 2026-11; undefined for what is none. */
export function monthOf(written: string): Period | undefined {
  const [, year, month] = MONTH.exec(written) ?? [];
  if (year === undefined || month === undefined) return undefined;
  return { from: Date.UTC(Number(year), Number(month) - 1), to: Date.UTC(Number(year), Number(month)) };
}

export const isWithin = (at: number, { from, to }: Period): boolean => from <= at && at < to;

/** What a vault had when a period began, and what changed it in the period. */
export type VaultPeriod = { readonly opening: bigint; readonly movements: readonly VaultMovement[] };

/** What the vault had when the period ended, or has so far. */
export const closingOf = ({ opening, movements }: VaultPeriod): bigint =>
  movements.reduce((sum, { isCredit, amount }) => (isCredit ? sum + amount : sum - amount), opening);

export function periodOf({ movements }: Pick<VaultHistory, 'movements'>, period: Period): VaultPeriod {
  const opening = movements
    .filter(({ at }) => at < period.from)
    .reduce((sum, { isCredit, amount }) => (isCredit ? sum + amount : sum - amount), 0n);
  return { opening, movements: movements.filter(({ at }) => isWithin(at, period)) };
}
