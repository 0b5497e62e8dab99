import { setTimeout as sleep } from 'node:timers/promises';

/** Waits so many milliseconds; throws the signal's reason when the service stops meanwhile. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}
