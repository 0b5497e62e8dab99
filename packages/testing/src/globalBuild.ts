import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Builds what embedded databases are copied from, unless it is there. */
const TEMPLATE = 'packages/coordinator/dist/store/db/buildTemplate.js';
/** What tests start as processes and threads of their own. */
const STARTED = ['packages/testing', 'packages/coordinator/test/children'];

function build(): void {
  const { status, stdout } = spawnSync('node_modules/.bin/tsc', ['-b', ...STARTED], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`What tests start could not be built:\n${stdout}`);
  for (const words of [[TEMPLATE], ['scripts/bundles.mjs', 'cli', 'coordinator']]) {
    const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
    if (status !== 0)
      throw new Error(`What tests start could not be built: node ${words.join(' ')} ended with ${status}.`);
  }
}

/** Builds what tests start, once before all files and again when files have changed: no test starts a stale build. */
export default function setup(project: TestProject): void {
  // Each project of a run may name this file.
  if (process.env.PAYOUTS_TEST_BUILT !== undefined) return;
  process.env.PAYOUTS_TEST_BUILT = 'yes';
  build();
  project.onTestsRerun(build);
}
