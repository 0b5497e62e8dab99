// npm run test:all [-- --bail]: every tier of the tests, one after the other, and one sum. --bail: ends where a tier fails.
import { rmSync } from 'node:fs';
import { brokenPromises, REPORTS, readPromises, reportOf } from './promises.mjs';
import { run } from './setup.mjs';
import { commandOf, TIERS } from './tiers.mjs';

const isBailing = process.argv.includes('--bail');
const began = performance.now();
rmSync(REPORTS, { recursive: true, force: true });
const rows = [];
let passed = 0;
let failed = 0;
for (const tier of Object.keys(TIERS)) {
  const command = commandOf(tier);
  console.log(`\n━━ ${command}\n`);
  const [program, ...args] = command.split(' ');
  const code = run(program, args);
  // A tier that ended without a report has failed before it could count.
  const report = reportOf(tier) ?? { passed: 0, failed: 1, seconds: 0 };
  passed += report.passed;
  failed += code === 0 ? report.failed : Math.max(1, report.failed);
  rows.push({ command, passed: report.passed, failed: report.failed, minutes: (report.seconds / 60).toFixed(1) });
  if (failed > 0 && isBailing) break;
}

const hasRunAll = rows.length === Object.keys(TIERS).length;
if (hasRunAll) {
  const broken = brokenPromises({ isFastOnly: false });
  for (const sentence of broken) console.error(`✖ ${sentence}`);
  console.log(`\n${readPromises().length} promises, ${broken.length} without two tests that ran and passed`);
  if (broken.length === 0) passed += 1;
  else failed += 1;
} else console.log('\nA tier failed: those after it were not run.');
console.table(rows);
console.log(`${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
