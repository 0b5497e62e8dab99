import { chmodSync, cpSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
/** README and every page of the documents, as paths in the repository. */
export const pages = ['README.md', ...documents.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];

const LEFT_OUT: readonly string[] = ['node_modules', 'dist', 'target', '.git', '.data', '.toolchain', 'coverage'];

/** Where npm links the packages of the workspace. */
const WORKSPACES = '@payouts';

/** Copies the repository's files to a folder, as a clone with its packages installed. */
export function copyClone(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(root)) {
    if (LEFT_OUT.includes(name)) continue;
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !LEFT_OUT.includes(basename(path)),
    });
  }
  for (const name of ['node_modules', '.toolchain']) symlinkSync(join(root, name), join(folder, name));
}

/** The same, whose packages use each other and not the repository's: for whoever changes one of them. */
export function copyOwnClone(folder: string): void {
  copyClone(folder);
  const modules = join(folder, 'node_modules');
  rmSync(modules);
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== WORKSPACES) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, WORKSPACES));
  for (const name of readdirSync(join(root, 'node_modules', WORKSPACES))) {
    symlinkSync(readlinkSync(join(root, 'node_modules', WORKSPACES, name)), join(modules, WORKSPACES, name));
  }
}

/** Writes a program that a shell finds by its name. */
export function writeProgram(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
