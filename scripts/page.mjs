// The pages, each built once for its sources: node scripts/page.mjs
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, root } from './setup.mjs';

const PAGES = ['dashboard', 'recipient-page'];
const folderOf = (name) => join(root, 'packages', name);

/** One digest of everything that a page is built from. */
function digestOfSources(page) {
  const inSources = [page, 'pages', 'client', 'payroll', 'employer', 'statements'].flatMap((name) =>
    readdirSync(join(folderOf(name), 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const single = [folderOf(page), join(folderOf(page), 'public')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const shared = ['vite.mjs', 'package.json'].map((name) => join(folderOf('pages'), name));
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of [...inSources, ...single, ...shared].sort()) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** Builds each page unless it is built from these sources already. Returns a sentence about what went wrong, or undefined. */
export function buildPage() {
  for (const page of PAGES) {
    const sentence = build(page);
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

function build(page) {
  const stamp = join(folderOf(page), 'dist', '.sources');
  const digest = digestOfSources(page);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return undefined;
  console.log(`Building the page of ${page} ...`);
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: folderOf(page),
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (child.status !== 0) {
    const reason = child.error?.message ?? child.stderr.trim().split('\n')[0];
    return `The page of ${page} could not be built (${reason}): run npm run build -w @payouts/${page} to see all of it.`;
  }
  writeFileSync(stamp, digest);
  return undefined;
}

// Run by itself.
if (process.argv[1] === join(root, 'scripts', 'page.mjs')) {
  install();
  const sentence = buildPage();
  if (sentence !== undefined) console.error(`✖ ${sentence}`);
  process.exit(sentence === undefined ? 0 : 1);
}
