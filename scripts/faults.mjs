// npm run faults -- --seeds N [--seed FIRST] [--only POINT] [--kill KIND] [--alone]: kills coordinators, PostgreSQL and the validator at
// every point of the workflow, on the real parts, and checks that everybody is paid once. See docs/internals/fault-tests.md.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/test/faults/matrix/cli.ts`, ...process.argv.slice(2)]));
