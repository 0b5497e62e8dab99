// npm run program:fuzz -- --steps N --seed S: random instructions against the ledger program, every money rule checked after each.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/test/program/fuzz/cli.ts`, ...process.argv.slice(2)]));
