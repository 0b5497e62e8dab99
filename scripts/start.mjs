// npm start: both ledgers, the coordinator and a sample employer, from a fresh clone.
import { buildPage } from './page.mjs';
import { fail, install, root, run, typescript } from './setup.mjs';

install();
const sentence = buildPage();
if (sentence !== undefined) fail(sentence);
process.exit(run(process.execPath, [...typescript, `${root}/packages/sandbox/src/start.ts`, ...process.argv.slice(2)]));
