import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';

/** A child process that runs a script of test/children and says things by messages. */
export type Child = ReturnType<typeof startChild>;
export type Message = Readonly<Record<string, unknown>>;

/** Whether a message has these fields. */
export const saying = (wanted: Message) => (message: Message) =>
  Object.entries(wanted).every(([key, value]) => message[key] === value);

/** Milliseconds: nothing that a child is to say takes as long. */
const PATIENCE_MS = 180_000;

/** The file that `tsc -b` made of a script of test/children. */
export function builtChild(script: string): string {
  return fileURLToPath(new URL(`../dist/${script.replace(/\.ts$/, '.js')}`, import.meta.url));
}

/** Starts a child with more in its environment, by a program before it or as it is; it is killed with the test. */
export function startChild(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  [program, ...words]: readonly [string, ...string[]] = [process.execPath],
) {
  const child = spawn(program, [...words, builtChild(script), ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  });
  const messages: Message[] = [];
  child.on('message', (message) => messages.push(message as Message));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    if (hasEnded()) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  /** The first message, from the beginning, that fits. */
  const said = async (fits: (message: Message) => boolean): Promise<Message> => {
    await vi.waitUntil(() => hasEnded() || messages.some(fits), { timeout: PATIENCE_MS, interval: 5 });
    const message = messages.find(fits);
    if (message !== undefined) return message;
    throw new Error(`${script} ended with ${child.exitCode ?? child.signalCode} without saying it.`);
  };
  return { process: child, messages, kill, said };
}
