import type { ErrorClass } from './errors.ts';

/**
 * How errors of a class are answered.
 * - `retry`: tried again, first after `firstMs`, each wait `growth` times the last, none above `longestMs`, and up to `jitter` of
 *   it on top, so that runs which failed together don't come back together. Over after `attempts` failures, or once they
 *   have gone on for `budgetMs`
 * - `hold`: looked at again every `everyMs`
 * - `fail`: not tried again
 */
export type RetryPolicy =
  | {
      readonly kind: 'retry';
      readonly firstMs: number;
      readonly growth: number;
      readonly longestMs: number;
      readonly jitter: number;
      readonly attempts?: number;
      readonly budgetMs?: number;
    }
  | { readonly kind: 'hold'; readonly everyMs: number }
  | { readonly kind: 'fail' };

export type RetryPolicies = Readonly<Record<ErrorClass, RetryPolicy>>;

/** Failures of one class in a row, the last one included, and for how many milliseconds they have gone on. */
export type Failures = { readonly count: number; readonly lastedMs: number };

/** What follows from an error: `retry` in its place, or `wait` and `held` at rest, until so many milliseconds have passed. */
export type RetryDecision =
  | { readonly kind: 'retry' | 'wait' | 'held'; readonly waitMs: number }
  | { readonly kind: 'exhausted' | 'failed' };

/** A longer wait is spent at rest: meanwhile another run takes the place. */
const LONGEST_IN_PLACE_MS = 5_000;
const HOUR_MS = 3_600_000;

/** The policies by an operator's settings; all times in milliseconds. */
export function retryPolicies(settings: {
  readonly attempts: number;
  readonly firstMs: number;
  readonly patienceMs: number;
  readonly holdRecheckMs: number;
}): RetryPolicies {
  const { attempts, firstMs, patienceMs, holdRecheckMs } = settings;
  const retry = { kind: 'retry', firstMs, jitter: 0.25 } as const;
  return {
    unreachable: { ...retry, growth: 2, longestMs: 60_000, jitter: 0.5, budgetMs: patienceMs },
    timing: { ...retry, growth: 1.2, longestMs: 10_000, budgetMs: Math.min(patienceMs, HOUR_MS) },
    refused: { ...retry, growth: 2, longestMs: 60_000, attempts },
    operator: { kind: 'hold', everyMs: holdRecheckMs },
    permanent: { kind: 'fail' },
  };
}

/** What to do after an error whose class has this policy; `random` from 0 to below 1. */
export function afterError(policy: RetryPolicy, failures: Failures, random: number): RetryDecision {
  if (policy.kind === 'fail') return { kind: 'failed' };
  if (policy.kind === 'hold') return { kind: 'held', waitMs: policy.everyMs };
  const { firstMs, growth, longestMs, jitter, attempts, budgetMs } = policy;
  if (attempts !== undefined && failures.count >= attempts) return { kind: 'exhausted' };
  if (budgetMs !== undefined && failures.lastedMs >= budgetMs) return { kind: 'exhausted' };
  const grown = Math.min(firstMs * growth ** (failures.count - 1), longestMs);
  const waitMs = Math.floor(grown * (1 + jitter * random));
  return { kind: waitMs > LONGEST_IN_PLACE_MS ? 'wait' : 'retry', waitMs };
}

/** An open window past its deadline is looked at this soon again, and at the longest this late. */
const SOONEST_LOOK_MS = 60_000;
const LATEST_LOOK_MS = 6 * HOUR_MS;

/**
 * When a run that is out of tries, or failed, looks at its open window again, so that none is forgotten: at its deadline, and from
 * then on after as long as it has been over already, within bounds. All in unix milliseconds.
 */
export function nextCheckAt(deadline: number, now: number): number {
  if (now < deadline) return deadline;
  return now + Math.min(Math.max(now - deadline, SOONEST_LOOK_MS), LATEST_LOOK_MS);
}
