import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/**
 * Starts a server that ends with this process, however that ends: a test that is killed must leave no server behind. On Linux, by
 * the signal that the kernel sends to the children of a process that died.
 */
export function spawnServer(
  program: string,
  args: readonly string[],
  lastSignal: 'INT' | 'QUIT' | 'KILL',
  options: SpawnOptions,
): ChildProcess {
  if (process.platform !== 'linux') return spawn(program, args, options);
  return spawn('setpriv', ['--pdeathsig', lastSignal, '--', program, ...args], options);
}
