// npm run exit:simulate -- --seed S: what an observer of the base ledger can tell of withdrawals, by simulation over a payroll.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/test/privacy/exit/cli.ts`, ...process.argv.slice(2)]));
