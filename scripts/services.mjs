// What tests and benches run beside the project's own parts: a PostgreSQL and a Redis or Valkey server, promtool, Chromium, tmux, shells,
// and schemathesis in a Python environment under .toolchain. What is missing is installed where that can be done, as root on Debian; else one sentence names it.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from './setup.mjs';

const SCHEMATHESIS = '4.32.5';
const python = join(root, '.toolchain', 'python');

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const onPath = (...names) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => names.some((name) => isProgram(join(folder, name))));

/** Debian keeps the servers of each version in a folder that is not on the path. */
function hasPostgres() {
  const versions = '/usr/lib/postgresql';
  const folders = existsSync(versions) ? readdirSync(versions) : [];
  return folders.some((version) => isProgram(join(versions, version, 'bin', 'postgres'))) || onPath('postgres');
}

/** What is needed: how it is found, and the Debian packages that have it. */
const PROGRAMS = [
  { name: 'a PostgreSQL server', packages: ['postgresql'], isHere: hasPostgres },
  {
    name: 'a Redis or Valkey server',
    packages: ['redis-server'],
    isHere: () => onPath('valkey-server', 'redis-server'),
  },
  { name: 'tmux', packages: ['tmux'], isHere: () => onPath('tmux') },
  { name: 'zsh', packages: ['zsh'], isHere: () => onPath('zsh') },
  { name: 'fish', packages: ['fish'], isHere: () => onPath('fish') },
  { name: 'systemd-analyze', packages: ['systemd'], isHere: () => onPath('systemd-analyze') },
  {
    name: 'Chromium',
    // A letter for everything that the page shows, and the same ones in pictures made anywhere.
    packages: ['chromium-headless-shell', 'fonts-inter', 'fonts-dejavu-core'],
    isHere: () => onPath('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'),
  },
  { name: 'promtool', packages: ['prometheus'], isHere: () => onPath('promtool') },
  { name: 'Python with venv', packages: ['python3', 'python3-venv'], isHere: () => hasSchemathesis() || hasVenv() },
];

const hasVenv = () => spawnSync('python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' }).status === 0;
const hasSchemathesis = () => isProgram(join(python, 'bin', 'schemathesis'));

/** Runs a command quietly; returns the last thing that it complained about, or undefined when it succeeded. */
function complaintOf(command, args, env = {}) {
  const child = spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (!child.error && child.status === 0) return undefined;
  return child.error?.message ?? (child.stderr.trim().split('\n').at(-1) || `${command} ended with ${child.status}`);
}

/** Installs Debian packages whose servers must not start by themselves: they would take ports and memory for nothing. */
function installPackages(packages) {
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  // Debian asks this file before a package starts a service; 101 is no.
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    return (
      complaintOf('apt-get', ['-qq', 'update'], env) ??
      complaintOf('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...packages], env)
    );
  } finally {
    if (isOurs) rmSync(policy);
  }
}

function installSchemathesis() {
  mkdirSync(dirname(python), { recursive: true });
  return (
    complaintOf('python3', ['-m', 'venv', python]) ??
    complaintOf(join(python, 'bin', 'pip'), [
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `schemathesis==${SCHEMATHESIS}`,
    ])
  );
}

/** Provides what is missing. Returns sentences about what is missing still; the tests that need it will fail. */
export function provideServices() {
  const missing = PROGRAMS.filter(({ isHere }) => !isHere());
  const sentences = [];
  if (missing.length > 0) {
    const packages = missing.flatMap((program) => program.packages);
    const names = missing.map(({ name }) => name).join(', ');
    const mayInstall = process.getuid?.() === 0 && onPath('apt-get');
    if (mayInstall) console.log(`Installing ${names} (Debian packages ${packages.join(' ')}) ...`);
    const complaint = mayInstall ? installPackages(packages) : 'this needs root and apt-get';
    const left = missing.filter(({ isHere }) => !isHere());
    if (left.length > 0) {
      sentences.push(
        `${left.map(({ name }) => name).join(', ')} could not be installed (${complaint}): install ${left
          .flatMap((program) => program.packages)
          .join(' ')} yourself (apt-get install, or your system's packages of the same programs).`,
      );
    }
  }
  if (!hasSchemathesis()) {
    console.log(`Installing schemathesis ${SCHEMATHESIS} under .toolchain/python ...`);
    const complaint = installSchemathesis();
    if (complaint !== undefined) {
      sentences.push(`schemathesis could not be installed (${complaint}): check Python 3 and PyPI's registry.`);
    }
  }
  return sentences;
}

// Run by itself: node scripts/services.mjs
if (process.argv[1] === join(root, 'scripts', 'services.mjs')) {
  const missing = provideServices();
  for (const sentence of missing) console.error(`✖ ${sentence}`);
  process.exit(missing.length === 0 ? 0 : 1);
}
