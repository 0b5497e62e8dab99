import type { ReadPermissions } from '../ledger/readPermissions.ts';
import type { Logger } from '../platform/log/log.ts';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import type { Metrics } from '../platform/metrics.ts';

/** Milliseconds until a layer is asked again, which may be exchanged. */
const EVERY_MS = 60_000;

/** Says whether the execution layer has read permissions, at the start and whenever that has changed, until the signal. */
export function observeReadPermissions(
  input: LoopContext & {
    readonly permissions: ReadPermissions;
    /** It runs on this machine, where nobody else reads. */
    readonly isHere: boolean;
    readonly metrics: Metrics;
  },
): Promise<void> {
  const { permissions, isHere, log, metrics } = input;
  let known: boolean | undefined;
  return runLoop({ ...input, name: 'read-permissions' }, async () => {
    const found = await permissions.look();
    // An alert on those that are missing needs to see the first.
    if (found) for (const result of ['set', 'missing']) metrics.permissionsSet.inc({ result }, 0);
    metrics.layerReadPermissions.set({ place: isHere ? 'here' : 'elsewhere' }, found ? 1 : 0);
    if (found !== known) say(log, found, isHere);
    known = found;
    return EVERY_MS;
  });
}

function say(log: Logger, has: boolean, isHere: boolean): void {
  if (has) log.info('the execution layer has read permissions');
  else if (isHere) log.info('the execution layer on this machine has no read permissions');
  else log.warn('the execution layer has no read permissions: whoever may call it can read private balances');
}
