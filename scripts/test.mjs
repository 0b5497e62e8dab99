// npm test, npm run test:TIER [-- VITEST'S OPTIONS]: one tier of the tests (scripts/tiers.mjs). The last line counts them.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, relative } from 'node:path';
import { buildBundles } from './bundles.mjs';
import { brokenPromises, REPORTS } from './promises.mjs';
import { provideServices } from './services.mjs';
import { bin, fail, install, root, run } from './setup.mjs';
import { TIERS } from './tiers.mjs';

const SLOWEST = 10;
/** So many failures are named, of which there can be hundreds for one cause. */
const NAMED = 20;

const [name, ...vitestOptions] = process.argv.slice(2);
const tier = TIERS[name];
if (tier === undefined) fail(`There is no tier ${name}: there are ${Object.keys(TIERS).join(', ')}.`);
/** Test files at a time. */
const workers = tier.isMeasured ? 1 : (tier.workers ?? 2);
const isWhole = vitestOptions.length === 0;
const began = performance.now();
const seconds = (since) => ((performance.now() - since) / 1_000).toFixed(1);
let passed = 0;
/** What failed, each in a few words. */
const failures = [];
/** How long the test runner took. */
let testSeconds = 0;

function printFailures(sentences) {
  for (const sentence of sentences.slice(0, NAMED)) console.log(`  ✖ ${sentence}`);
  if (sentences.length > NAMED) console.log(`  and ${sentences.length - NAMED} more`);
}

