// npm run bench [-- NAME] [OPTIONS]: what parts of the system take, each beside a limit measured in the same run. Without a name: all.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './page.mjs';
import { fail, install, root, run } from './setup.mjs';

const args = process.argv.slice(2);
install();
const [name = '--all'] = args;
const isRun = name !== 'model' && !args.includes('--help') && !args.includes('-h');
// A start is measured as it is once everything is installed and built.
const unbuilt = isRun && (name === 'start' || name.startsWith('-')) ? buildPage() : undefined;
if (unbuilt !== undefined) fail(unbuilt);
// What is measured is what is deployed, JavaScript as `tsc` makes it; `tsx` adds a fifth to what a window takes of the processor. Only
// the bench itself is run from its source.
if (!existsSync(join(root, 'packages/coordinator/dist'))) console.log('Building the packages ...');
if (
  run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-b',
    'packages/coordinator/test/children',
    'packages/cli',
    'packages/testing',
  ]) !== 0
) {
  fail('The packages could not be built: mend what the lines above say and run the command again.');
}
process.exit(run(process.execPath, ['--import', 'tsx', `${root}/bench/runner/main.ts`, ...args]));
