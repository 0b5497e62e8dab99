import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measure, Result } from './measure.ts';

const MINUTE_MS = 60_000;
/** A measure that takes so many times its usual time hangs. */
const PATIENCE = 6;
const LEAST_MINUTES = 10;

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/**
 * Runs a measure in a process of its own, so that none has another's memory or ends the others, with this terminal. Undefined: it failed,
 * and has said why.
 */
export async function runInChild(measure: Measure, options: readonly string[]): Promise<Result | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-bench-result-'));
  const file = join(folder, 'result.json');
  const args = [...process.execArgv, main, measure.name, ...options, '--json', file];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const minutes = Math.max(LEAST_MINUTES, measure.minutes * PATIENCE);
  const timer = setTimeout(() => {
    console.error(`✖ ${measure.name} has not ended after ${minutes} minutes.`);
    child.kill('SIGKILL');
  }, minutes * MINUTE_MS);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0 ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : undefined;
  } finally {
    clearTimeout(timer);
    rmSync(folder, { recursive: true, force: true });
  }
}
