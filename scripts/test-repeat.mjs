// npm run test:repeat [-- --fast 10 --all 3]: whole runs of `npm test`, every second one beside a process that takes a whole core, and of
// `npm run test:all`, to see whether any test fails by chance. Each run is kept in reports/test-repeat.json with commit, load and result;
// what was broken off goes on with the next run. The table at the end is for people.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reportOf } from './promises.mjs';
import { fail, install, root, run } from './setup.mjs';
import { TIERS } from './tiers.mjs';

const FILE = join(root, 'reports', 'test-repeat.json');
const { values } = parseArgs({
  options: { fast: { type: 'string', default: '10' }, all: { type: 'string', default: '3' } },
});
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
/** Of everything committed but the reports: keeping a report must not make the next run another commit's. */
const tree = () => {
  const files = git('ls-tree', '-r', 'HEAD').split('\n');
  const tested = files.filter((line) => !line.split('\t')[1].startsWith('reports/'));
  return createHash('sha256').update(tested.join('\n')).digest('hex').slice(0, 16);
};

function busyCore() {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  return () => child.kill('SIGKILL');
}

function failuresOf(tiers) {
  return tiers.flatMap((tier) => (reportOf(tier)?.tests ?? []).filter(({ status }) => status !== 'passed'));
}

/** One whole run; what it was and what became of it. */
function measure(kind, isBusy) {
  const stop = isBusy ? busyCore() : () => {};
  const began = Date.now();
  const load = loadavg()[0];
  const code = kind === 'fast' ? run('npm', ['test']) : run('npm', ['run', 'test:all']);
  stop();
  const reports = (kind === 'fast' ? ['fast'] : Object.keys(TIERS)).map((tier) => reportOf(tier));
  const sum = (field) => reports.reduce((total, report) => total + (report?.[field] ?? 0), 0);
  const failures = failuresOf(kind === 'fast' ? ['fast'] : Object.keys(TIERS));
  return {
    kind,
    commit: git('rev-parse', '--short', 'HEAD'),
    tree: tree(),
    began: new Date(began).toISOString(),
    load: isBusy ? 'one core taken' : `alone (load average ${load.toFixed(1)} before)`,
    minutes: Number(((Date.now() - began) / 60_000).toFixed(1)),
    passed: sum('passed'),
    failed: code === 0 ? sum('failed') : Math.max(1, sum('failed')),
    failures: failures.map(({ file, name }) => `${file} ${name}`),
  };
}

install();
if (git('status', '--porcelain', '--', ':!reports') !== '') {
  fail('There are changes that are not committed: commit or stash them, so that the report can say what was run.');
}
const kept = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : [];
const ofTree = () => kept.filter((one) => one.tree === tree());
const plan = [
  ...Array.from({ length: Number(values.fast) }, (_, turn) => ({ kind: 'fast', isBusy: turn % 2 === 1 })),
  ...Array.from({ length: Number(values.all) }, () => ({ kind: 'all', isBusy: false })),
];
const left = ['fast', 'all'].flatMap((kind) =>
  plan.filter((one) => one.kind === kind).slice(ofTree().filter((one) => one.kind === kind).length),
);
console.log(
  `${plan.length - left.length} of ${plan.length} runs are kept of this commit's files; ${left.length} to go.`,
);
for (const { kind, isBusy } of left) {
  kept.push(measure(kind, isBusy));
  mkdirSync(join(root, 'reports'), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(kept, undefined, 2)}\n`);
}

console.log('\n| run | commit | load | minutes | passed | failed |\n|---|---|---|---|---|---|');
for (const { kind, commit, load, minutes, passed, failed, failures } of ofTree()) {
  const command = kind === 'fast' ? 'npm test' : 'npm run test:all';
  console.log(
    `| ${command} | ${commit} | ${load} | ${minutes} | ${passed} | ${failed}${failures.map((name) => `, ${name}`).join('')} |`,
  );
}
const failed = ofTree().reduce((sum, one) => sum + one.failed, 0);
console.log(`\n${ofTree().length} runs, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
