// npm run spy -- [--salts off] [--apart] [--keep FOLDER]: what can be learned of who is paid what, from everything that the service lets out.
// See docs/internals/spy.md.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/test/privacy/spy/run.ts`, ...process.argv.slice(2)]));
