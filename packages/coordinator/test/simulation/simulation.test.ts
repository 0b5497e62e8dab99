import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { seed } from '@payouts/testing/seed';
import { describe, expect, it } from 'vitest';
import { BUGS } from './bugs.ts';

const cli = fileURLToPath(new URL('./cli.ts', import.meta.url));

/** Runs the simulator in a process of its own, as the command does. */
function simulate(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const node = ['--conditions=@payouts/source', '--import', 'tsx', cli, '--jobs', '1', ...args];
    const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    // Not at its exit, when some of what it has said may still be in the pipe.
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Windows and seed for bugs that few worlds show. */
const RARE = { 'trusted-backup': ['200', '5'] } as const;

const traceOf = (output: string): string | undefined => /^trace (\w+)$/m.exec(output)?.[1];

describe('the simulator', { timeout: 240_000 }, () => {
  it('pays windows in all weathers without a violation, and the same seed does the same', async () => {
    const [one, other] = [
      await simulate('--windows', '80', '--seed', String(seed)),
      await simulate('--windows', '80', '--seed', String(seed)),
    ];
    expect(one.output).toContain('\n80 windows, 0 violations\n');
    expect(one.code).toBe(0);
    expect(traceOf(one.output)).toMatch(/^\w{32}$/);
    expect(traceOf(other.output)).toBe(traceOf(one.output));
  });

  it.each(Object.keys(BUGS))('finds the planted bug "%s"', async (bug) => {
    const [windows, seed] = bug in RARE ? RARE[bug as keyof typeof RARE] : ['120', '3'];
    const { code, output } = await simulate('--windows', windows, '--seed', seed, '--bug', bug);
    expect(output).toMatch(/^✖ world 0, /m);
    expect(output).toMatch(/^\d+ windows, [1-9]\d* violations$/m);
    expect(code).toBe(1);
  });

  it('says what is wrong with its options', async () => {
    const { code, output } = await simulate('--bug', 'gremlins');
    expect(output).toMatch(/^✖ There is no bug "gremlins"/);
    expect(code).toBe(2);
  });
});
