// npm run spy -- [--salts off] [--apart] [--keep FOLDER]: lets a world live, sends a spy through what it lets out, and judges what the spy says.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Result } from './claim.ts';
import { confirmed, judge, type Named, namedOf, type Verdict } from './judge.ts';
import { besidesOf, tableOf } from './report.ts';
import type { Truth } from './truth.ts';

const { values } = parseArgs({
  options: {
    salts: { type: 'string', default: 'on' },
    apart: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});
if (values.salts !== 'on' && values.salts !== 'off') {
  console.error(`✖ --salts is on or off: ${values.salts} is neither.`);
  process.exit(2);
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const SALTS_OFF = new URL('./saltsOff/register.mjs', import.meta.url).href;
const MOST_BYTES = 2 ** 28;

/** Runs a program of this folder in a process of its own and returns what it prints. */
function run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const node = ['--conditions=@payouts/source', '--import', createRequire(import.meta.url).resolve('tsx'), here(name)];
  const child = spawnSync(process.execPath, [...node, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: MOST_BYTES,
  });
  if (child.status !== 0) {
    console.error(`✖ ${name} ended with ${child.signal ?? child.status}.`);
    process.exit(2);
  }
  return child.stdout;
}

type Played = { readonly verdicts: readonly Verdict[]; readonly named: Named; readonly results: readonly Result[] };

/** Lets a world live, sends the spy through it, and prints and returns what the judge finds. */
function play(folder: string): Played {
  const evidence = join(folder, 'evidence');
  const truthFile = join(folder, 'truth.json');
  mkdirSync(evidence, { recursive: true });
  const saltsOff = { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${SALTS_OFF}`, PAYOUTS_TEST_RECORD: '' };
  const began = performance.now();
  run(
    './world/main.ts',
    [evidence, truthFile, ...(values.apart ? ['--apart'] : [])],
    values.salts === 'off' ? saltsOff : {},
  );
  const lived = performance.now();
  const results = JSON.parse(run('./spy.ts', [evidence])) as Result[];
  const seconds = [lived - began, performance.now() - lived].map((ms) => (ms / 1_000).toFixed(0));
  const truth = JSON.parse(readFileSync(truthFile, 'utf8')) as Truth;
  const verdicts = judge(results, truth);
  const of = new Set(truth.paid.map(({ recipient }) => recipient)).size;
  console.log(
    `${of} recipients of ${Object.values(truth.schedules).flat().length} employers among ${truth.candidates} candidates, ` +
      `${truth.taken.length} withdrawals; salts ${values.salts}; the world took ${seconds[0]} s, the spy ${seconds[1]} s\n`,
  );
  console.log(`${tableOf(results, verdicts)}\n`);
  return { verdicts, named: namedOf(results, truth), results };
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'payouts-spy-'));
try {
  const { verdicts: first, named, results } = play(folder);
  let verdicts = first;
  // Where something is proven, whether a guess was luck changes nothing.
  const learnedAt = first.filter((verdict) => verdict.learned > 0);
  if (learnedAt.length > 0 && learnedAt.every(({ isGuess }) => isGuess)) {
    console.log('Guesses have reached what one in a thousand does: they are tried in another world.\n');
    verdicts = confirmed(first, play(join(folder, 'again')).verdicts);
  }
  const looked = Object.fromEntries(results.map((result) => [result.attack, result.looked]));
  writeFileSync(join(folder, 'report.json'), JSON.stringify({ verdicts, named, looked }));
  console.log(`${besidesOf(verdicts, named).join('\n')}\n`);
  const learned = verdicts.reduce((sum, verdict) => sum + verdict.learned, 0);
  console.log(`learned: ${learned}`);
  process.exitCode = learned === 0 ? 0 : 1;
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
