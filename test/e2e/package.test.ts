import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readOrCreateKey } from '@payouts/cli';
import { addressFromBytes, type Leaf, payslipToJson } from '@payouts/client';
import { payslipPdf } from '@payouts/statements';
import { World } from '@payouts/testing/world';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { payslipOf, settledWindow } from '../../packages/client/test/payslips.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Enough lines that a thread of its own looks at the addresses. */
const LONG_PAYROLL = 9_000;
const MEGABYTE = 1_000_000;

let folder: string;
let archives: Readonly<Record<'command' | 'client', string>>;
/** An empty folder of somebody who has nothing but Node, and installs the command. */
let home: string;
let world: World | undefined;

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

/** Installs packages into a folder as anybody would; what npm warns of, and the seconds of the processor's time that it takes. */
async function install(at: string, ...packages: readonly string[]) {
  const words = ['npm', 'install', '--prefer-offline', ...packages];
  const { stdout, stderr } = await run('bash', ['-c', TIMED, ...words], { cwd: at, env: ownEnv });
  return { warnings: stderr.split('\n').filter((line) => line.startsWith('npm warn')), seconds: secondsIn(stdout) };
}

/** What it takes a program from start to end; what else this machine does is not its own. */
async function processorSeconds(program: string, ...words: readonly string[]): Promise<number> {
  const options = { env: { PATH: process.env.PATH } };
  return secondsIn((await run('bash', ['-c', TIMED, program, ...words], options)).stdout);
}

/** Runs a program, and says at the end what time of the processor it took. */
const TIMED = '"$0" "$@"; code=$?; times; exit $code';

function secondsIn(stdout: string): number {
  const ofChildren = stdout.trim().split('\n').at(-1) as string;
  return [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0);
}

/** How many times what Node takes to start by itself the command takes until it has begun: the same on any machine. */
async function startInNodes(): Promise<number> {
  const command = join(home, 'node_modules', '.bin', 'payout');
  const [starts, bare]: [number[], number[]] = [[], []];
  while (starts.length < 5) {
    starts.push(await processorSeconds(command, '--version'));
    bare.push(await processorSeconds(process.execPath, '-e', '0'));
  }
  return Math.min(...starts) / Math.min(...bare);
}

