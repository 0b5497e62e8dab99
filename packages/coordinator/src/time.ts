import { setTimeout as sleep } from 'node:timers/promises';

/** Time and chance as whoever decides by them sees them; the tests have their own. */
export interface Time {
  /** Unix milliseconds. */
  now(): number;
  /** Waits so many milliseconds; throws the signal's reason when it aborts meanwhile. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
}

/** The machine's own. */
export const systemTime: Time = {
  now: () => Date.now(),
  pause: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
  random: () => Math.random(),
};
