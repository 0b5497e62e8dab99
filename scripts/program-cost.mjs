// npm run program:cost: compute units of every instruction and of a claim by batch size, on the real ledgers.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/bench/programCost/run.ts`, ...process.argv.slice(2)]));
