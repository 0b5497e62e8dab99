import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import type { Named, Verdict } from './judge.ts';

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));
/** A world, and all that is made of it; beside other tests it takes twice as long as alone. */
export const WITHIN_MS = 1_200_000;

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

export type Ran<T> = { readonly left: T; readonly output: string; readonly status: number | null };

/** Runs the command; resolves to what it prints and leaves in a file of this folder. */
export async function run<T>(folder: string, file: string, ...args: string[]): Promise<Ran<T>> {
  const node = ['--conditions=@payouts/source', '--import', createRequire(import.meta.url).resolve('tsx')];
  const { status, output, errors } = await new Promise<{ status: number | null; output: string; errors: string }>(
    (resolve) => {
      const child = execFile(process.execPath, [...node, RUN, ...args], (_, output, errors) =>
        resolve({ status: child.exitCode, output, errors }),
      );
    },
  );
  expect(errors).toBe('');
  const left = JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;
  return { left, output, status };
}

/** Sends the spy through a world of its own. */
export const spy = (folder: string, ...args: string[]): Promise<Ran<Report>> =>
  run<Report>(folder, 'report.json', '--keep', folder, ...args);

export const learnedOf = ({ left: { verdicts } }: Ran<Report>, attack?: string) =>
  verdicts
    .filter((verdict) => attack === undefined || verdict.attack === attack)
    .reduce((sum, { learned }) => sum + learned, 0);
