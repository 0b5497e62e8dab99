// npm run bench [-- NAME...] [--quick] [--check]: everything that has a goal, each figure beside a limit measured in the same run.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { balances } from './measures/balances.ts';
import { cluster } from './measures/cluster.ts';
import { idle } from './measures/idle.ts';
import { million } from './measures/million.ts';
import { payday } from './measures/payday.ts';
import { poll } from './measures/poll.ts';
import { reads } from './measures/reads.ts';
import { registration } from './measures/registration.ts';
import { service } from './measures/service.ts';
import { soak } from './measures/soak.ts';
import { start } from './measures/start.ts';
import { throughput } from './measures/throughput.ts';
import { tree } from './measures/tree.ts';
import { windows } from './measures/windows.ts';
import { type Measure, type Row, table } from './row.ts';

const MEASURES: readonly Measure[] = [
  tree,
  registration,
  poll,
  reads,
  start,
  windows,
  balances,
  million,
  throughput,
  service,
  cluster,
  payday,
  idle,
  soak,
];
const MINUTE_MS = 60_000;
/** A measure that takes so many times its usual time hangs. */
const PATIENCE = 6;
/** What a ratio's goal may be missed by before --check fails: less is what the machine does beside. */
const NOISE = 3 / 2;
const REPORTS = new URL('../reports/', import.meta.url);

/** Runs a measure in a process of its own, so that none has another's memory. Undefined: it failed, and has said why. */
async function inChild({ name, minutes }: Measure, quick: boolean): Promise<Row[] | undefined> {
  const child = fork(fileURLToPath(new URL('child.ts', import.meta.url)), [name, ...(quick ? ['--quick'] : [])]);
  let rows: Row[] | undefined;
  child.once('message', (sent) => {
    rows = sent as Row[];
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), Math.max(10, minutes * PATIENCE) * MINUTE_MS);
  await once(child, 'exit');
  clearTimeout(timer);
  return rows;
}

/** Whether the goal of a ratio is missed by more than noise; a figure alone hangs on the machine. */
function isFarOff({ measured, limit, ratio }: Row): boolean {
  if (ratio === undefined) return false;
  const value = measured / (limit?.value ?? Number.NaN);
  return !('most' in ratio ? value <= ratio.most * NOISE : value >= ratio.least / NOISE);
}

/** What was measured last, by measure: each is kept as it ends, so that a run that is broken off loses nothing. */
type Kept = Record<string, { readonly at: string; readonly machine: string; readonly rows: readonly Row[] }>;

/** Keeps what a measure has found: bench.json for programs, bench.md for people. */
function keep(name: string, rows: readonly Row[]): void {
  const json = new URL('bench.json', REPORTS);
  const before: Kept = existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : {};
  const kept: Kept = Object.fromEntries(
    Object.entries(before).filter(([name]) => MEASURES.some((one) => one.name === name)),
  );
  const machine = `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
  kept[name] = { at: new Date().toISOString(), machine, rows };
  writeFileSync(json, `${JSON.stringify(kept, null, 2)}\n`);

  const measured = MEASURES.flatMap(({ name }) => (kept[name] === undefined ? [] : { name, ...kept[name] }));
  const all = measured.flatMap((one) => one.rows);
  const count = (verdict: Row['verdict']) => all.filter((row) => row.verdict === verdict).length;
  // Each by its own day: what was measured before may be another program's.
  const when = measured.map(({ name, at }) => `${name} ${at.slice(0, 10)}`).join(', ');
  writeFileSync(
    new URL('bench.md', REPORTS),
    `# Figures

\`npm run bench\`, ${machine}: ${count('met')} goals met, ${count('missed')} missed. What each line is, and what its limit is:
[benchmarks](../docs/internals/benchmarks.md). When each was measured: ${when}.

${table(all)}
`,
  );
}

async function main(): Promise<number> {
  const program = new Command('npm run bench --')
    .description('Measures everything that has a goal, each figure beside a limit of the same run.')
    .argument('[name...]', `which measures: ${MEASURES.map(({ name }) => name).join(', ')}; without a name: all`)
    .option('--quick', 'small sizes, to see that the measures work: no figures to quote', false)
    .option('--check', "end with 1 if a ratio's goal is missed by more than a third", false)
    .parse();
  const { quick, check } = program.opts<{ quick: boolean; check: boolean }>();
  const unknown = program.args.find((name) => MEASURES.every((measure) => measure.name !== name));
  if (unknown !== undefined) program.error(`✖ There is no bench "${unknown}": --help lists them.`);
  const chosen = MEASURES.filter(({ name }) => program.args.length === 0 || program.args.includes(name));
  const rows: Row[] = [];
  const failed: string[] = [];
  for (const measure of chosen) {
    console.log(measure.name);
    const found = await inChild(measure, quick);
    if (found === undefined) failed.push(measure.name);
    else {
      rows.push(...found);
      if (!quick) keep(measure.name, found);
    }
  }
  console.log(`\n${table(rows)}\n`);
  if (failed.length > 0) console.error(`✖ These could not be measured, see above: ${failed.join(', ')}.`);
  return failed.length > 0 || (check && rows.some(isFarOff)) ? 1 : 0;
}

process.exit(await main());
