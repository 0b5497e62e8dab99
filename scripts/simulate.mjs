// npm run simulate -- --windows N --seed S: windows paid by the service's own stages on simulated ledgers, with faults throughout.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(
  run(process.execPath, [
    ...typescript,
    `${root}/packages/coordinator/test/simulation/cli.ts`,
    ...process.argv.slice(2),
  ]),
);
