import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import type { Named, Verdict } from './judge.ts';

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));
export const WITHIN_MS = 600_000;

export type Report = {
  readonly verdicts: readonly Verdict[];
  readonly named: Named;
  /** What each attack had to look at. */
  readonly looked: Readonly<Record<string, string>>;
};

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Where a world of its own is kept until the end. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-spy-test-'));
  folders.push(folder);
  return folder;
}

/** Runs the command; returns what it prints and leaves in a file of this folder. */
export function run<T>(folder: string, file: string, ...args: string[]) {
  const node = ['--conditions=@payouts/source', '--import', createRequire(import.meta.url).resolve('tsx')];
  const child = spawnSync(process.execPath, [...node, RUN, ...args], { encoding: 'utf8' });
  expect(child.stderr).toBe('');
  const left = JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;
  return { left, output: child.stdout, status: child.status };
}

/** Sends the spy through a world of its own. */
export function spy(
  folder: string,
  ...args: string[]
): Report & { readonly output: string; readonly status: number | null } {
  const { left, ...ran } = run<Report>(folder, 'report.json', '--keep', folder, ...args);
  return { ...left, ...ran };
}

export const learnedOf = ({ verdicts }: Report, attack?: string) =>
  verdicts
    .filter((verdict) => attack === undefined || verdict.attack === attack)
    .reduce((sum, { learned }) => sum + learned, 0);
