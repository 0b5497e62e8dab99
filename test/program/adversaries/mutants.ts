import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './guards.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = join(root, 'program');
/** Built mutants by the hash of their source, and the one crate that they are all built in, so that only the crate itself is built anew. */
const folder = join(root, '.toolchain/mutants');
const crate = join(folder, 'crate');

/** A file of the program's source without the guard. Throws unless the text stands there once. */
export function patched({ file, find, replace }: Mutant): string {
  const source = readFileSync(join(program, 'src', file), 'utf8');
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`program/src/${file} has "${find}" ${parts.length - 1} times, not once`);
  return parts.join(replace);
}

/** The program without a guard: the path of its file, built if it isn't there yet. Throws when it can't be built. */
export function build(mutant: Mutant): string {
  const text = patched(mutant);
  const hash = createHash('sha256').update(text).update(mutant.file);
  for (const file of ['Cargo.toml', 'Cargo.lock', ...sources()]) hash.update(readFileSync(join(program, file)));
  const output = join(folder, `${hash.digest('hex').slice(0, 32)}.so`);
  if (existsSync(output)) return output;

  mkdirSync(crate, { recursive: true });
  rmSync(join(crate, 'src'), { recursive: true, force: true });
  for (const part of ['src', 'Cargo.toml', 'Cargo.lock', 'sbpf-solana.json'])
    cpSync(join(program, part), join(crate, part), { recursive: true });
  const settings = readFileSync(join(program, '.cargo/config.toml'), 'utf8');
  mkdirSync(join(crate, '.cargo'), { recursive: true });
  writeFileSync(join(crate, '.cargo/config.toml'), settings.replaceAll('../.toolchain/', '../../'));
  writeFileSync(join(crate, 'src', mutant.file), text);
  const built = spawnSync(join(root, 'toolchain/build.sh'), [`${output}.part`, crate], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`${mutant.file} without "${mutant.find}" does not build:\n${built.stderr}`);
  renameSync(`${output}.part`, output);
  return output;
}

const sources = () =>
  readdirSync(join(program, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.rs'))
    .sort()
    .map((file) => join('src', file));
