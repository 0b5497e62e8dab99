import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CommandResult } from './command.ts';
import { PAYOUT } from './program.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FILE = at(`../../${PAYOUT}`);

/** Whether a process can be given a network of its own, with nothing in it; elsewhere the program's own calls are refused alone. */
const canUnshare = spawnSync('unshare', ['-rn', 'true']).status === 0;

/** Runs `payout` without a network: 99 if it asks for one. */
export function payoutOffline(...args: readonly string[]): CommandResult {
  const command = [process.execPath, '--import', at('./noNetwork.mjs'), FILE, ...args];
  const [program, ...rest] = (canUnshare ? ['unshare', '-rn', ...command] : command) as [string, ...string[]];
  const { status, stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8' });
  return { code: status, printed: stdout + stderr };
}

/** Runs `payout` as anybody would. */
export function payout(...args: readonly string[]): CommandResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [FILE, ...args], { encoding: 'utf8' });
  return { code: status, printed: stdout + stderr };
}
