// npm run -s payout -- COMMAND: the command `payout` from the workspace's sources; paths are those of whoever calls it.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { install, root, run } from './setup.mjs';

install();
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
process.exit(
  run(
    process.execPath,
    [
      '--conditions=@payouts/source',
      '--import',
      tsx,
      `${root}/packages/cli/src/payout/main.ts`,
      ...process.argv.slice(2),
    ],
    {},
    process.env.INIT_CWD ?? process.cwd(),
  ),
);
