// What a fresh clone lacks is installed here, before anything that needs it is imported. Plain Node: nothing to install first.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Ends the process with one sentence that says what is wrong and how to fix it. */
export function fail(sentence) {
  console.error(`\n✖ ${sentence}`);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(
      `Node ${process.versions.node} is too old: install Node 20.19 or newer (nodejs.org) and run the command again.`,
    );
  }
}

/** Runs npm without its output; ends the process with one sentence when it fails. */
function npm(...args) {
  const child = spawnSync('npm', [...args, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (!child.error && child.status === 0) return;
  const said = (child.stderr ?? '').split('\n').find((line) => /^npm error (?!code|errno|syscall)\S/.test(line));
  const reason = child.error?.message ?? said?.replace('npm error ', '').trim() ?? 'npm gave no reason';
  fail(
    `The packages could not be installed (${reason}): check the network and npm's registry and run the command again.`,
  );
}

/** Installs the locked packages unless this lock file has been installed already. */
export function install() {
  checkNode();
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.installed-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing packages (about a minute the first time) ...');
  // Asked first, because npm tries each of some hundred packages for long before it gives a registry up.
  npm('view', 'typescript', 'version', '--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=20000');
  // Not npm ci: it insists on entries for every platform's optional packages, of which not every registry has all.
  npm('install', '--no-save', '--no-fund', '--no-audit');
  // Where this fails, the first start of an embedded database takes ten seconds, and nothing else differs.
  spawnSync(
    process.execPath,
    [...typescript(), join(root, 'packages', 'coordinator', 'src', 'store', 'db', 'buildTemplate.ts')],
    {
      cwd: root,
      stdio: 'ignore',
    },
  );
  writeFileSync(stamp, lock);
}

/** Runs a command, in the repository's root if not told, with this terminal; returns its exit code. Ctrl-C reaches the child, which ends it. */
export function run(command, args, env = {}, cwd = root) {
  const ignore = () => {};
  process.on('SIGINT', ignore);
  const child = spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } });
  process.off('SIGINT', ignore);
  if (child.error) fail(`${command} could not be started: ${child.error.message}.`);
  return child.status ?? 1;
}

/** Milliseconds between two looks whether whoever started this process is still there. */
const PARENT_LOOK_MS = 500;

/** Runs a service with this terminal until it ends; whoever ends this process by SIGTERM ends the service. Returns its exit code. */
export function serve(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
    // Ctrl-C reaches the child by the terminal; a signal to this process alone does not.
    process.on('SIGINT', () => {});
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
    // npm and its shell end by a signal without passing it on.
    const parent = process.ppid;
    const watch = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), PARENT_LOOK_MS);
    watch.unref();
    child.on('error', (error) => fail(`${command} could not be started: ${error.message}.`));
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

/** A program that a package brings. */
export const bin = (program) => join(root, 'node_modules', '.bin', program);

/** Node's arguments that run a TypeScript file from the workspace's sources, in any folder. */
export const typescript = () => ['--conditions=@payouts/source', ...tsx()];

/** The same, with the workspace's packages as they were built. */
export const tsx = () => ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href];
