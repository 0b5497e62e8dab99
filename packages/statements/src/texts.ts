import type { SignedWindow } from '@payouts/client';
import { displayAmount } from '@payouts/payroll';

/** A date in UTC, such as 30 November 2026. */
export const dateText = (unixMs: number): string =>
  new Date(unixMs).toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' });

/** A moment in UTC, such as 2026-11-30 12:04:05 UTC. */
export const timeText = (unixMs: number): string =>
  `${new Date(unixMs).toISOString().replace('T', ' ').slice(0, 19)} UTC`;

/** What is needed to write amounts of a window's token. */
export type AmountToken = Pick<SignedWindow, 'decimals' | 'symbol'>;

/** Decimals that amounts are shown with, at least. */
export const CENTS = 2;

/** An amount in tokens with the token's own name, such as 1,500.00 USDC. */
export const amountText = (baseUnits: bigint, { decimals, symbol }: AmountToken): string =>
  `${displayAmount(baseUnits, decimals, CENTS)} ${symbol ?? 'tokens'}`;

/** "1 window", "12 windows". */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
