import type { RunError } from '../domain/errors.ts';
import type { Time } from '../time.ts';

/** What takes long is looked for less and less often: each wait is longer than the one before, up to so many times the first. */
const GROWTH = 1.25;
const LONGEST = 10;

/** How long to look, and how soon again at first, in milliseconds; `error` makes what is thrown when the time is over. */
export type UntilInput = {
  readonly everyMs: number;
  readonly withinMs: number;
  readonly time: Time;
  readonly signal: AbortSignal;
  readonly error: () => RunError;
};

/** Looks until there is something to see. */
export async function until<T>(look: () => Promise<T | undefined>, input: UntilInput): Promise<T> {
  const deadline = input.time.now() + input.withinMs;
  const longestMs = input.everyMs * LONGEST;
  let waitMs = input.everyMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (input.time.now() >= deadline) throw input.error();
    await input.time.pause(waitMs, input.signal);
    waitMs = Math.min(waitMs * GROWTH, longestMs);
  }
}