/** Ends with what failed, which may stand far above, and with the count; the report says the same to programs. */
function end(tests = []) {
  const failed = failures.length;
  if (isWhole) {
    mkdirSync(REPORTS, { recursive: true });
    const report = { tier: name, passed, failed, seconds: Number(seconds(began)), testSeconds, tests };
    writeFileSync(join(REPORTS, `${name}.json`), JSON.stringify(report));
  }
  if (failed > 0) console.log('\nWhat failed:');
  printFailures(failures);
  console.log(`\n${seconds(began)} s\n${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

/** Runs a command beside others; resolves to how it failed, if it did, and what it says, which is shown at once if this terminal is its own. */
function execute(command, args, { signal, env = {}, stdio = ['ignore', 'pipe', 'pipe'] } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio, signal, env: { ...process.env, ...env } });
    let said = '';
    for (const output of [child.stdout, child.stderr]) output?.on('data', (bytes) => (said += bytes));
    child.on('error', (error) => resolve({ failure: error.message, said }));
    child.on('close', (code, killer) => {
      resolve({ failure: code === 0 ? undefined : (killer ?? `exit code ${code}`), said });
    });
  });
}

/** The checks of `npm test` that start nothing: two at a time, and none goes on once one has failed. */
async function staticChecks() {
  const checks = [
    ['types', bin('tsc'), ['-b']],
    ['the generated client is current', 'npm', ['run', '--silent', 'check:client']],
    ['the picture of the architecture', 'npm', ['run', '--silent', 'architecture', '--', '--check']],
    ["a newcomer's searches", 'npm', ['run', '--silent', 'check:findable']],
    ['the pages, the service and the command', process.execPath, [join(root, 'scripts', 'bundles.mjs')]],
    ['format and lint', bin('biome'), ['ci', '.']],
    ['layers and cycles', 'npm', ['run', '--silent', 'lint:layers']],
    ['type names', 'npm', ['run', '--silent', 'lint:types']],
    ['dead code', bin('knip'), ['--cache']],
  ];
  const stop = new AbortController();
  const next = async () => {
    for (let check = checks.shift(); check !== undefined && failures.length === 0; check = checks.shift()) {
      const [title, command, args] = check;
      const since = performance.now();
      const { failure, said } = await execute(command, args, { signal: stop.signal });
      if (stop.signal.aborted) return;
      if (failure === undefined) passed += 1;
      else {
        failures.push(`${title} (${failure})`);
        stop.abort();
      }
      console.log(`  ${failure === undefined ? '✓' : '✖'} ${title} (${seconds(since)} s)`);
      if (failure !== undefined) console.error(said);
    }
  };
  await Promise.all([next(), next()]);
}

/** A command that passes or fails as a whole. What it says is shown when it has ended, since others run beside it. */
async function check({ title, file, args = [] }) {
  const since = performance.now();
  const words = [join(root, file), ...args];
  if (extname(file) === '.mjs') words.unshift(process.execPath);
  const [command, ...rest] = words;
  const { failure, said } = await execute(command, rest);
  console.log(`\n— ${failure === undefined ? '✓' : '✖'} ${title} (${seconds(since)} s)\n${said.trimEnd()}`);
  if (failure === undefined) passed += 1;
  else failures.push(`${title} (${failure})`);
  return failure === undefined;
}

/** Runs the tests of the tier's projects and returns what became of each. */
async function runTests(record) {
  console.log('\n— tests');
  const since = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'payouts-test-'));
  const file = join(folder, 'report.json');
  const projects = tier.projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const env = { PAYOUTS_TEST_RECORD: record, PAYOUTS_TEST_WORKERS: String(workers) };
  const words = ['run', ...projects, ...reporters, ...vitestOptions];
  const { failure } = await execute(bin('vitest'), words, { env, stdio: 'inherit' });
  testSeconds = Number(seconds(since));
  let result;
  try {
    result = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    failures.push(`the test runner left no report (${failure ?? 'exit code 0'})`);
    return [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const tests = result.testResults.flatMap(({ name: path, status, assertionResults }) => {
    const file = relative(root, path);
    // A file that does not load has failed without a test of its own.
    if (status === 'failed' && assertionResults.length === 0) return [{ file, name: '', status, seconds: 0 }];
    return assertionResults.map(({ fullName, status, duration = 0 }) => {
      return { file, name: fullName, status, seconds: Math.round(duration) / 1_000 };
    });
  });
  // A skipped test has not been run.
  const broken = tests.filter(({ status }) => status !== 'passed');
  passed += tests.length - broken.length;
  for (const { file, name, status } of broken) failures.push(`${file} ${name} (${status})`);
  if (failure !== undefined && broken.length === 0)
    failures.push(`the test runner, though every test passed (${failure})`);
  return tests;
}

/** Runs the tier's checks and tests, beside each other unless they are measured by the clock; returns what became of the tests. */
async function runAll(record) {
  const chains = tier.checks.map((chain) => async () => {
    for (const each of chain) await check(each);
    return [];
  });
  const tests = async () => (tier.projects.length === 0 ? [] : runTests(tier.records === 'none' ? '' : record));
  // Ctrl-C reaches the children, which end.
  process.on('SIGINT', () => {});
  const results = [];
  for (const begin of [...chains, tests]) {
    const going = begin();
    results.push(tier.isMeasured ? await going : going);
  }
  return (await Promise.all(results)).flat();
}

/** What takes the longest is what to make faster next. */
function printSlowest(tests) {
  const slowest = [...tests].sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  console.log('\nThe slowest tests:');
  for (const test of slowest) console.log(`  ${test.seconds.toFixed(1).padStart(6)} s  ${test.file}  ${test.name}`);
}

install();
if (name === 'fast') await staticChecks();
else {
  // The tests start programs as tsc builds them, and open the page.
  const unbuilt =
    run(bin('tsc'), ['-b']) === 0 ? buildBundles() : 'The packages could not be built: fix what the lines above say.';
  if (unbuilt !== undefined) fail(unbuilt);
}
if (failures.length > 0) end();
// A test that needs what is still missing fails by itself, saying the same.
for (const sentence of provideServices(tier.needs)) console.error(`✖ ${sentence}`);

const record = mkdtempSync(join(tmpdir(), 'payouts-record-'));
const tests = await runAll(record);
let isPrivate = true;
// Some tests alone need not have let out something of every kind.
if (tier.records !== 'none' && isWhole) {
  const file = 'scripts/run.mjs';
  const args = ['privacy:scan', record, ...(tier.records === 'part' ? ['--part'] : [])];
  isPrivate = await check({ title: 'nothing private in all that the tests let out', file, args });
}
if (tier.projects.includes('browser') && isWhole) {
  await check({ title: 'everything with a title was shown to axe', file: 'scripts/judged.mjs', args: [record] });
}
// Nobody could find out what it was without what was let out.
if (isPrivate) rmSync(record, { recursive: true, force: true });
else console.log(`What the tests let out is kept in ${record}: remove it when you are done.`);
if (name === 'fast' && isWhole) {
  const broken = brokenPromises({ isFastOnly: true, fastTests: tests });
  printFailures(broken);
  if (broken.length === 0) passed += 1;
  else failures.push(`${broken.length} promises have no test that ran and passed`);
}
if (tests.length > 0) printSlowest(tests);
end(tests);
