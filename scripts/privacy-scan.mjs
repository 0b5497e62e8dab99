// npm run privacy:scan FOLDER: looks in what a test run let out (PAYOUTS_TEST_RECORD=FOLDER) for everything that it had to keep.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/test/privacy/scan/run.ts`, ...process.argv.slice(2)]));
