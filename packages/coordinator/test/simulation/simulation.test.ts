import './atOnce.ts';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { seed } from '@payouts/testing/seed';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../support/log.ts';
import { BUGS, type BugName } from './bugs.ts';
import { traceOf, worldAt } from './plan.ts';
import { World, type WorldReport } from './world.ts';

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

/** Lives the only world of so many windows here, which spares the start of a process. */
function live(simulation: { windows: number; seed: number }, name?: BugName): Promise<WorldReport> {
  const bug = name === undefined ? undefined : BUGS[name];
  return new World({ ...worldAt(simulation, 0), bug, log: silentLog }).run();
}

/** Worlds that show each of the planted bugs soon; the others are for what not every world shows. */
const BUGGY = { windows: 40, seed: 2 };
const WORLDS = [BUGGY, { ...BUGGY, seed: 7 }, { ...BUGGY, seed: 13 }];

describe('the simulator', { timeout: 240_000 }, () => {
  it('pays windows in all weathers without a violation, and the same seed does the same', async () => {
    const { code, output } = await simulate('--windows', '80', '--seed', String(seed));
    expect(output).toContain('\n80 windows, 0 violations\n');
    expect(code).toBe(0);
    const { trace } = await live({ windows: 80, seed });
    expect(output).toContain(`\ntrace ${traceOf([{ place: 0, trace }])}\n`);
  });

  it.each(Object.keys(BUGS) as BugName[])('finds the planted bug "%s"', async (bug) => {
    let broken: WorldReport['broken'] = [];
    for (const world of WORLDS) if (broken.length === 0) ({ broken } = await live(world, bug));
    expect(broken).not.toEqual([]);
  });

  it('says in which world it has found something, and ends with a code', async () => {
    const { windows, seed } = BUGGY;
    const found = await simulate('--windows', `${windows}`, '--seed', `${seed}`, '--bug', 'blind-claims');
    expect(found.output).toMatch(/^✖ world 0, /m);
    expect(found.output).toMatch(/^\d+ windows, [1-9]\d* violations$/m);
    expect(found.code).toBe(1);
  });

  it('says what is wrong with its options', async () => {
    const { code, output } = await simulate('--bug', 'gremlins');
    expect(output).toMatch(/^✖ There is no bug "gremlins"/);
    expect(code).toBe(2);
  });
});
