// npm run pack [-- FOLDER]: the command and the client as packages that install without this repository, into FOLDER (default: dist).
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail, install, root } from './setup.mjs';

const cli = join(root, 'packages/cli');
/** The command as one bundle, by packages/cli/vite.config.ts. */
const bundle = join(cli, 'dist/package');

/** Runs a program of Node without its output; ends the process with what it said when it fails. */
function quietly(command, words, cwd) {
  const child = spawnSync(command, words, { cwd, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (child.status !== 0) fail(`The packages could not be made: ${child.error?.message ?? child.stderr.trim()}`);
}

/** What npm is told of the command: nothing to install but what a hardware wallet needs, for those who have one. */
function writeManifest() {
  const whole = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'));
  const kept = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin'];
  const manifest = Object.fromEntries(
    [...kept, 'peerDependencies', 'peerDependenciesMeta'].map((key) => [key, whole[key]]),
  );
  writeFileSync(join(bundle, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

install();
const folder = resolve(process.env.INIT_CWD ?? root, process.argv[2] ?? join(root, 'dist'));
mkdirSync(folder, { recursive: true });
quietly(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], cli);
writeManifest();
copyFileSync(join(root, 'LICENSE'), join(bundle, 'LICENSE'));
copyFileSync(join(cli, 'README.md'), join(bundle, 'README.md'));
// The client's `prepack` builds it.
quietly('npm', ['pack', bundle, join(root, 'packages/client'), '--pack-destination', folder], root);
console.log(`Made in ${folder}.`);
