// npm test: every check and test of the project. The last line counts them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from './page.mjs';
import { provideServices } from './services.mjs';
import { install, root, run } from './setup.mjs';

install();
// A test that needs what is still missing fails by itself, saying the same.
for (const sentence of provideServices()) console.error(`✖ ${sentence}`);
const bin = (name) => join(root, 'node_modules', '.bin', name);
let passed = 0;
let failed = 0;

/** One check that passes or fails as a whole. */
function check(title, command, args) {
  console.log(`\n— ${title}`);
  const code = run(command, args);
  if (code === 0) passed += 1;
  else failed += 1;
  return code;
}

/** A check that answers 3 when no Rust toolchain is on this machine: then it is left out, but not in CI. */
function rustCheck(title, command, args) {
  console.log(`\n— ${title}`);
  const code = run(command, args);
  if (code === 0) passed += 1;
  else if (code === 3 && process.env.CI === undefined) console.log('  left out: no stock Rust toolchain is here.');
  else failed += 1;
}

const unbuilt = buildPage();
if (unbuilt !== undefined) {
  console.error(`✖ ${unbuilt}`);
  failed += 1;
}
check('types', bin('tsc'), ['-b']);
check('format and lint', bin('biome'), ['ci', '.']);
check('dead code', bin('knip'), []);
check('the generated client is current', 'npm', ['run', '--silent', 'check:client']);

const script = (name) => join(root, 'scripts', name);
const fewer = ['--trees', '500', '--dates', '20000'];
rustCheck("the program's format and lints", join(root, 'toolchain', 'lint.sh'), []);
rustCheck("the program's rules that need no ledger", process.execPath, [script('program-rules.mjs')]);
rustCheck('the client agrees with the program', process.execPath, [script('program-agreement.mjs'), ...fewer]);

check('what instructions and claims cost', process.execPath, [script('program-cost.mjs')]);
check('no ratio to a limit has got a third worse', process.execPath, [script('bench.mjs'), '--short']);

console.log('\n— the committed program equals its rebuild');
const program = run(process.execPath, [join(root, 'scripts', 'check-program.mjs')]);
if (program === 0) passed += 1;
// In CI the toolchain is installed first; only if it can't be had any more may the comparison be left out.
else if (program === 3 && (process.env.CI === undefined || process.env.PROGRAM_TOOLCHAIN === 'unavailable')) {
  console.log('  left out: the tests below run the committed program.');
} else failed += 1;

console.log('\n— tests');
const folder = mkdtempSync(join(tmpdir(), 'payouts-test-'));
const report = join(folder, 'report.json');
// What services let out during the tests, and what they had to keep.
const record = join(folder, 'record');
const code = run(
  bin('vitest'),
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)],
  { PAYOUTS_TEST_RECORD: record },
);
let counted = false;
try {
  const result = JSON.parse(readFileSync(report, 'utf8'));
  passed += result.numPassedTests;
  // A file that does not load has failed without a test of its own; a skipped test has not been run.
  const unloaded = result.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  failed += result.numFailedTests + unloaded.length + result.numPendingTests + result.numTodoTests;
  counted = true;
} catch {
  console.error('✖ The test runner left no report.');
}
if (!counted || (code !== 0 && failed === 0)) failed += 1;
// Some tests alone need not have let out something of every kind.
if (process.argv.length === 2) {
  check('nothing private in all that the tests let out', process.execPath, [script('privacy-scan.mjs'), record]);
}
rmSync(folder, { recursive: true, force: true });

// Nothing may stay behind: a validator left running would hold its ports and memory.
if (process.platform === 'linux') {
  const left = spawnSync('pgrep', ['-f', 'ephemeral-validator.*payouts-test'], { encoding: 'utf8' });
  if (left.status === 0) console.error(`  validators left running: ${left.stdout.trim().split('\n').join(' ')}`);
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
