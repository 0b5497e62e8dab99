import type { ChildProcess } from 'node:child_process';

/** Waits for a process to end, at most `milliseconds`; says whether it did. */
export function waitForExit(child: ChildProcess, milliseconds: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const onExit = (): void => {
      clearTimeout(deadline);
      resolve(true);
    };
    const deadline = setTimeout(() => {
      child.off('exit', onExit);
      resolve(false);
    }, milliseconds);
    child.once('exit', onExit);
  });
}
