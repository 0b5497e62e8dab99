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
/** Answers "done" where the validator raises the limit of open files: see its source beside it. */
const OPEN_FILES_PRELOAD = join(PACKAGE_DIRECTORY, 'runtime', 'nofile.so');
/** For each distribution, the release whose C library is new enough. */
const RELEASES: Readonly<Record<string, string>> = { debian: 'trixie', ubuntu: 'noble' };
/** Milliseconds. */
const SETUP_DEADLINE = 300_000;

/** How to start the validator on this machine. */
export interface ValidatorCommand {
  readonly command: string;
  /** Go before the validator's own arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Finds out how to start the validator. For an older Linux it first fetches, once, a newer C library. */
export async function prepareValidator(log: (line: string) => void): Promise<ValidatorCommand> {
  const binary = findValidatorBinary();
  const needs = inspectMachine();
  const preload = needs.openFilesPreload ? OPEN_FILES_PRELOAD : null;
  if (!needs.newerGlibc) {
    if (preload === null) return { command: binary, args: [], env: {} };
    return checked({ command: binary, args: [], env: { LD_PRELOAD: preload } });
  }
  const libc = join(cacheDirectory(), `${process.platform}-${process.arch}`, 'libc');
  if (!existsSync(libc)) await fetchAside(libc, log);
  const libraries = join(libc, 'root', 'usr', 'lib', 'x86_64-linux-gnu');
  return checked({
    command: join(libraries, 'ld-linux-x86-64.so.2'),
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

/** Fetches it into a folder aside and moves that into place, so that nobody sees half of it and two starts at once don't collide. */
async function fetchAside(target: string, log: (line: string) => void): Promise<void> {
  const release = RELEASES[readDistribution().id];
  if (release === undefined || !hasCommand('apt-get') || !hasCommand('dpkg-deb')) {
    throw unavailable(
      'because it needs glibc 2.39 and this system has an older C library or another one: use a newer release of the system, or Debian or Ubuntu, from where a newer one is fetched',
    );
  }
  log('Fetching a newer C library for the ephemeral validator (once).');
  mkdirSync(dirname(target), { recursive: true });
  const aside = mkdtempSync(`${target}-`);
  try {
    const script = join(PACKAGE_DIRECTORY, 'runtime', 'fetch-c-runtime.sh');
    await run('bash', [script, aside, release], { timeout: SETUP_DEADLINE });
    renameSync(aside, target);
  } catch (error) {
    if (existsSync(target)) return;
    throw new LocalnetError(
      'RUNTIME_SETUP_FAILED',
      `Fetching a newer C library failed (${messageOf(error)}): fix that and start again.`,
    );
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
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
  return new LocalnetError('RUNTIME_UNAVAILABLE', `The ephemeral validator can't run here, ${why}.`);
}