/** Bytes of all files below a folder. */
async function bytesIn(at: string): Promise<number> {
  const entries = await readdir(at, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)));
  return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payouts-package-'));
  home = join(folder, 'home');
  await mkdir(home);
  await run('npm', ['run', '-s', 'pack', '--', folder], { cwd: root });
  const archiveOf = (name: string) => join(folder, `payouts-${name}-0.1.0.tgz`);
  archives = { command: archiveOf('cli'), client: archiveOf('client') };
}, 400_000);
afterAll(async () => {
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('installs the command into an empty folder, without the workspace, at once and without a warning', async () => {
  const { warnings, seconds } = await install(home, archives.command);
  expect(warnings).toEqual([]);
  expect(seconds).toBeLessThan(10);
  expect(await bytesIn(join(home, 'node_modules'))).toBeLessThan(15 * MEGABYTE);
  // It alone: no other package, and nothing that is built here.
  expect((await readdir(join(home, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual(['@payouts']);
  expect(await readdir(join(home, 'node_modules', '@payouts'))).toEqual(['cli']);
  expect(await payout('--version')).toEqual({ code: 0, out: '0.1.0\n', err: '' });
  // Node by itself takes 0.065 s on the machine on which this was first 0.3 s at most.
  expect(await startInNodes()).toBeLessThan(4.5);
  expect((await payout('--help')).out).toContain('schedule');
  expect(await payout('vault', 'show', '--json')).toMatchObject({ code: 2 });
});

it('says what to install for what it does not bring: the coordinator, a hardware wallet', async () => {
  const codeOf = async (...words: readonly string[]) => {
    const { code, err } = await payout(...words, '--json');
    return [code, JSON.parse(err).error.code];
  };
  expect(await codeOf('operator', 'runs', 'list')).toEqual([1, 'coordinator-missing']);
  expect(await codeOf('balance', '--keypair', 'usb://ledger')).toEqual([1, 'hardware-module-missing']);
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

it('does from there what it does from the repository: a payroll’s checks, vaults, balances, payslips as PDF', async () => {
  world = await World.shared();
  const [employerKey, recipientKey] = [join(home, 'employer.json'), join(home, 'recipient.json')];
  const [owner, { address: recipient }] = [await readOrCreateKey(employerKey), await readOrCreateKey(recipientKey)];
  await world.startCoordinator();
  const employer = await world.promise(await world.payer(owner), [{ recipient, amount: 2_500_000n }], {});
  await world.registerAndSettle(employer);
  const api = ['--api', world.apiUrl];
  const [byEmployer, token] = [
    ['--rpc', world.urls.baseRpcUrl, '--keypair', employerKey],
    ['--token', employer.mint],
  ];

  // Half of all random addresses are no wallet's: the thread finds them.
  const lines = Array.from({ length: LONG_PAYROLL }, () => `${addressFromBytes(randomBytes(32))},1`);
  await writeFile(join(home, 'payroll.csv'), ['recipient,amount', ...lines].join('\n'));
  const preview = await payout('schedule', 'preview', 'payroll.csv', ...token, ...byEmployer, ...api);
  expect(preview).toMatchObject({ code: 1, out: '' });
  expect(preview.err).toContain('sign');
  expect(await payout('vault', 'show', ...token, ...byEmployer)).toMatchObject({ code: 0, err: '' });
  const balance = await payout('balance', '--keypair', recipientKey, '--json', ...api);
  expect(balance).toMatchObject({ code: 0, err: '' });
  expect(balance.out).toContain('2500000');

  const exported = await payout(
    'receipt',
    'export',
    employer.schedule,
    '0',
    '--out',
    'slips',
    ...byEmployer.slice(2),
    ...api,
  );
  expect(exported).toMatchObject({ code: 0, err: '' });
  const slips = (await readdir(join(home, 'slips'), { recursive: true })).filter((name) => /\.(json|pdf)$/.test(name));
  expect(slips.some((name) => name.endsWith('.pdf'))).toBe(true);
  const payslips = slips.filter((name) => !name.includes('totals')).map((name) => join('slips', name));
  expect((await payout('receipt', 'verify', ...payslips)).code).toBe(0);
});

it('the client is small, warns of nothing, and has types for whoever builds on it', async () => {
  const engineer = join(folder, 'engineer');
  await mkdir(engineer);
  // Below kit, on Node 20, npm warns of a package that wants Node 22 and isn't used there.
  const overrides = { '@solana/errors': { commander: '14.0.3' } };
  await writeFile(join(engineer, 'package.json'), JSON.stringify({ type: 'module', overrides }));
  expect((await install(engineer, '@solana/kit@8.4.0', archives.client)).warnings).toEqual([]);
  expect(await bytesIn(join(engineer, 'node_modules', '@payouts', 'client'))).toBeLessThan(2 * MEGABYTE);
  await writeFile(
    join(engineer, 'main.ts'),
    `import { type Payee, prepareList, systemTime } from '@payouts/client';
    import { isOnCurve } from '@payouts/client/curve';
    export const root = (payees: Payee[]): Uint8Array => prepareList(payees).root;
    export const now: number = systemTime.now();
    export const isWallet: boolean = isOnCurve(new Uint8Array(32));`,
  );
  const options = ['--strict', '--module', 'nodenext', '--skipLibCheck', '--target', 'es2023'];
  await run(join(root, 'node_modules', '.bin', 'tsc'), [...options, 'main.ts'], { cwd: engineer });
  await run(process.execPath, ['main.js'], { cwd: engineer });
});
