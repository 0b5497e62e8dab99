import { type Calendar, nextExecution } from '@payouts/client';

/** What a vault has, in base units: promised to windows that have not opened, and free to be promised. */
export type VaultFunds = { readonly reserved: bigint; readonly available: bigint };

/** A schedule that draws on a vault. Times in unix seconds. */
export type Draws = {
  readonly address: string;
  /** Base units of one window. */
  readonly amount: bigint;
  readonly calendar: Calendar;
  /** When its next unopened window is due. */
  readonly next: bigint;
  /** Windows that have not opened and whose money is reserved. */
  readonly promised: number;
  /** Whether it is to go on after them, out of what is available then; a paused one is not. */
  readonly goesOn: boolean;
  /** Windows whose fees are prepaid, of a schedule without an end: no further one is reserved. */
  readonly prepaid?: number;
};

/**
 * How far the money reaches for a schedule: windows that are covered, and what is missing for the one after them, in base units, when
 * that is due: NO_FEES where only its fees aren't prepaid. `short` is null if nothing is missing as far as the forecast reaches.
 */
export type Coverage = {
  readonly windows: number;
  readonly short: { readonly amount: bigint; readonly at: bigint } | null;
};

/** What is missing where money isn't: fees that an employer prepays. */
export const NO_FEES = 0n;
/** Windows looked at for one vault, at most: a schedule may be due every second. */
const MOST_WINDOWS = 20_000;

type Cursor = { readonly draws: Draws; at: bigint; windows: number; short: Coverage['short']; isOver: boolean };

/**
 * How far a vault's money reaches, by schedule: its windows are gone through in the order in which they are due, until `until`. Those
 * that are reserved take from the reserve, later ones from what is available, as if the employer funded them when they are due; so does
 * a schedule without an end by itself.
 */
export function forecastFunds(
  vault: VaultFunds,
  schedules: readonly Draws[],
  until: bigint,
): ReadonlyMap<string, Coverage> {
  let { reserved, available } = vault;
  const cursors = [...schedules]
    .sort((one, other) => (one.address < other.address ? -1 : 1))
    .map((draws): Cursor => ({ draws, at: draws.next, windows: 0, short: null, isOver: false }));
  const promises = schedules.reduce((sum, { amount, promised }) => sum + amount * BigInt(promised), 0n);
  const isCovered = promises <= reserved;

  const step = (cursor: Cursor): void => {
    const { amount, calendar, promised, goesOn, prepaid } = cursor.draws;
    const isPromised = cursor.windows < promised;
    if (!isPromised && !goesOn) {
      cursor.isOver = true;
      return;
    }
    if (cursor.windows === prepaid) {
      cursor.short = { amount: NO_FEES, at: cursor.at };
      cursor.isOver = true;
      return;
    }
    const left = isPromised ? reserved : available;
    if (left < amount) {
      cursor.short = { amount: amount - left, at: cursor.at };
      cursor.isOver = true;
      return;
    }
    if (isPromised) reserved -= amount;
    else available -= amount;
    cursor.windows += 1;
    cursor.at = nextExecution(calendar, cursor.at);
  };

  for (let looks = 0; looks < MOST_WINDOWS; looks++) {
    let first: Cursor | undefined;
    for (const cursor of cursors) {
      if (!cursor.isOver && cursor.at <= until && (first === undefined || cursor.at < first.at)) first = cursor;
    }
    if (first === undefined) break;
    step(first);
  }
  return new Map(
    cursors.map(({ draws, windows, short }) => [
      draws.address,
      // Promises that lie beyond the forecast are as good, if the reserve covers all of them.
      { windows: isCovered ? Math.max(windows, draws.promised) : windows, short },
    ]),
  );
}

/**
 * How many openings an authority's lamports last: each of them must find `needed` there, of which no more than `spent` is gone in the end.
 */
export const openingsCovered = (lamports: bigint, needed: bigint, spent: bigint): number =>
  lamports < needed ? 0 : Number((lamports - needed) / spent) + 1;

/** How a token is named: by what it calls itself, else by the ends of its mint's address. */
export type TokenName = { readonly mint: string; readonly symbol: string | null; readonly decimals: number };

/** An amount of base units as people write it, such as "1,120.50 USDC". */
export function amountText(baseUnits: bigint, { mint, symbol, decimals }: TokenName): string {
  return `${decimalText(baseUnits, decimals)} ${symbol ?? `${mint.slice(0, 4)}…${mint.slice(-4)}`}`;
}

const SOL_DECIMALS = 9;

/** Lamports as SOL, such as "1.2 SOL". */
export const solText = (lamports: bigint): string => `${decimalText(lamports, SOL_DECIMALS).replace(/\.?0+$/, '')} SOL`;

/** Two decimals, or as many more as it takes. */
function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = BigInt(digits.slice(0, digits.length - decimals)).toLocaleString('en');
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return decimals === 0 ? whole : `${whole}.${part.padEnd(Math.min(2, decimals), '0')}`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** A day in UTC, with its year unless that is the one of `now`; unix seconds. */
function dayText(at: bigint, now: bigint): string {
  const [day, today] = [new Date(Number(at) * 1_000), new Date(Number(now) * 1_000)];
  const year = day.getUTCFullYear() === today.getUTCFullYear() ? '' : ` ${day.getUTCFullYear()}`;
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}${year}`;
}

/**
 * A coverage in words, such as "covers 3 more windows; short of 120.50 USDC on 2 December"; `now` in unix seconds. Where all that is
 * promised is covered, nothing is short: a further window is for the employer to decide on. `promised`: windows whose money is reserved.
 */
export function coverageText({ windows, short }: Coverage, token: TokenName, now: bigint, promised: number): string {
  const count = windows === 1 ? '1 more window' : `${windows === 0 ? 'no' : windows} more windows`;
  if (short === null) return `covers ${count}`;
  const when = short.at <= now ? 'now' : `on ${dayText(short.at, now)}`;
  if (short.amount === NO_FEES) return `covers ${count}; the fees of the next one, due ${when}, are not prepaid`;
  const amount = amountText(short.amount, token);
  if (windows < promised) return `covers ${count}; short of ${amount} ${when}`;
  const which = windows === promised ? 'all that are promised' : `${promised || 'none'} of them promised`;
  return `covers ${count}, ${which}; one more ${when} takes another ${amount}`;
}
