import type { LeaderRole, Locks } from './leadership.ts';
import { type LoopContext, runLoop } from './loop.ts';

/** Milliseconds between two looks whether this process has the role. */
const LOOK_MS = 1_000;

/**
 * Does a role's work whenever this process has it, until the signal; the signal that `work` is given aborts when the role is lost, too.
 * Who can't ask has it no longer: somebody else may.
 */
export async function runWhileLeader(
  input: LoopContext & { readonly locks: Locks; readonly role: LeaderRole },
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { locks, role, signal } = input;
  let term: { readonly end: AbortController; readonly work: Promise<unknown> } | undefined;
  const stepDown = async () => {
    const ending = term;
    term = undefined;
    ending?.end.abort();
    await ending?.work;
  };
  await runLoop({ ...input, name: 'leadership', longestRetryMs: LOOK_MS, onFailure: stepDown }, async (alive) => {
    const isLeader = await locks.holds(role);
    alive();
    if (!isLeader) {
      await stepDown();
    } else if (term === undefined) {
      const end = new AbortController();
      term = { end, work: work(AbortSignal.any([signal, end.signal])) };
    }
    return LOOK_MS;
  });
  await stepDown();
  // One that drains has much to end before its session does.
  await locks.release(role).catch(() => {});
}
