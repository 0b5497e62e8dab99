// npm run bench: measures the system against a limit measured in the same run.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/bench/run.ts`, ...process.argv.slice(2)]));
