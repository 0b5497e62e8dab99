import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { BugName } from './bugs.ts';
import type { WorldReport } from './world.ts';

// npm run simulate -- --windows N --seed S [--world W] [--bug NAME] [--jobs J]
const MOST_JOBS = 8;
const PROGRESS_MS = 5_000;
/** Worlds with a violation after which nothing more is begun. */
const ENOUGH = 3;
const BUG_NAMES = [
  'double-send',
  'sent-unstored',
  'confirmed-is-final',
  'early-expiry',
  'blind-claims',
  'trusted-backup',
] as const satisfies BugName[];

/** What a child is told to live, and what it answers for each world. */
export type Task = {
  readonly seed: number;
  readonly windows: number;
  readonly places: readonly number[];
  readonly bug: BugName | undefined;
};
export type Answer = { readonly place: number; readonly report: WorldReport };

function fail(sentence: string): never {
  console.error(`✖ ${sentence}`);
  process.exit(2);
}

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  const number = text === undefined ? otherwise : Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  fail(`--${name} takes a whole number: npm run simulate -- --windows 100000 --seed 1`);
}

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { windows: text, seed: text, world: text, bug: text, jobs: text } });
const windows = wholeNumber('windows', values.windows, 2_000);
const seed = wholeNumber('seed', values.seed, Math.floor(Math.random() * 2 ** 32));
const only = values.world === undefined ? undefined : wholeNumber('world', values.world, 0);
const bug = BUG_NAMES.find((name) => name === values.bug);
if (values.bug !== undefined && bug === undefined) fail(`There is no bug "${values.bug}": ${BUG_NAMES.join(', ')}.`);
if (windows === 0) fail('--windows takes a number above 0.');

const { traceOf, worldsOf } = await import('./plan.ts');
const worlds = worldsOf(windows);
if (only !== undefined && only >= worlds) fail(`${windows} windows are worlds 0 to ${worlds - 1}.`);
const places = only === undefined ? Array.from({ length: worlds }, (_, place) => place) : [only];
const jobs = Math.max(1, Math.min(wholeNumber('jobs', values.jobs, availableParallelism()), MOST_JOBS, places.length));

console.log(`seed ${seed}: ${worlds} worlds${bug === undefined ? '' : `, with the bug "${bug}"`}`);
const began = performance.now();
const reports = new Map<number, WorldReport>();
const done = () => [...reports.values()].reduce((sum, report) => sum + report.windows, 0);
const rate = () => (done() / ((performance.now() - began) / 1_000)).toFixed(0);
const progress = setInterval(() => console.log(`${done()} of ${windows} windows, ${rate()} a second`), PROGRESS_MS);

async function work(share: readonly number[]): Promise<void> {
  const child = fork(new URL('./child.ts', import.meta.url), { execArgv: process.execArgv });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  child.on('message', ({ place, report }: Answer) => {
    reports.set(place, report);
    const broken = [...reports.values()].filter((each) => each.broken.length > 0).length;
    if (broken >= ENOUGH) child.kill();
  });
  child.send({ seed, windows, places: share, bug } satisfies Task);
  const code = await ended;
  if (code !== 0 && code !== null) fail(`A part of the simulation ended with code ${code}.`);
}

await Promise.all(Array.from({ length: jobs }, (_, job) => work(places.filter((place) => place % jobs === job))));
clearInterval(progress);

const inOrder = [...reports].sort(([a], [b]) => a - b);
const totals = new Map<string, number>();
let violations = 0;
for (const [place, report] of inOrder) {
  for (const [name, count] of Object.entries(report.counts)) totals.set(name, (totals.get(name) ?? 0) + count);
  violations += report.broken.length;
  for (const { at, rule, what } of report.broken) {
    console.error(`✖ world ${place}, ${new Date(at).toISOString()}: ${rule}. ${what}`);
  }
  if (report.broken.length > 0) {
    const same = `--windows ${windows} --seed ${seed} --world ${place}${bug === undefined ? '' : ` --bug ${bug}`}`;
    console.error(`  again: npm run simulate -- ${same}`);
  }
}
console.log(`\n${[...totals].map(([name, count]) => `${name} ${count}`).join(', ')}`);
console.log(`trace ${traceOf(inOrder.map(([place, { trace }]) => ({ place, trace })))}`);
console.log(`${rate()} windows a second`);
console.log(`${done()} windows, ${violations} violations`);
process.exit(violations === 0 ? 0 : 1);
