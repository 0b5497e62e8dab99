// What some tiers of tests run beside the project's own parts: a Redis or Valkey server, promtool, Chromium, tmux, shells, Rust, and
// what Python has, in environments under .toolchain. What is missing is installed where that can be done, as root on Debian; else one
// sentence names it.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from './setup.mjs';

/** What is taken from PyPI, each into an environment of its own; `program`: what shows that it is there. */
const PYTHON = {
  schemathesis: { folder: 'python', packages: ['schemathesis==4.32.5'], program: 'schemathesis' },
  bankFiles: {
    folder: 'bank-files',
    packages: ['pyiso20022==1.6.2', 'sepaxml==2.7.0', 'xsdata[lxml]==26.10'],
    program: 'xsdata',
  },
};
/** The version that program/payouts.so is built with: see toolchain/build.sh. */
const RUST_WEB = '1.96.0';
const environment = (name) => join(root, '.toolchain', PYTHON[name].folder);

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

const versionOf = (program) =>
  spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout?.split(' ')[1] ?? undefined;

/** Debian keeps the servers of each version in a folder that is not on the path. */
function hasPostgres() {
  const versions = '/usr/lib/postgresql';
  const folders = existsSync(versions) ? readdirSync(versions) : [];
  return folders.some((version) => isProgram(join(versions, version, 'bin', 'postgres'))) || onPath('postgres');
}

/** Debian's stock and web builds of Rust lie at different places; the program is built by the latter, in one version. */
const hasPinnedRust = () => versionOf('/usr/bin/rustc') === RUST_WEB && isProgram('/usr/bin/cargo');

/** What tiers of tests, benches and commands may need: how it is found, and the Debian packages that have it. */
const PROGRAMS = {
  valkey: {
    name: 'a Redis or Valkey server',
    packages: ['redis-server'],
    isHere: () => onPath('valkey-server', 'redis-server'),
  },
  tmux: { name: 'tmux', packages: ['tmux'], isHere: () => onPath('tmux') },
  zsh: { name: 'zsh', packages: ['zsh'], isHere: () => onPath('zsh') },
  fish: { name: 'fish', packages: ['fish'], isHere: () => onPath('fish') },
  systemd: { name: 'systemd-analyze', packages: ['systemd'], isHere: () => onPath('systemd-analyze') },
  chromium: {
    name: 'Chromium',
    // A letter for everything that the page shows, and the same ones in pictures made anywhere.
    packages: ['chromium-headless-shell', 'fonts-inter', 'fonts-dejavu-core'],
    isHere: () => onPath('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'),
  },
  promtool: { name: 'promtool', packages: ['prometheus'], isHere: () => onPath('promtool') },
  postgresClient: { name: 'pg_dump', packages: ['postgresql'], isHere: hasPostgres },
  rust: {
    name: 'a stable Rust toolchain with clippy and rustfmt (rustup)',
    packages: [],
    isHere: () => onPath('cargo-clippy') && onPath('rustfmt'),
  },
  rustWeb: {
    name: `rustc-web, cargo-web and rust-web-src ${RUST_WEB}`,
    packages: ['rustc-web', 'cargo-web', 'rust-web-src'].map((name) => `${name}=${RUST_WEB}*`),
    isHere: hasPinnedRust,
  },
  ...Object.fromEntries(
    Object.keys(PYTHON).map((name) => [
      name,
      {
        name: 'Python with venv',
        packages: ['python3', 'python3-venv'],
        isHere: () => hasPython(name) || hasVenv(),
      },
    ]),
  ),
};

const hasVenv = () => spawnSync('python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' }).status === 0;
const hasPython = (name) => isProgram(join(environment(name), 'bin', PYTHON[name].program));

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

function installPython(name) {
  const folder = environment(name);
  mkdirSync(dirname(folder), { recursive: true });
  const { packages } = PYTHON[name];
  return (
    complaintOf('python3', ['-m', 'venv', folder]) ??
    complaintOf(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
  );
}

/**
 * Provides what is missing of the programs named. Returns sentences about what is missing still; the tests that need it will fail.
 */
export function provideServices(needs) {
  const wanted = needs.map((need) => PROGRAMS[need]);
  const missing = wanted.filter(({ isHere }) => !isHere());
  const sentences = [];
  const installable = missing.filter(({ packages }) => packages.length > 0);
  const mayInstall = process.getuid?.() === 0 && onPath('apt-get');
  let complaint = 'this needs root and apt-get';
  if (installable.length > 0 && mayInstall) {
    const packages = installable.flatMap((program) => program.packages);
    console.log(`Installing ${installable.map(({ name }) => name).join(', ')} ...`);
    complaint = installPackages(packages) ?? 'the packages do not have it';
  }
  for (const { name, packages } of missing.filter(({ isHere }) => !isHere())) {
    const remedy =
      packages.length === 0
        ? 'install it yourself'
        : `install ${packages.join(' ')} yourself (apt-get install, or your system's packages of the same programs)`;
    sentences.push(
      `${name} is not here${packages.length === 0 ? '' : ` and could not be installed (${complaint})`}: ${remedy}.`,
    );
  }
  for (const name of Object.keys(PYTHON).filter((each) => needs.includes(each) && !hasPython(each))) {
    const listed = PYTHON[name].packages.join(', ');
    console.log(`Installing ${listed} under .toolchain/${PYTHON[name].folder} ...`);
    const problem = installPython(name);
    if (problem !== undefined) {
      sentences.push(`${listed} could not be installed (${problem}): check Python 3 and PyPI's registry.`);
    }
  }
  return sentences;
}
