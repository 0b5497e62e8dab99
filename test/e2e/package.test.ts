import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { payslipPdf } from '@payouts/statements';
import { addressFromBytes, type Leaf, payslipToJson } from '@payouts/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { payslipOf, settledWindow } from '../../packages/client/test/payslips.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
/** An empty folder of somebody who has nothing but Node. */
let home: string;

type Ended = { readonly code: number; readonly out: string; readonly err: string };

async function payout(...words: readonly string[]): Promise<Ended> {
  // Nothing of the workspace or of this process may help.
  const env = { PATH: process.env.PATH, HOME: home };
  const command = join(home, 'node_modules', '.bin', 'payout');
  return run(command, words, { cwd: home, env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

/** What npx has set of this repository's own npm settings is nobody else's. */
const ownEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_engine/i.test(name)));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payouts-package-'));
  home = join(folder, 'home');
  await mkdir(home);
  // `prepack` builds them.
  const packages = ['client', 'payroll', 'cli'].flatMap((name) => ['-w', `@payouts/${name}`]);
  await run('npm', ['pack', ...packages, '--pack-destination', folder], { cwd: root });
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => `../${name}`);
  expect(archives).toHaveLength(3);
  await run('npm', ['install', '--no-fund', '--no-audit', '--prefer-offline', ...archives], { cwd: home, env: ownEnv });
}, 400_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('installs the command into an empty folder, without the workspace', async () => {
  expect(await payout('--version')).toMatchObject({ code: 0, out: '0.1.0\n' });
  expect((await payout('--help')).out).toContain('schedule');
  expect(await payout('vault', 'show', '--json')).toMatchObject({ code: 2 });
  const { code, err } = await payout('operator', 'runs', 'list', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'coordinator-missing' } });
  expect(await readdir(join(home, 'node_modules', '@payouts'))).toEqual(['cli', 'client', 'payroll']);
});

it('verifies payslips without a network, and tells one that was changed', async () => {
  const leaf = (index: number): Leaf => ({
    index,
    recipient: addressFromBytes(new Uint8Array(32).fill(index + 1)),
    amount: 1_000_000n * BigInt(index + 1),
    salt: new Uint8Array(16).fill(index),
    delivery: 'balance',
  });
  const payslip = payslipOf(await settledWindow([leaf(0), leaf(1), leaf(2)]), 1);
  const json = payslipToJson(payslip);
  await writeFile(join(home, 'payslip.json'), JSON.stringify(json));
  await writeFile(join(home, 'payslip.pdf'), await payslipPdf(payslip));
  await writeFile(join(home, 'changed.json'), JSON.stringify(json).replace('"2000000"', '"3000000"'));
  expect((await payout('receipt', 'verify', 'payslip.json', 'payslip.pdf')).code).toBe(0);
  expect((await payout('receipt', 'verify', 'changed.json')).code).toBe(1);
});

it('has types for whoever builds on the client', async () => {
  const source = `import { displayAmount, runPayout, systemTime } from './types.mjs';
    const text: string = displayAmount(1n, 6); const code: Promise<number> = runPayout([text], systemTime); void code;`;
  await writeFile(
    join(home, 'types.mts'),
    `export { displayAmount } from '@payouts/payroll'; export { runPayout } from '@payouts/cli/payout';
    import { prepareList, type Payee } from '@payouts/client'; export { systemTime } from '@payouts/client';
    export const list = (payees: Payee[]) => prepareList(payees).root;`,
  );
  await writeFile(join(home, 'main.mts'), source);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--target', 'es2023'];
  await run(join(root, 'node_modules', '.bin', 'tsc'), [...options, 'main.mts'], { cwd: home });
});
