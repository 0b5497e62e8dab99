import type { Time } from '@payouts/client';
import type { LeaderRole, Locks } from './leadership.ts';
import { errorFields } from './log/errorFields.ts';
import type { Logger } from './log/log.ts';

/** Milliseconds between two looks whether this process has the role. */
const LOOK_MS = 1_000;

/**
 * Does a role's work whenever this process has it, until the signal; the signal that `work` is given aborts when the role is lost, too.
 * Who can't ask has it no longer: somebody else may.
 */
export async function runWhileLeader(
  input: {
    readonly locks: Locks;
    readonly role: LeaderRole;
    readonly time: Pick<Time, 'pause'>;
    readonly log: Logger;
    readonly signal: AbortSignal;
  },
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { locks, role, time, log, signal } = input;
  const holds = () =>
    locks.holds(role).catch((error: unknown) => {
      if (!signal.aborted)
        log.debug(
          errorFields(error),
          'it is not known which process subscribes to accounts of the base ledger; asked again',
        );
      return false;
    });
  while (!signal.aborted) {
    if (await holds()) {
      const held = new AbortController();
      const working = work(AbortSignal.any([signal, held.signal]));
      do await time.pause(LOOK_MS, signal).catch(() => {});
      while (!signal.aborted && (await holds()));
      held.abort();
      await working;
      // One that drains has much to end before its session does.
      await locks.release(role).catch(() => {});
    } else await time.pause(LOOK_MS, signal).catch(() => {});
  }
}
