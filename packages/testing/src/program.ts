import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command `payout` as it is packed: what people install, and what starts in a fifth of the time. */
export const PAYOUT = 'cli/dist/package/dist/payout/main.js';

/** Starts a program of the workspace as it was built, with settings added to the environment; its output can be read. */
export function startProgram(
  file: string,
  env: Readonly<Record<string, string>>,
  words: readonly string[],
): ChildProcess & { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream } {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  return spawn(process.execPath, [path, ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
