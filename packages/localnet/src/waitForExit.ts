import type { ChildProcess } from 'node:child_process';
import type { Time } from '@payouts/client';

/** Waits for a process to end, at most `milliseconds`; says whether it did. */
export function waitForExit(child: ChildProcess, milliseconds: number, time: Time): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const onExit = (): void => {
      deadline.cancel();
      resolve(true);
    };
    const deadline = time.after(milliseconds, () => {
      child.off('exit', onExit);
      resolve(false);
    });
    child.once('exit', onExit);
  });
}
