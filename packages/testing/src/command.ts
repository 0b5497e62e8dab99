import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { startProgram } from './program.ts';

/** What a command came to: its exit code, null if it was killed, and everything it printed. */
export type CommandResult = { readonly code: number | null; readonly printed: string };

/** Starts one of the operator's commands with these settings, in a process of its own. */
export function startCommand(
  settings: Readonly<Record<string, string>>,
  ...words: readonly string[]
): { readonly process: ChildProcess; readonly ended: Promise<CommandResult> } {
  const child = startProgram('coordinator/dist/service/main.js', settings, words);
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, printed }));
  return { process: child, ended };
}

/** The same, to its end. */
export function runCommand(
  settings: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<CommandResult> {
  return startCommand(settings, ...words).ended;
}

/** What one of the operator's commands prints that must succeed. */
export async function printedBy(
  settings: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<string> {
  const { code, printed } = await runCommand(settings, ...words);
  expect({ words, code, printed: code === 0 ? '' : printed }).toEqual({ words, code: 0, printed: '' });
  return printed;
}
