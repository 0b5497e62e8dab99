// npm run spy -- [--as NAME|all [--plant]] [--salts off] [--apart] [--keep FOLDER | --from FOLDER]: lets a world live, sends a spy through what it lets
// out, or an adversary through what that one has, and judges what they say.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ADVERSARIES, ADVERSARY_NAMES, type AdversaryName } from './adversaries.ts';
import type { Result } from './claim.ts';
import { type Measured, measure } from './facts.ts';
import { confirmed, judge, namedOf, type Verdict } from './judge.ts';
import { PLANTS } from './plants.ts';
import { besidesOf, factsTable, tableOf } from './report.ts';
import { SPY_PLANTS } from './spyPlants.ts';
import type { Truth } from './truth.ts';

const { values } = parseArgs({
  options: {
    as: { type: 'string' },
    plant: { type: 'boolean', default: false },
    salts: { type: 'string', default: 'on' },
    apart: { type: 'boolean', default: false },
    keep: { type: 'string' },
    from: { type: 'string' },
  },
});
function refuse(sentence: string): never {
  console.error(`✖ ${sentence}`);
  process.exit(2);
}
if (values.salts !== 'on' && values.salts !== 'off') refuse(`--salts is on or off: ${values.salts} is neither.`);
// The insider is looked at once without and once with the keys.
const adversaries = ADVERSARY_NAMES.filter((name) =>
  ['all', name, name.replace('-with-keys', '')].includes(values.as ?? ''),
);
if (values.as !== undefined && adversaries.length === 0) {
  refuse(`--as takes all or one of ${ADVERSARY_NAMES.join(', ')}: ${values.as} is none of them.`);
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const SALTS_OFF = new URL('./saltsOff/register.mjs', import.meta.url).href;
const COORDINATOR = fileURLToPath(new URL('../../../packages/coordinator/src/main.ts', import.meta.url));
/** Node's arguments that run TypeScript from the workspace's sources. */
const FROM_SOURCES = ['--conditions=@payouts/source', '--import', createRequire(import.meta.url).resolve('tsx')];
const MOST_BYTES = 2 ** 28;

/** Runs a program of this folder in a process of its own and returns what it prints. */
function run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const child = spawnSync(process.execPath, [...FROM_SOURCES, here(name), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: MOST_BYTES,
  });
  if (child.status !== 0) refuse(`${name} ended with ${child.signal ?? child.status}.`);
  return child.stdout;
}

const evidenceIn = (folder: string): string => join(folder, 'evidence');
/** Where what came out is kept: what is planted has files of its own, since those who look at one world do so beside each other. */
const resultIn = (folder: string, name: string): string =>
  join(folder, `${values.plant ? 'planted-' : ''}${name}.json`);
const truthIn = (folder: string): Truth => JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8')) as Truth;

/** Lets a world live, and leaves what is seen of it and the truth in a folder. */
function letLive(folder: string): void {
  mkdirSync(evidenceIn(folder), { recursive: true });
  // The service in one file has no modules that others could stand in the place of.
  const saltsOff = {
    NODE_OPTIONS: [process.env.NODE_OPTIONS, '--import', SALTS_OFF, ...FROM_SOURCES].join(' '),
    PAYOUTS_COORDINATOR: COORDINATOR,
    PAYOUTS_TEST_RECORD: '',
  };
  const began = performance.now();
  run(
    './world/main.ts',
    [
      ...[evidenceIn(folder), join(folder, 'truth.json')],
      ...(values.apart ? ['--apart'] : []),
      // Without salts the layer has no read permissions either.
      ...(values.salts === 'off' ? ['--open'] : []),
    ],
    values.salts === 'off' ? saltsOff : {},
  );
  const { paid, schedules, candidates, taken } = truthIn(folder);
  const of = new Set(paid.map(({ recipient }) => recipient)).size;
  console.log(
    `${of} recipients of ${Object.values(schedules).flat().length} employers among ${candidates} candidates, ` +
      `${taken.length} withdrawals; salts ${values.salts}; the world took ${secondsSince(began)} s\n`,
  );
}

const secondsSince = (began: number): string => ((performance.now() - began) / 1_000).toFixed(0);

/** What the spy, or each of these adversaries, says, and what the judge makes of it. */
function attack(folder: string, names: readonly AdversaryName[]) {
  const by = JSON.parse(run('./spy.ts', [evidenceIn(folder), ...names])) as Record<string, Result[]>;
  const truth = truthIn(folder);
  return new Map(Object.entries(by).map(([name, results]) => [name, { results, verdicts: judge(results, truth) }]));
}

