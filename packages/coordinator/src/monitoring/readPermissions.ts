import type { Time } from '@payouts/client';
import type { ReadPermissions } from '../ledger/readPermissions.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';

/** Milliseconds until a layer is asked again, which may be exchanged, and one that did not answer. */
const EVERY_MS = 600_000;
const AGAIN_MS = 5_000;

/** Says whether the execution layer has read permissions, at the start and whenever that has changed, until the signal. */
export async function observeReadPermissions(input: {
  readonly permissions: ReadPermissions;
  /** It runs on this machine, where nobody else reads. */
  readonly isHere: boolean;
  readonly time: Time;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { permissions, isHere, time, log, metrics, signal } = input;
  let known: boolean | undefined;
  while (!signal.aborted) {
    const found = await permissions.look();
    if (found !== undefined) {
      // An alert on those that are missing needs to see the first.
      if (found) for (const result of ['set', 'missing']) metrics.permissionsSet.inc({ result }, 0);
      metrics.layerReadPermissions.set({ place: isHere ? 'here' : 'elsewhere' }, found ? 1 : 0);
      if (found !== known) say(log, found, isHere);
      known = found;
    }
    await time.pause(found === undefined ? AGAIN_MS : EVERY_MS, signal).catch(() => {});
  }
}

function say(log: Logger, has: boolean, isHere: boolean): void {
  if (has) log.info('the execution layer has read permissions');
  else if (isHere) log.info('the execution layer on this machine has no read permissions');
  else log.warn('the execution layer has no read permissions: whoever may call it can read private balances');
}
