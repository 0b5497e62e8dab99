import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
