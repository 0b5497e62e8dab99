/** How a stage is tried again: `attempts` in all, first after `baseMs`, each wait `rate` times the last, none above `maxMs`. */
export type RetryPolicy = {
  readonly attempts: number;
  readonly baseMs: number;
  readonly rate: number;
  readonly maxMs: number;
};

/** Part of a wait that is random, so that runs which failed together don't come back together. */
const JITTER = 0.25;

/** Milliseconds to wait after failed attempt `attempt` (from 1), without jitter. */
export function delayAfter(attempt: number, policy: RetryPolicy): number {
  const grown = policy.baseMs * policy.rate ** (attempt - 1);
  return Math.min(grown, policy.maxMs);
}

/** Random milliseconds on top of `delayMs`; `random` returns a number from 0 to below 1. */
export function jitterFor(delayMs: number, random: () => number): number {
  return Math.floor(delayMs * JITTER * random());
}
