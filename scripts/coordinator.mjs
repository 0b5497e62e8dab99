// npm run coordinator: the service alone, with the settings of the environment; npm run coordinator -- COMMAND: an operator's command.
import { buildPage } from './page.mjs';
import { fail, install, root, serve, typescript } from './setup.mjs';

install();
// Only the service itself serves it.
const sentence = process.argv.length === 2 ? buildPage() : undefined;
if (sentence !== undefined) fail(sentence);
process.exit(
  await serve(process.execPath, [...typescript, `${root}/packages/coordinator/src/main.ts`, ...process.argv.slice(2)]),
);
