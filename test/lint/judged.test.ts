import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

const VIEW = `
const TITLES = { keep: 'Keep names', open: 'Open names' };
export function View({ count, asked, error }) {
  const title = asked === undefined ? 'Read names' : TITLES[asked];
  return (
    <>
      <h1>
        Payroll <Address of={count} />
      </h1>
      <Dialog title={title}>{count}</Dialog>
      <Notice kind="bad" title={error.message} />
      <Notice kind="good" title={\`\${count} left.\`} />
      <Empty title="Nobody is found." />
      <button onClick={() => ask({ name: count > 0 ? 'Pause' : 'Resume', plan: () => count })}>Go on</button>
      <CarryOut done="Created." />
    </>
  );
}`;

/** What is said of these titles as all that axe has judged. */
async function lookedUp(titles: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'judged-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const page of ['dashboard', 'recipient-page', 'pages']) {
    mkdirSync(join(folder, 'packages', page, 'src'), { recursive: true });
  }
  writeFileSync(join(folder, 'packages/dashboard/src/View.tsx'), VIEW);
  mkdirSync(join(folder, 'record/judged'), { recursive: true });
  writeFileSync(join(folder, 'record/judged/one'), titles.join('\n'));
  const args = [join(ROOT, 'scripts/judged.mjs'), 'record'];
  const { code = 0, stderr } = (await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: { code: number; stderr: string }) => error,
  )) as { code?: number; stderr: string };
  return { code, unseen: [...stderr.matchAll(/“(.*)”/g)].map(([, title]) => title) };
}

it('passes when each view, dialog, notice, empty state and action was shown to axe', async () => {
  const titles = ['Payroll 4xy…9z', 'Keep names', 'Open names', 'Read names', '3 left.', 'Nobody is found.'];
  expect(await lookedUp([...titles, 'Pause', 'Resume', 'Created.'])).toEqual({ code: 0, unseen: [] });
});

it('names each one that was not', async () => {
  const unseen = ['Open names', 'Read names', 'Keep names'].sort();
  const found = await lookedUp(['Payroll', 'About payrolls', 'Nobody is found. Really.', 'Pause']);
  expect(found.code).toBe(1);
  expect(found.unseen.sort()).toEqual(
    [...unseen, 'Created.', 'Nobody is found.', 'Payroll …', 'Resume', '… left.'].sort(),
  );
});
