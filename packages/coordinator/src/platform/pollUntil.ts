import type { Time } from '@payouts/client';
import type { RunError } from '../domain/errors.ts';

/**
 * Milliseconds before the second look, how much longer each further wait is, and the longest: what is there soon is seen soon, and what
 * takes long is looked for less and less often.
 */
const FIRST_MS = 8;
const GROWTH = 1.5;
const LONGEST_MS = 500;

/** How long to look, in milliseconds; `error` makes what is thrown when the time is over. */
export type PollUntilInput = {
  readonly withinMs: number;
  readonly time: Time;
  readonly signal: AbortSignal;
  readonly error: () => RunError;
};

/** Looks until there is something to see. */
export async function pollUntil<T>(look: () => Promise<T | undefined>, input: PollUntilInput): Promise<T> {
  const deadline = input.time.now() + input.withinMs;
  let waitMs = FIRST_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (input.time.now() >= deadline) throw input.error();
    await input.time.pause(waitMs, input.signal);
    waitMs = Math.min(waitMs * GROWTH, LONGEST_MS);
  }
}
