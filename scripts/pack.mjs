// npm run pack [-- FOLDER]: the command and the client as packages that install without this repository, into FOLDER (default: dist).
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildBundles } from './bundles.mjs';
import { fail, install, root } from './setup.mjs';

install();
const folder = resolve(process.env.INIT_CWD ?? root, process.argv[2] ?? join(root, 'dist'));
mkdirSync(folder, { recursive: true });
const unbuilt = buildBundles(['cli']);
if (unbuilt !== undefined) fail(unbuilt);
// The client's `prepack` builds it.
const words = ['pack', join(root, 'packages/cli/dist/package'), join(root, 'packages/client')];
const packed = spawnSync('npm', [...words, '--pack-destination', folder], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'pipe'],
  encoding: 'utf8',
});
if (packed.status !== 0) fail(`The packages could not be made: ${packed.error?.message ?? packed.stderr.trim()}`);
console.log(`Made in ${folder}.`);
