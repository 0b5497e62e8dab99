// npm run bench [-- NAME] [OPTIONS]: measures a part of the system against a limit measured in the same run. Without a name: windows.
import { provideServices } from './services.mjs';
import { fail, install, root, run, typescript } from './setup.mjs';

const NAMES = ['windows', 'registration', 'poll', 'reads', 'throughput', 'preview'];

const [first, ...rest] = process.argv.slice(2);
const isOption = first === undefined || first.startsWith('-');
const name = isOption ? 'windows' : first;
const options = isOption ? process.argv.slice(2) : rest;
if (!NAMES.includes(name)) fail(`There is no bench "${name}": choose one of ${NAMES.join(', ')}.`);

install();
const missing = ['windows', 'preview'].includes(name) ? [] : provideServices();
if (missing.length > 0) fail(missing.join('\n'));
process.exit(run(process.execPath, [...typescript, `${root}/bench/${name}.ts`, ...options]));