/** Guesses that reach what one in a thousand does count if they do in another world, too. */
function sure(first: readonly Verdict[], elsewhere: () => readonly Verdict[]): readonly Verdict[] {
  // Where something is proven, whether a guess was luck changes nothing.
  const learnedAt = first.filter(({ learned }) => learned > 0);
  if (learnedAt.length === 0 || !learnedAt.every(({ isGuess }) => isGuess)) return first;
  console.log('Guesses have reached what one in a thousand does: they are tried in another world.\n');
  return confirmed(first, elsewhere());
}

/** Sends the spy, who has all that leaves the service; returns how much that one learned. */
function asSpy(folder: string): number {
  const seen = values.plant ? plantedForSpy(folder) : folder;
  try {
    return learnedBySpy(seen, folder);
  } finally {
    if (values.plant) rmSync(seen, { recursive: true });
  }
}

/** A folder with the same world, and in its evidence a leak for each attack. */
function plantedForSpy(folder: string): string {
  const copy = copied(folder);
  for (const [name, { leak, plant }] of Object.entries(SPY_PLANTS)) {
    plant(evidenceIn(copy), truthIn(copy));
    console.log(`planted for "${name}": ${leak}`);
  }
  return copy;
}

function copied(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'payouts-spy-planted-'));
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** What is learned of the evidence in a folder; the report goes to another. */
function learnedBySpy(folder: string, reportTo: string): number {
  const of = (world: string) => {
    const spy = attack(world, []).get('spy');
    if (spy === undefined) throw new Error('the spy says nothing');
    console.log(`${tableOf(spy.results, spy.verdicts)}\n`);
    return spy;
  };
  const { results, verdicts: first } = of(folder);
  const again = join(folder, 'again');
  const verdicts = values.plant
    ? first
    : sure(first, () => {
        letLive(again);
        return of(again).verdicts;
      });
  const named = namedOf(results, truthIn(folder));
  const looked = Object.fromEntries(results.map((result) => [result.attack, result.looked]));
  writeFileSync(resultIn(reportTo, 'report'), JSON.stringify({ verdicts, named, looked }));
  console.log(`${besidesOf(verdicts, named).join('\n')}\n`);
  const learned = verdicts.reduce((sum, verdict) => sum + verdict.learned, 0);
  console.log(`learned: ${learned}`);
  return learned;
}

/** A folder with the same world, and in its evidence a leak for each adversary. */
function planted(folder: string): string {
  const copy = copied(folder);
  for (const name of adversaries) {
    PLANTS[name].plant(evidenceIn(copy), truthIn(copy));
    console.log(`planted for the ${ADVERSARIES[name].title}: ${PLANTS[name].leak}`);
  }
  return copy;
}

/** What these adversaries learn; what is unexpected counts as far as it is learned in another world, too, or proven. */
function measured(folder: string): Record<string, readonly Measured[]> {
  const truth = truthIn(folder);
  const first = attack(folder, adversaries);
  const of = (verdictsOf: (name: AdversaryName) => readonly Verdict[]) =>
    Object.fromEntries(adversaries.map((name) => [name, measure(name, verdictsOf(name), truth)]));
  const verdictsOf = (name: string) => first.get(name)?.verdicts ?? [];
  const facts = of(verdictsOf);
  const isUnexpected = Object.values(facts).some((all) => all.some((fact) => fact.admitted === 'no' && !fact.isAsSaid));
  if (!isUnexpected || values.plant) return facts;
  console.log(
    'Somebody has learned what the page does not admit: it is tried in another world, in case it was luck.\n',
  );
  const again = mkdtempSync(join(tmpdir(), 'payouts-spy-again-'));
  letLive(again);
  const elsewhere = attack(again, adversaries);
  rmSync(again, { recursive: true });
  return of((name) => confirmed(verdictsOf(name), elsewhere.get(name)?.verdicts ?? []));
}

/** Sends adversaries; returns how many facts are not as the page says. */
function asAdversaries(folder: string): number {
  const seen = values.plant ? planted(folder) : folder;
  const facts = measured(seen);
  if (values.plant) rmSync(seen, { recursive: true });
  writeFileSync(resultIn(folder, 'facts'), JSON.stringify(facts));
  console.log(`\n${factsTable(facts)}`);
  const others = Object.values(facts).flatMap((all) => all.filter(({ isAsSaid }) => !isAsSaid));
  console.log(`\nnot as docs/concepts/adversaries.md says: ${others.length}`);
  return others.length;
}

const folder = values.from ?? values.keep ?? mkdtempSync(join(tmpdir(), 'payouts-spy-'));
try {
  if (values.from === undefined) letLive(folder);
  process.exitCode = (adversaries.length === 0 ? asSpy(folder) : asAdversaries(folder)) === 0 ? 0 : 1;
} finally {
  if (values.keep === undefined && values.from === undefined) rmSync(folder, { recursive: true, force: true });
}
