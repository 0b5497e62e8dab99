// The program's rules as a crate for this machine (test/program/rules): its tests, and its answers to the client.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, run } from './setup.mjs';

const target = join(root, '.toolchain', 'rules');

/** Where cargo puts the binary that answers. */
export const agreementBinary = join(target, 'release', 'agreement');

/** Runs cargo on the crate and returns its exit code; ends the process with 3 when no Rust toolchain is here. */
export function cargo(command, ...args) {
  if (spawnSync('cargo', ['--version'], { stdio: 'ignore' }).status !== 0) {
    console.error("The program's rules are compiled with cargo, which is not here: install a stable Rust toolchain.");
    process.exit(3);
  }
  const manifest = join(root, 'test', 'program', 'rules', 'Cargo.toml');
  return run('cargo', [command, '--quiet', '--locked', '--manifest-path', manifest, '--target-dir', target, ...args]);
}
