// npm run withdrawals -- [--count N] [--seed S]: withdrawals on the real parts, of which 30 % fail at first while validator and coordinators are
// killed and everything is sent again, and checks that everybody is paid once. See docs/internals/fault-tests.md.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(
  run(process.execPath, [...typescript, `${root}/test/faults/withdrawals/cli.ts`, ...process.argv.slice(2)]),
);
