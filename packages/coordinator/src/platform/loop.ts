import type { Time } from '@payouts/client';
import { errorFields } from './log/errorFields.ts';
import type { Logger } from './log/log.ts';
import type { LoopName } from './metrics/processes.ts';
import type { Metrics } from './metrics.ts';
import { type Alive, RoundSilent, SILENT_MS, watched } from './watchedRound.ts';

/** Milliseconds until a round that failed is repeated, twice as long each time, and the longest. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 4_000;

/** The gauges of all loops. */
export type LoopMetrics = Pick<Metrics, 'loopSucceededAt' | 'loopDueAt'>;

/** What every loop needs; it ends with the signal. */
export type LoopContext = {
  readonly time: Pick<Time, 'now' | 'monotonic' | 'pause' | 'after'>;
  readonly log: Logger;
  readonly metrics: LoopMetrics;
  readonly signal: AbortSignal;
};

export type LoopInput = LoopContext & {
  readonly name: LoopName;
  /** The longest wait, in milliseconds, until a round that failed is repeated. */
  readonly longestRetryMs?: number;
  /** What a failure means beside the log line. */
  readonly onFailure?: () => unknown;
};

/** When a loop last did its work, and by when it must have done so again, for whoever watches. */
class Gauges {
  #isFailing = false;

  constructor(private readonly input: Pick<LoopInput, 'name' | 'metrics' | 'time'>) {}

  /** A good round has ended; the next one begins after so many milliseconds. */
  succeeded(pauseMs: number): void {
    const { name, metrics, time } = this.input;
    this.#isFailing = false;
    metrics.loopSucceededAt.set({ loop: name }, time.now() / 1_000);
    this.goesOn(pauseMs + SILENT_MS);
  }

  /** The round is at work and may say nothing for so many milliseconds. One that repeats what failed is late until it ends well. */
  goesOn(withinMs: number): void {
    const { name, metrics, time } = this.input;
    if (!this.#isFailing) metrics.loopDueAt.set({ loop: name }, (time.now() + withinMs) / 1_000);
  }

  failed(): void {
    if (!this.#isFailing) this.goesOn(0);
    this.#isFailing = true;
  }

  remove(): void {
    const { name, metrics } = this.input;
    metrics.loopSucceededAt.remove({ loop: name });
    metrics.loopDueAt.remove({ loop: name });
  }
}

/**
 * Repeats a step until the signal; the step resolves to the milliseconds until the next one. One that throws is repeated, whatever it
 * throws, and so is one that says nothing for too long: it is given up, and throws where it next says that it is alive. The first of several
 * failures in a row is logged, and so is the end of the outage. The gauges show a loop that fails or hangs.
 */
export async function runLoop(input: LoopInput, step: (alive: Alive) => Promise<number>): Promise<void> {
  const { name, time, log, signal, onFailure, longestRetryMs = LONGEST_RETRY_MS } = input;
  const gauges = new Gauges(input);
  // From its start on, so that one which never succeeds is seen as well.
  gauges.succeeded(0);
  for (let failures = 0; !signal.aborted; ) {
    let pauseMs = Math.min(FIRST_RETRY_MS * 2 ** failures, longestRetryMs);
    try {
      pauseMs = await watched(time, step, (milliseconds) => gauges.goesOn(milliseconds));
      gauges.succeeded(pauseMs);
      if (failures > 0) log.info({ loop: name, failures }, 'loop works again');
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      gauges.failed();
      if (failures === 1) sayFailed(input, error);
      // What it asks may fail as well, or never be answered.
      await watched(time, async () => onFailure?.()).catch(() => {});
    }
    await time.pause(pauseMs, signal).catch(() => {});
  }
  gauges.remove();
}

function sayFailed({ name, log }: LoopInput, error: unknown): void {
  if (error instanceof RoundSilent) log.warn({ loop: name }, 'loop silent; its round is given up');
  else log.warn({ loop: name, ...errorFields(error) }, 'loop failed; retrying');
}
