import type { Random } from '@payouts/testing/random';
import { DAY, type Payroll } from './payroll.ts';

/** How everybody takes their money out; the observer knows it. */
export type Habit = {
  readonly name: string;
  /** Hundredths of each withdrawal; undefined: everything. */
  readonly part?: number;
  /** Instants within which each withdrawal's release is drawn; the next part's is drawn when the one before is paid. 1: at once. */
  readonly within: number;
};

/** Parts of 100 follow each other faster, so that all are out before the next window. */
export const HABITS: readonly Habit[] = [
  { name: 'at once, in full', within: 1 },
  { name: 'in full, within 1 day', within: DAY },
  { name: 'in full, within 7 days', within: 7 * DAY },
  { name: 'in full, within 14 days', within: 14 * DAY },
  { name: 'at once, in parts of 100', part: 10_000, within: 0 },
  { name: 'at once, in parts of 500', part: 50_000, within: 0 },
  { name: 'at once, in parts of 1,000', part: 100_000, within: 0 },
  { name: 'parts of 100, each within 6 hours', part: 10_000, within: DAY / 4 },
  { name: 'parts of 500, each within a day', part: 50_000, within: DAY },
  { name: 'parts of 1,000, each within 2 days', part: 100_000, within: 2 * DAY },
];

/** What the base ledger shows of a withdrawal, and whose it is. */
export type Exit = { readonly person: number; readonly month: number; readonly at: number; readonly amount: number };

/** Parts that a salary comes to in each month; what is left is carried over. */
export function partsOf(salary: number, part: number, months: number): number[] {
  let rest = 0;
  return Array.from({ length: months }, () => {
    rest += salary;
    const parts = Math.floor(rest / part);
    rest -= parts * part;
    return parts;
  });
}

/** Everybody's withdrawals of these months. */
export function exitsOf({ part, within }: Habit, { people, windows }: Payroll, random: Random): Exit[] {
  const exits: Exit[] = [];
  for (const [person, { employer, salary }] of people.entries()) {
    const settled = windows[employer] as readonly number[];
    const counts = part === undefined ? settled.map(() => 1) : partsOf(salary, part, settled.length);
    for (const [month, count] of counts.entries()) {
      let at = (settled[month] as number) + (within === 0 ? 1 : 0);
      for (let place = 0; place < count; place += 1) {
        if (within > 0) at += random.between(1, within);
        exits.push({ person, month, at, amount: part ?? salary });
      }
    }
  }
  return exits;
}

/**
 * Chance that one of somebody's `count` withdrawals, drawn among them, is released so many instants after the settlement: by count,
 * then by instant. The j-th comes after the sum of j draws, each of 1 to `within` with the same chance.
 */
export function releaseChances(within: number, most: number): Float64Array[] {
  const length = most * Math.max(within, 1) + 1;
  const ofNone = new Float64Array(length);
  if (within === 0) {
    const atOnce = new Float64Array(length);
    atOnce[1] = 1;
    return [ofNone, ...Array.from({ length: most }, () => atOnce)];
  }
  const chances = [ofNone];
  let last = new Float64Array(length);
  last[0] = 1;
  const sum = new Float64Array(length);
  for (let count = 1; count <= most; count += 1) {
    const next = new Float64Array(length);
    let running = 0;
    for (let instant = 1; instant < length; instant += 1) {
      running += (last[instant - 1] as number) - (instant > within ? (last[instant - 1 - within] as number) : 0);
      next[instant] = Math.max(0, running) / within;
    }
    last = next;
    for (let instant = 0; instant < length; instant += 1) {
      sum[instant] = (sum[instant] as number) + (next[instant] as number);
    }
    chances.push(sum.map((value) => value / count));
  }
  return chances;
}
