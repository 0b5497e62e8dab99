// npm run program:rules: tests of the program's rules that need no ledger, in Rust. Exit 3: no Rust toolchain is here.
import { cargo } from './cargo.mjs';

process.exit(cargo('test', ...process.argv.slice(2)));
