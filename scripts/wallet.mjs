// npm run -s wallet -- FILE [--tokens AMOUNT]: a key with SOL, and a token of its own, on the ledger that npm start runs.
import { resolve } from 'node:path';
import { install, root, run, typescript } from './setup.mjs';

install();
const cwd = process.env.INIT_CWD ?? process.cwd();
const words = process.argv.slice(2).map((word, at) => (at === 0 && !word.startsWith('-') ? resolve(cwd, word) : word));
process.exit(run(process.execPath, [...typescript, `${root}/packages/sandbox/src/wallet.ts`, ...words]));
