/** A call that `Time.after` or `Time.every` has put off. */
export interface Timer {
  /** Takes the call back. Safe to call twice, and after the call. */
  cancel(): void;
}

/**
 * Time and chance, given to whoever decides by them and never taken from the platform: tests turn their own instead of waiting.
 * Only a program's entry file hands out `systemTime`.
 */
export interface Time {
  /** Unix milliseconds. May be set back, as the machine's clock may. */
  now(): number;
  /** Milliseconds since some moment before, with fractions; never set back. For how long something takes. */
  monotonic(): number;
  /** Waits so many milliseconds; throws the signal's reason when it aborts before or meanwhile. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls once, so many milliseconds from now. Does not keep the process alive. */
  after(milliseconds: number, call: () => void): Timer;
  /** Calls every so many milliseconds. Does not keep the process alive. */
  every(milliseconds: number, call: () => void): Timer;
  /** From 0 to below 1. */
  random(): number;
}

/** Lets Node end while the timer waits; a browser's timers are plain numbers. */
function release(timer: unknown): void {
  if (typeof timer === 'object') (timer as { unref(): void }).unref();
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The machine's own. */
export const systemTime: Time = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  pause,
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    release(timer);
    return { cancel: () => clearTimeout(timer) };
  },
  every(milliseconds, call) {
    const timer = setInterval(call, milliseconds);
    release(timer);
    return { cancel: () => clearInterval(timer) };
  },
  random: () => Math.random(),
};

/** A signal that aborts with a `TimeoutError` after so many milliseconds, as `AbortSignal.timeout` does by the machine's clock. */
export function timeoutSignal(time: Time, milliseconds: number): AbortSignal {
  const controller = new AbortController();
  time.after(milliseconds, () =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
  );
  return controller.signal;
}

/** A moment in unix milliseconds, as the HTTP API and clocks have it, of the unix seconds that the ledger has. */
export const millisOf = (unixSeconds: bigint | number | string): number => Number(unixSeconds) * 1_000;
