import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey } from '@payouts/cli';
import { addressFromBytes } from '@payouts/client';
import { createSampleToken, SAMPLE_DECIMALS } from '@payouts/sandbox';
import { expectNoSlips } from '@payouts/testing/payout';
import { writeStory } from '@payouts/testing/story';
import { type Shown, SIZE, Terminal } from '@payouts/testing/terminal';
import { World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const PEOPLE = 6;
/** A command that waits for the ledgers, on a busy machine. */
const WITHIN_MS = 180_000;

let world: World;
let terminal: Terminal;
let mint: Address;
let people: Address[];
let schedule: string;

const file = (name: string) => join(world.folder, name);
/** Where the recording goes: npm run story names it, tests have none. */
const { STORY_FOLDER } = process.env;

/** `payout` as it is installed: a program on the path, which asks for nothing that a user wouldn't give. */
async function putOnPath(): Promise<string> {
  const bin = file('bin');
  await mkdir(bin);
  execFileSync('npx', ['tsc', '-b', 'packages/cli'], { cwd: root });
  await writeFile(join(bin, 'payout'), `#!/bin/sh\nexec node ${root}packages/cli/dist/payout/main.js "$@"\n`, {
    mode: 0o755,
  });
  return bin;
}

beforeAll(async () => {
  world = await World.shared();
  await world.startCoordinator();
  const home = file('home');
  // The key, the ledger's address and the coordinator's are where a user has them: no command names them.
  const key = join(home, '.config', 'solana', 'id.json');
  await mkdir(dirname(key), { recursive: true });
  const employer = await readOrCreateKey(key);
  const token = await generateKeyPairSigner();
  mint = token.address;
  await world.fund(employer.address);
  const input = { payer: world.admin, mint: token, holder: employer.address, amount: 100_000n * UNIT };
  await createSampleToken(world.ledgers, input);
  people = (await Promise.all(Array.from({ length: PEOPLE }, () => generateKeyPairSigner()))).map(
    ({ address }) => address,
  );
  const work = file('work');
  await mkdir(work);
  terminal = await Terminal.start(work, {
    HOME: home,
    PATH: `${await putOnPath()}:${process.env.PATH}`,
    PAYOUT_RPC: world.urls.baseRpcUrl,
    PAYOUT_API: world.apiUrl,
    TOKEN: mint,
  });
}, 400_000);
afterAll(async () => {
  if (STORY_FOLDER !== undefined) writeStory(STORY_FOLDER, terminal.moments, terminal.screens);
  await terminal?.stop();
});

/** Nothing is longer than the terminal is wide but a single word, such as a signature: what is to be copied stands alone in its lines. */
function expectReadable({ lines }: Shown): void {
  for (const line of lines.slice(1)) {
    if (line.length > SIZE.columns) expect(line).toMatch(/^\s*\S+$/);
    expectNoSlips(line, /undefined|NaN|\[object|\bnull\b/);
  }
}

async function done(command: string, answers: Readonly<Record<string, string>> = {}): Promise<string> {
  const shown = await terminal.run(command, answers, WITHIN_MS);
  expect(shown).toMatchObject({ code: 0 });
  expectReadable(shown);
  return shown.lines.join('\n');
}

async function failed(command: string, code: number): Promise<string> {
  const shown = await terminal.run(command, {}, WITHIN_MS);
  expect(shown).toMatchObject({ code });
  expectReadable(shown);
  return shown.lines.join('\n');
}

const YES = { 'Continue\\?': 'y' };
const csv = (lines: readonly string[]) => `recipient,amount,delivery,name\n${lines.join('\n')}\n`;

it('opens a vault and fills it', async () => {
  expect(await done('payout vault init --token $TOKEN', YES)).toContain('Opened: ');
  expect(await done('payout vault deposit 50,000 --token $TOKEN', YES)).toMatch(/= available +50,000\.00/);
}, 600_000);

it('answers a payroll with ten kinds of errors line by line, and creates nothing', async () => {
  const nobody = addressFromBytes(new Uint8Array(32).fill(2));
  const [one, two] = people as [Address, Address];
  const faulty = [
    `,100,,no recipient`,
    `${one.slice(0, 20)},100,,short`,
    `${nobody},100,,nobody could sign`,
    `${mint},100,,the token itself`,
    `${one},,,no amount`,
    `${one},1250.50 USDC,,another way of writing`,
    `${one},-5,,less than nothing`,
    `${one},0,,nothing`,
    `${one},0.0000001,,too fine`,
    `${one},99999999999999999999,,too much`,
    `${two},100,pigeon,delivery`,
    `${two},100`,
  ];
  await writeFile(join(file('work'), 'faulty.csv'), csv(faulty));
  const said = await failed('payout schedule preview faulty.csv --token $TOKEN', 1);
  for (const [at] of faulty.entries()) expect(said).toContain(`Line ${at + 2}: `);
  await failed('payout schedule create faulty.csv --token $TOKEN --executions 2 --yes', 1);
  expect(await done('payout schedule list --token $TOKEN')).toContain('has no schedules yet');
}, 600_000);

it('promises a payroll and watches it paid', async () => {
  const lines = people.slice(0, 5).map((recipient, at) => `${recipient},"1,${at}50.00",,Person ${at + 1}`);
  await writeFile(join(file('work'), 'november.csv'), csv(lines));
  expect(await done('payout schedule preview november.csv --token $TOKEN')).toContain('covers 8 windows');
  const create = 'payout schedule create november.csv --token $TOKEN --every 1h --executions 3';
  const made = await done(create, YES);
  schedule = /watch (\S+)/.exec(made)?.[1] as string;
  expect(await done(`payout watch ${schedule} --window 0 --once`)).toContain('5 of 5 paid');
  expect(await done(`payout runs ${schedule}`)).toMatch(/0 +settled +5 of 5/);
}, 600_000);

it('replaces the list, and says what changes', async () => {
  const amounts = ['1,470.00', '1,150.00', '1,250.00', '1,350.00'];
  const lines = amounts.map((amount, at) => `${people[at]},"${amount}",,Person ${at + 1}`);
  lines.push(`${people[5]},900.00,wallet,Person 6`);
  await writeFile(join(file('work'), 'december.csv'), csv(lines));
  const said = await done(`payout schedule update ${schedule} december.csv`, YES);
  expect(said).toContain('Replaced and registered.');
}, 600_000);

it('gives out payslips and an auditor’s grant', async () => {
  expect(await done(`payout receipts export ${schedule} 0 --out november`)).toContain('5 payslips of window 0');
  const auditor = (await generateKeyPairSigner()).address;
  expect(await done(`payout audit grant ${schedule} ${auditor} --until 2027-12-31`, YES)).toContain('Granted until');
}, 600_000);

it('pauses, resumes and cancels, and takes the rest out', async () => {
  expect(await done(`payout schedule pause ${schedule}`, YES)).toContain('Paused.');
  expect(await done(`payout schedule resume ${schedule}`, YES)).toContain('Goes on.');
  expect(await done(`payout schedule show ${schedule}`)).toContain('status');
  expect(await done(`payout schedule cancel ${schedule}`, YES)).toContain('Cancelled.');
  expect(await done('payout vault withdraw all --token $TOKEN', YES)).toMatch(/= available +0\.00/);
  expect(await done('payout vault show --token $TOKEN')).toContain('The books balance');
}, 600_000);

it('takes back what was not confirmed, and asks for a seed phrase without showing it', async () => {
  const refused = await terminal.run('payout vault deposit 5 --token $TOKEN', { 'Continue\\?': 'n' });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.lines.join('\n')).toContain('Nothing has been changed.');
  const phrase = `${'abandon '.repeat(11)}about`;
  const asked = { 'Seed phrase': phrase, Passphrase: '' };
  const { lines } = await terminal.run("payout vault show --token $TOKEN --keypair 'prompt://?key=0/0'", asked);
  const said = lines.join('\n');
  expect(said).toContain('Signs with HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
  expect(said).not.toContain('abandon');
}, 600_000);

it('keeps a recording as asciinema reads it', async () => {
  const { moments } = terminal;
  expect(moments.length).toBeGreaterThan(20);
  for (const [at, kind, text] of moments) expect([typeof at, kind, typeof text]).toEqual(['number', 'o', 'string']);
  expect(moments.map(([, , text]) => text).join('')).toContain('payout vault init');
});
