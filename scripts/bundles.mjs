// What vite makes of the sources, each built once for them: node scripts/bundles.mjs [NAME...] builds all, or those of BUNDLES.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, install, root } from './setup.mjs';

const folderOf = (name) => join(root, 'packages', name);
const BOTH_PAGES = ['pages', 'client', 'payroll', 'employer', 'statements'];

/** By the package that each is made in: what people call it, and the packages whose sources it holds beside its own. */
const BUNDLES = {
  dashboard: { title: 'the page of dashboard', packages: BOTH_PAGES },
  'recipient-page': { title: 'the page of recipient-page', packages: BOTH_PAGES },
  coordinator: { title: 'the service', packages: ['client'] },
  cli: {
    title: 'the command payout',
    packages: ['client', 'payroll', 'employer', 'statements', 'bank-files'],
  },
};
export const PAGES = ['dashboard', 'recipient-page'];
export const COMMAND = join(folderOf('cli'), 'dist/package/dist/payout/main.js');
export const SERVICE = join(folderOf('coordinator'), 'dist/service/main.js');

const filesIn = (folder, isDeep = false) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: isDeep, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** One digest of everything that a bundle is built from. */
function digestOfSources(name) {
  const own = folderOf(name);
  const shared = ['vite.mjs', 'package.json'].map((file) => join(folderOf('pages'), file));
  const files = [name, ...BUNDLES[name].packages].flatMap((each) => filesIn(join(folderOf(each), 'src'), true));
  files.push(...filesIn(own), ...filesIn(join(own, 'public')), ...shared);
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of files.sort()) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** Builds these bundles, or all, unless they are built from these sources already. Returns a sentence about what went wrong, or undefined. */
export function buildBundles(names = Object.keys(BUNDLES)) {
  for (const name of names) {
    const sentence = build(name);
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

function build(name) {
  const stamp = join(folderOf(name), 'dist', '.sources');
  const digest = digestOfSources(name);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return undefined;
  const { title } = BUNDLES[name];
  // Not among what the command prints that is run next.
  console.error(`Building ${title} ...`);
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: folderOf(name),
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (child.status !== 0) {
    const reason = child.error?.message ?? child.stderr.trim().split('\n')[0];
    return `${title} could not be built (${reason}): run \`npx vite build\` in packages/${name} to see all of it.`;
  }
  writeFileSync(stamp, digest);
  return undefined;
}

// Run by itself.
if (process.argv[1] === join(root, 'scripts', 'bundles.mjs')) {
  install();
  const names = process.argv.slice(2);
  const unknown = names.find((name) => BUNDLES[name] === undefined);
  if (unknown !== undefined) fail(`There is no bundle ${unknown}: there are ${Object.keys(BUNDLES).join(', ')}.`);
  const sentence = buildBundles(names.length === 0 ? undefined : names);
  if (sentence !== undefined) fail(sentence);
}
