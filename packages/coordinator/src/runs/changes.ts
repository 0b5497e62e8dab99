import type { Time } from '@payouts/client';
import type { ObservedSchedule } from '../store/queries/schedules.ts';

/** Milliseconds between two writes: a thousand schedules may change within seconds, several times each. */
const WRITE_EVERY_MS = 50;
/** Schedules in one write. */
const MOST = 500;

/**
 * Keeps changes of schedules together: the first after a quiet time at once, those that come meanwhile in one write after it, the newest
 * of each schedule. What could not be kept is given to `onError`, and nothing is kept any more after the signal.
 */
export function keepChanges(input: {
  readonly time: Pick<Time, 'pause'>;
  readonly save: (seen: readonly ObservedSchedule[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}): (seen: ObservedSchedule) => void {
  const { time, save, onError, signal } = input;
  const changed = new Map<string, ObservedSchedule>();
  let isWriting = false;
  const write = async () => {
    isWriting = true;
    while (changed.size > 0 && !signal.aborted) {
      const seen = [...changed.values()].slice(0, MOST);
      for (const { address } of seen) changed.delete(address);
      await save(seen).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      });
      await time.pause(WRITE_EVERY_MS, signal).catch(() => {});
    }
    isWriting = false;
  };
  return (seen) => {
    const known = changed.get(seen.address);
    if (known === undefined || BigInt(known.seen_slot) <= BigInt(seen.seen_slot)) changed.set(seen.address, seen);
    if (!isWriting) void write();
  };
}
