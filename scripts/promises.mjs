// PROMISES.md says for each promise which fast test and which test on real parts shows it. This looks both up in what the last runs of the
// tiers reported. Run by `npm test` (the fast ones) and `npm run test:all`; by itself: node scripts/promises.mjs [fast]
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';
import { TIERS } from './tiers.mjs';

/** Where each tier's last report lies. */
export const REPORTS = join(root, '.test');
export const reportOf = (tier) => {
  const file = join(REPORTS, `${tier}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
};

/** `path` and words of the test's name, as a cell of the table has them. */
function testOf(cell) {
  const [, file, words] = /^`([^`]+)` (.+)$/.exec(cell.trim()) ?? [];
  return file === undefined ? undefined : { file, words };
}

/** The table's rows: a promise, its fast test, its test on real parts. */
export function readPromises() {
  const rows = readFileSync(join(root, 'PROMISES.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!promise|-)/.test(line))
    .map((line) => line.split(' | '));
  return rows.map(([promise, fast, real]) => {
    const row = {
      promise: promise.replace(/^\| /, ''),
      fast: testOf(fast ?? ''),
      real: testOf((real ?? '').replace(/ \|$/, '')),
    };
    return row;
  });
}

/** What is wrong with a row's test: undefined if it ran and passed. */
function trouble(test, tests) {
  if (test === undefined) return 'the table names no test';
  const found = tests.filter(({ file, name }) => file === test.file && name.includes(test.words));
  if (found.length === 0) return `${test.file} ran no test named "${test.words}"`;
  const failed = found.find(({ status }) => status !== 'passed');
  return failed === undefined ? undefined : `${test.file} "${failed.name}" ${failed.status}`;
}

/** Sentences about promises whose tests did not all run and pass; of the fast tests alone, or of both columns. */
export function brokenPromises({ isFastOnly, fastTests = reportOf('fast')?.tests ?? [] }) {
  const all = isFastOnly ? [] : Object.keys(TIERS).flatMap((tier) => reportOf(tier)?.tests ?? []);
  return readPromises().flatMap(({ promise, fast, real }) => {
    const troubles = [trouble(fast, fastTests), ...(isFastOnly ? [] : [trouble(real, all)])];
    return troubles.filter((sentence) => sentence !== undefined).map((sentence) => `${promise}: ${sentence}`);
  });
}

// Run by itself.
if (process.argv[1] === join(root, 'scripts', 'promises.mjs')) {
  const broken = brokenPromises({ isFastOnly: process.argv[2] === 'fast' });
  for (const sentence of broken) console.error(`✖ ${sentence}`);
  console.log(`${readPromises().length} promises, ${broken.length} without a test that ran and passed`);
  process.exit(broken.length === 0 ? 0 : 1);
}
