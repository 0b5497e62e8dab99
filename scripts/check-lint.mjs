// Whether toolchain/lint.sh refuses a function that is too long: one of 80 lines is planted in a copy of the program, then one of 60.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './setup.mjs';

const CASES = [
  { lines: 80, refused: true },
  { lines: 60, refused: false },
];

/** What clippy says of the program with a function of so many lines. */
function lint(lines) {
  const crate = mkdtempSync(join(tmpdir(), 'payouts-lint-'));
  try {
    for (const part of ['src', 'Cargo.toml', 'Cargo.lock']) {
      cpSync(join(root, 'program', part), join(crate, part), { recursive: true });
    }
    const body = Array.from({ length: lines }, (_, line) => `    core::hint::black_box(${line});\n`).join('');
    appendFileSync(join(crate, 'src', 'lib.rs'), `\npub fn planted() {\n${body}}\n`);
    return spawnSync(join(root, 'toolchain', 'lint.sh'), ['--clippy', crate], { encoding: 'utf8' });
  } finally {
    rmSync(crate, { recursive: true });
  }
}

for (const { lines, refused } of CASES) {
  const { status, stderr } = lint(lines);
  const isRefused = status !== 0 && stderr.includes('this function has too many lines');
  if (isRefused !== refused || (!refused && status !== 0)) {
    console.error(`✖ A function of ${lines} lines is ${isRefused ? 'refused' : 'let through'}.\n${stderr}`);
    process.exitCode = 1;
  } else console.log(`✓ A function of ${lines} lines is ${refused ? 'refused' : 'let through'}.`);
}
