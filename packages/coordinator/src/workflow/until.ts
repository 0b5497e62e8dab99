import type { RunError } from '../domain/errors.ts';
import type { Time } from '../time.ts';

/** How long and how often to look, in milliseconds; `error` makes what is thrown when the time is over. */
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
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (input.time.now() >= deadline) throw input.error();
    await input.time.pause(input.everyMs, input.signal);
  }
}
