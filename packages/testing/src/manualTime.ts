import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Time } from '@payouts/client';
import { createClock } from '@sinonjs/fake-timers';

/** Time that stands until a test turns it; chance is given. */
export interface ManualTime extends Time {
  /** Turns it on by so many milliseconds: what was put off until then is called in order, what waits goes on. */
  advance(milliseconds: number): Promise<void>;
  /** Turns it on from one wait to the next, as long as something works and pauses in turns; gives what that gives. */
  during<T>(working: Promise<T>): Promise<T>;
  /** How many calls and waits are put off. */
  waits(): number;
  /** Sets the clock that `now` reads, as an administrator would: no timer is called for it. */
  setNow(unixMilliseconds: number): void;
}

/** Time for a test, standing at `start` in unix milliseconds. */
export function manualTime(start = 1_700_000_000_000, random: () => number = () => 0.5): ManualTime {
  const clock = createClock(start);
  let pauses = 0;
  const timer = (id: unknown) => ({ cancel: () => clock.clearTimeout(id as never) });
  return {
    now: () => clock.now,
    monotonic: () => clock.performance.now(),
    pause: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        pauses += 1;
        const abort = () => {
          pauses -= 1;
          clock.clearTimeout(id);
          reject(signal?.reason);
        };
        const id = clock.setTimeout(() => {
          pauses -= 1;
          signal?.removeEventListener('abort', abort);
          resolve();
        }, milliseconds);
        signal?.addEventListener('abort', abort, { once: true });
      }),
    after: (milliseconds, call) => timer(clock.setTimeout(call, milliseconds)),
    every: (milliseconds, call) => timer(clock.setInterval(call, milliseconds)),
    random,
    advance: async (milliseconds) => {
      await clock.tickAsync(milliseconds);
    },
    during: async (working) => {
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      working.then(over, over);
      for (await nextTurn(); !isOver; await nextTurn()) if (pauses > 0) await clock.nextAsync();
      return working;
    },
    waits: () => clock.countTimers(),
    setNow: (unixMilliseconds) => clock.setSystemTime(unixMilliseconds),
  };
}
