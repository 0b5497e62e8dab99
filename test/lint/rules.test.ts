import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

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

/** A folder with the project's rules and these files, in which tools can be run. */
function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of [
    'biome.json',
    'injected-time.grit',
    '.gitignore',
    '.dependency-cruiser.cjs',
    'packages/coordinator/layers.json',
    'tsconfig.base.json',
  ]) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    copyFileSync(join(ROOT, name), join(folder, name));
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** What a tool of the project prints in a folder, however it ends. */
async function printed(folder: string, tool: string, args: readonly string[]): Promise<string> {
  const ended = await promisify(execFile)(join(ROOT, 'node_modules/.bin', tool), args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return ended.stdout;
}

/** The numbers of the lines, from 1, in which Biome's rule finds something when they stand in this file. */
async function linesFound(rule: RegExp, file: string, lines: readonly string[]): Promise<number[]> {
  const folder = project({ [file]: `${lines.join('\n')}\n` });
  const output = await printed(folder, 'biome', ['lint', '--reporter=github', '--max-diagnostics=none', file]);
  const errors = [...output.matchAll(/^::error title=([^,]+),.*?line=(\d+)/gm)].filter(([, title = '']) =>
    rule.test(title),
  );
  return [...new Set(errors.map(([, , line]) => Number(line)))].sort((one, other) => one - other);
}

const TIME = /^plugin$|^lint\/style\/noRestricted/;

it('refuses what takes time, timers or chance from the platform', async () => {
  const lines = await linesFound(TIME, 'packages/coordinator/src/some/part.ts', TAKEN);
  expect(lines).toEqual(TAKEN.map((_, place) => place + 1));
});

it('takes what is given, and lets entry files hand out the platform’s', async () => {
  expect(await linesFound(TIME, 'packages/coordinator/src/some/part.ts', GIVEN)).toEqual([]);
  expect(await linesFound(TIME, 'packages/coordinator/src/main.ts', TAKEN)).toEqual([]);
});

it('refuses a function of 80 lines, and takes one of 70', async () => {
  const rule = /noExcessiveLinesPerFunction/;
  const lines = (count: number) => [
    'export function add(sum: number[]): void {',
    ...Array.from({ length: count - 2 }, (_, line) => `  sum.push(${line});`),
    '}',
  ];
  expect(await linesFound(rule, 'packages/coordinator/src/some/part.ts', lines(80))).toEqual([1]);
  expect(await linesFound(rule, 'packages/coordinator/src/some/part.ts', lines(70))).toEqual([]);
});

it('refuses a cycle, an upward import and an import of another package’s source', async () => {
  const room = 'packages/coordinator/src/store';
  const folder = project({
    'packages/coordinator/src/runs/run.ts': "import { b } from '../store/b.ts';\nexport const run = b;\n",
    [`${room}/upward.ts`]: "import { run } from '../runs/run.ts';\nexport const upward = run;\n",
    [`${room}/a.ts`]: "import { b } from './b.ts';\nexport const a = () => b;\n",
    [`${room}/b.ts`]: "import { a } from './a.ts';\nexport const b = () => a;\n",
    'packages/cli/src/inside.ts': `import { b } from '../../../${room}/b.ts';\nexport const inside = b;\n`,
  });
  const text = await printed(folder, 'depcruise', ['--output-type', 'json', 'packages']);
  const { summary } = JSON.parse(text) as { summary: { violations: { rule: { name: string }; from: string }[] } };
  expect(summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`).sort()).toEqual([
    `layers: store: ${room}/upward.ts`,
    `no cycles: ${room}/a.ts`,
    'packages by their exports: packages/cli/src/inside.ts',
  ]);
});

it('refuses two exported types of one name', async () => {
  const folder = project({
    'packages/one/src/a.ts': 'export type Window = { readonly open: boolean };\n',
    'packages/two/src/b.ts': 'export interface Window { readonly height: number }\n',
    'packages/two/src/c.ts': 'type Window = string;\nexport type Name = Window;\n',
  });
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  const ended = await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/lint-types.mjs')], {
    cwd: folder,
  }).catch((error: { code: number; stderr: string }) => error);
  expect(ended).toMatchObject({
    code: 1,
    stderr:
      'Window is exported by packages/one/src/a.ts and packages/two/src/b.ts: share one, or name each by what it is.\n',
  });
});
