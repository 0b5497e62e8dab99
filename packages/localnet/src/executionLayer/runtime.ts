import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LocalnetError, messageOf } from '../errors.ts';
import { hasCommand, inspectMachine, readDistribution } from './machine.ts';
import { findValidatorBinary } from './validatorPackage.ts';

const run = promisify(execFile);

const PACKAGE_DIRECTORY = fileURLToPath(new URL('../..', import.meta.url));
/** For each distribution, the release whose C library is new enough. */
const RELEASES: Readonly<Record<string, string>> = { debian: 'trixie', ubuntu: 'noble' };
const ARCHITECTURES: Readonly<Record<string, { triple: string; loader: string }>> = {
  x64: { triple: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { triple: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};
/** Milliseconds. */
const SETUP_DEADLINE = 300_000;

/** How to start the validator on this machine. */
export interface ValidatorCommand {
  readonly command: string;
  /** Go before the validator's own arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Finds out how to start the validator. On an older Linux it first makes, once, a runtime for it: a newer C library
 * and a preload for the limit of open files.
 */
export async function prepareValidator(log: (line: string) => void): Promise<ValidatorCommand> {
  const binary = findValidatorBinary();
  const needs = inspectMachine();
  if (!needs.newerGlibc && !needs.openFilesPreload) return { command: binary, args: [], env: {} };

  const cache = join(cacheDirectory(), `${process.platform}-${process.arch}`);
  const preload = needs.openFilesPreload ? join(cache, 'preload', 'nofile.so') : null;
  if (preload !== null && !existsSync(preload))
    await build(dirname(preload), 'the open-files preload', log, compilePreload);
  if (!needs.newerGlibc)
    return checked({ command: binary, args: [], env: preload === null ? {} : { LD_PRELOAD: preload } });

  const libc = join(cache, 'libc');
  if (!existsSync(libc)) await build(libc, 'a newer C library', log, fetchLibc);
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw unavailable(`there is none for ${process.arch}: use an x64 or arm64 machine`);
  const libraries = join(libc, 'root', 'usr', 'lib', architecture.triple);
  return checked({
    command: join(libraries, architecture.loader),
    // Through the loader's own option: a preload in the environment would reach programs of the older C library too.
    args: [...(preload === null ? [] : ['--preload', preload]), '--library-path', libraries, binary],
    env: {},
  });
}

/** The repository's folder for built tools; where this package is installed from elsewhere, the user's cache. */
function cacheDirectory(): string {
  const root = join(PACKAGE_DIRECTORY, '..', '..');
  if (!PACKAGE_DIRECTORY.includes(`${sep}node_modules${sep}`) && isWorkspaceRoot(root)) {
    return join(root, '.toolchain', 'ephemeral-validator');
  }
  const userCache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(userCache, 'payouts-localnet', 'ephemeral-validator');
}

function isWorkspaceRoot(directory: string): boolean {
  try {
    return 'workspaces' in (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as object);
  } catch {
    return false;
  }
}

/** Makes a folder aside and moves it into place, so that nobody sees half of it and two starts at once don't collide. */
async function build(
  target: string,
  what: string,
  log: (line: string) => void,
  make: (directory: string) => Promise<void>,
): Promise<void> {
  log(`Preparing ${what} for the ephemeral validator (once).`);
  mkdirSync(dirname(target), { recursive: true });
  const aside = mkdtempSync(`${target}-`);
  try {
    await make(aside);
    renameSync(aside, target);
  } catch (error) {
    if (existsSync(target)) return;
    throw error instanceof LocalnetError
      ? error
      : new LocalnetError(
          'RUNTIME_SETUP_FAILED',
          `Preparing ${what} failed (${messageOf(error)}): mend that and start again.`,
        );
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function compilePreload(directory: string): Promise<void> {
  if (!hasCommand('gcc')) {
    throw unavailable('open files are limited below 1,000,000: raise the hard limit (ulimit -Hn) or install gcc');
  }
  const source = join(PACKAGE_DIRECTORY, 'runtime', 'nofile.c');
  await run('gcc', ['-shared', '-fPIC', '-O1', '-o', join(directory, 'nofile.so'), source, '-ldl']);
}

async function fetchLibc(directory: string): Promise<void> {
  const release = RELEASES[readDistribution().id];
  if (release === undefined || !hasCommand('apt-get') || !hasCommand('dpkg')) {
    throw unavailable('this system has a C library older than glibc 2.39: use a newer release, Debian or Ubuntu');
  }
  const script = join(PACKAGE_DIRECTORY, 'runtime', 'fetch-c-runtime.sh');
  await run('bash', [script, directory, release], { timeout: SETUP_DEADLINE });
}

async function checked(validator: ValidatorCommand): Promise<ValidatorCommand> {
  try {
    await run(validator.command, [...validator.args, '--version'], { env: { ...process.env, ...validator.env } });
    return validator;
  } catch (error) {
    throw new LocalnetError(
      'RUNTIME_SETUP_FAILED',
      `The ephemeral validator doesn't run here (${messageOf(error)}): delete ${cacheDirectory()} and start again.`,
    );
  }
}

function unavailable(why: string): LocalnetError {
  return new LocalnetError('RUNTIME_UNAVAILABLE', `The ephemeral validator can't run as published, ${why}.`);
}
