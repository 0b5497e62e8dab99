import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A child process that runs a script of test/children and says things by messages. */
export type Child = {
  readonly process: ChildProcess;
  readonly messages: unknown[];
  /** The first message, from the beginning, that fits. */
  said(fits: (message: unknown) => boolean): Promise<unknown>;
  kill(): Promise<void>;
};

/** The file that `tsc -b` made of a script of test/children. */
export function builtChild(script: string): string {
  return fileURLToPath(new URL(`../dist/${script.replace(/\.ts$/, '.js')}`, import.meta.url));
}

/** Starts a child with more in its environment; it is killed with the test. */
export function startChild(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Child {
  const child = spawn(process.execPath, [builtChild(script), ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  });
  const messages: unknown[] = [];
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  child.on('message', (message) => {
    messages.push(message);
    tell();
  });
  child.on('exit', tell);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    if (hasEnded()) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  return {
    process: child,
    messages,
    kill,
    said: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const message = messages.find(fits);
          if (message === undefined && !hasEnded()) return;
          listeners.delete(look);
          if (message !== undefined) resolve(message);
          else reject(new Error(`${script} ended with ${child.exitCode ?? child.signalCode} without saying it.`));
        };
        listeners.add(look);
        look();
      }),
  };
}
