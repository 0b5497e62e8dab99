// npm run bench [-- NAME] [OPTIONS]: what parts of the system take, each beside a limit measured in the same run. Without a name: all.
import { buildPage } from './page.mjs';
import { provideServices } from './services.mjs';
import { fail, install, root, run, typescript } from './setup.mjs';

const args = process.argv.slice(2);
install();
const [name = '--all'] = args;
const isRun = name !== 'model' && !args.includes('--help') && !args.includes('-h');
const missing = isRun ? provideServices() : [];
if (missing.length > 0) fail(missing.join('\n'));
// A start is measured as it is once everything is installed and built.
const unbuilt = isRun && (name === 'start' || name.startsWith('-')) ? buildPage() : undefined;
if (unbuilt !== undefined) fail(unbuilt);
process.exit(run(process.execPath, [...typescript, `${root}/bench/runner/main.ts`, ...args]));
