// npm run coordinator: the service alone, with the settings of the environment; npm run coordinator -- COMMAND: an operator's command.
import { install, root, serve, typescript } from './setup.mjs';

install();
process.exit(
  await serve(process.execPath, [...typescript, `${root}/packages/coordinator/src/main.ts`, ...process.argv.slice(2)]),
);
