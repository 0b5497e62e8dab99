import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The C library the published validator was built against. */
const GLIBC_NEEDED = [2, 39] as const;
/** The limit of open files that the validator sets for itself when it starts. */
const OPEN_FILES_NEEDED = 1_000_000;

/** What this machine lacks to run the validator as it is published. */
export interface MachineNeeds {
  readonly newerGlibc: boolean;
  readonly openFilesPreload: boolean;
}

interface Report {
  readonly header: { readonly glibcVersionRuntime?: string };
  readonly userLimits?: { readonly open_files?: { readonly hard: number | string } };
}

/** Looks at the C library and the limit of open files; other systems than Linux need nothing. */
export function inspectMachine(): MachineNeeds {
  if (process.platform !== 'linux') return { newerGlibc: false, openFilesPreload: false };
  const report = process.report.getReport() as unknown as Report;
  return {
    newerGlibc: isOlder(report.header.glibcVersionRuntime),
    openFilesPreload: !isLimitEnough(report.userLimits?.open_files?.hard) && !canRaiseLimit(),
  };
}

/** A Linux distribution as it names itself: `debian`, `bookworm`. */
export interface Distribution {
  readonly id: string;
  readonly codename: string;
}

/** Reads the distribution's name; empty strings where it doesn't say. */
export function readDistribution(): Distribution {
  let text = '';
  try {
    text = readFileSync('/etc/os-release', 'utf8');
  } catch {
    // No such file: neither Debian nor Ubuntu, which the caller reports.
  }
  const field = (name: string): string => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return { id: field('ID'), codename: field('VERSION_CODENAME') };
}

/** Whether a command is on the path. */
export function hasCommand(name: string): boolean {
  return succeeds(`command -v ${name}`);
}

function isOlder(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [neededMajor, neededMinor] = GLIBC_NEEDED;
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

function isLimitEnough(hard: number | string | undefined): boolean {
  return hard === 'unlimited' || (typeof hard === 'number' && hard >= OPEN_FILES_NEEDED);
}

function canRaiseLimit(): boolean {
  return succeeds(`ulimit -Hn ${OPEN_FILES_NEEDED}`);
}

function succeeds(script: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', script], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
