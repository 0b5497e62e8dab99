// npm run localnet -- up: the two ledgers alone.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/packages/localnet/src/cli.ts`, ...process.argv.slice(2)]));
