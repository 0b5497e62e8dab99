// npm start: both ledgers, the coordinator and a sample employer, from a fresh clone.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/packages/cli/src/start.ts`, ...process.argv.slice(2)]));
