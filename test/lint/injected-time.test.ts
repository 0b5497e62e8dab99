import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const BIOME = join(ROOT, 'node_modules/.bin/biome');

/** Each line takes time, timers or chance from the platform. */
const TAKEN = [
  "import { setTimeout as sleep } from 'node:timers/promises';",
  "import { setTimeout as later } from 'node:timers';",
  "import { performance as measured } from 'node:perf_hooks';",
  "import { systemTime } from '@payouts/client';",
  'Date.now();',
  'Date();',
  'new Date();',
  'new Date;',
  'performance.now();',
  'process.hrtime.bigint();',
  'setTimeout(() => {}, 1);',
  'globalThis.setTimeout(() => {}, 1);',
  'setInterval(() => {}, 1);',
  'setImmediate(() => {});',
  'AbortSignal.timeout(1);',
  'Math.random();',
];
/** What is fine. */
const GIVEN = [
  "import type { Time } from '@payouts/client';",
  'export const text = (time: Time) => new Date(time.now());',
];

/** The numbers of the lines, from 1, in which the project's lint finds something when they stand in this file. */
async function linesFound(file: string, lines: readonly string[]): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['biome.json', 'injected-time.grit', '.gitignore'])
    copyFileSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, dirname(file)), { recursive: true });
  writeFileSync(join(folder, file), `${lines.join('\n')}\n`);
  // Ends with 1 when it finds something.
  const { stdout } = await promisify(execFile)(BIOME, ['lint', '--reporter=github', '--max-diagnostics=none', file], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  const errors = [...stdout.matchAll(/^::error title=(?:plugin|lint\/style\/noRestricted\w+),.*?line=(\d+)/gm)];
  return [...new Set(errors.map(([, line]) => Number(line)))].sort((one, other) => one - other);
}

it('refuses what takes time, timers or chance from the platform', async () => {
  expect(await linesFound('packages/coordinator/src/some/part.ts', TAKEN)).toEqual(TAKEN.map((_, place) => place + 1));
});

it('takes what is given, and lets entry files hand out the platform’s', async () => {
  expect(await linesFound('packages/coordinator/src/some/part.ts', GIVEN)).toEqual([]);
  expect(await linesFound('packages/coordinator/src/main.ts', TAKEN)).toEqual([]);
});
