// npm run program:negatives [INSTRUCTION]: makes every account of every instruction of the ledger program wrong in every way.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/test/program/negatives/run.ts`, ...process.argv.slice(2)]));
