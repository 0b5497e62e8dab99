// npm run program:agreement -- --trees N --dates M --seed S: the client's trees and calendar against the program's own.
// Exit 0: they agree. 1: they don't. 3: no Rust toolchain is here.
import { agreementBinary, cargo } from './cargo.mjs';
import { install, root, run, typescript } from './setup.mjs';

install();
const built = cargo('build', '--release', '--bin', 'agreement');
if (built !== 0) process.exit(1);
const driver = `${root}/test/program/agreement.ts`;
process.exit(run(process.execPath, [...typescript, driver, '--binary', agreementBinary, ...process.argv.slice(2)]));
