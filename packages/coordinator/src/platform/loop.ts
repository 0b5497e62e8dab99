import type { Time } from '@payouts/client';
import { errorFields } from './log/errorFields.ts';
import type { Logger } from './log/log.ts';
import type { LoopName } from './metrics/processes.ts';
import type { Metrics } from './metrics.ts';

/** What every loop needs; it ends with the signal. */
export type LoopContext = {
  readonly time: Pick<Time, 'now' | 'pause'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'loopSucceededAt'>;
  readonly signal: AbortSignal;
};

export type LoopInput = LoopContext & {
  readonly name: LoopName;
  /** Milliseconds until a step that failed is repeated. */
  readonly retryMs: number;
  /** What a failure means beside the log line. It must not throw. */
  readonly onFailure?: () => unknown;
};

/**
 * Repeats a step until the signal; the step resolves to the milliseconds until the next one. A step that throws is repeated, whatever it
 * throws: the first of several failures in a row is logged, and so is the end of the outage. The gauge shows a loop that fails or hangs.
 */
export async function runLoop(input: LoopInput, step: () => Promise<number>): Promise<void> {
  const { name, retryMs, time, log, metrics, signal, onFailure } = input;
  const succeeded = () => metrics.loopSucceededAt.set({ loop: name }, time.now() / 1_000);
  // From its start on, so that one which never succeeds is seen as well.
  succeeded();
  for (let failures = 0; !signal.aborted; ) {
    let pauseMs = retryMs;
    try {
      pauseMs = await step();
      succeeded();
      if (failures > 0) log.info({ loop: name, failures }, 'loop works again');
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      if (failures === 1) log.warn({ loop: name, ...errorFields(error) }, 'loop failed; retrying');
      await onFailure?.();
    }
    await time.pause(pauseMs, signal).catch(() => {});
  }
  metrics.loopSucceededAt.remove({ loop: name });
}
