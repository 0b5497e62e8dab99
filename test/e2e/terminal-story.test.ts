import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey } from '@payouts/cli';
import { addressFromBytes } from '@payouts/client';
import { createSampleToken, SAMPLE_DECIMALS } from '@payouts/sandbox';
import {
  DAYS,
  DEPOSIT,
  FEBRUARY,
  HELD,
  JANUARY,
  type Name,
  payrollFile,
  TOKEN,
  withPeople,
} from '@payouts/testing/example';
import { expectNoSlips } from '@payouts/testing/payout';
import { PAYOUT } from '@payouts/testing/program';
import { writeStory } from '@payouts/testing/story';
import { StoryClock } from '@payouts/testing/storyClock';
import { type Shown, SIZE, Terminal } from '@payouts/testing/terminal';
import { nameToken } from '@payouts/testing/token';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
/** A command that waits for the ledgers, on a busy machine. */
const WITHIN_MS = 180_000;

let world: World;
let terminal: Terminal;
let mint: Address;
let people: ReadonlyMap<Name, Address>;
let auditor: Address;
let approver: Address;
let schedule: string;
/** What ledger, coordinator and commands go by. */
let clock: StoryClock;
/** What the picture shows: a month without what went wrong in between. */
const told: (readonly string[])[] = [];

const file = (name: string) => join(world.folder, name);
/** Where the recording goes: npm run story names it, tests have none. */
const { STORY_FOLDER } = process.env;

/** `payout` as it is installed: a program on the path, which asks for nothing that a user wouldn't give. */
async function putOnPath(): Promise<string> {
  const bin = file('bin');
  await mkdir(bin);
  await writeFile(join(bin, 'payout'), `#!/bin/sh\nexec node ${root}packages/${PAYOUT} "$@"\n`, {
    mode: 0o755,
  });
  return bin;
}

beforeAll(async () => {
  world = await World.start();
  clock = await StoryClock.start(world, DAYS.begins);
  await world.startCoordinator({ DASHBOARD_PUBLIC: 'true', ...clock.env });
  const home = file('home');
  // The key, the ledger's address and the coordinator's are where a user has them: no command names them.
  const key = join(home, '.config', 'solana', 'id.json');
  await mkdir(dirname(key), { recursive: true });
  const employer = await readOrCreateKey(key);
  const token = await generateKeyPairSigner();
  mint = token.address;
  await world.fund(employer.address);
  const input = { payer: world.admin, mint: token, holder: employer.address, amount: 150_000n * UNIT };
  await createSampleToken(world.ledgers, input);
  await nameToken(world, mint, TOKEN);
  people = await withPeople(freshWallet);
  const work = file('work');
  await mkdir(work);
  const keyOf = (name: string) => readOrCreateKey(join(work, name));
  [{ address: approver }, { address: auditor }] = await Promise.all([keyOf('approver.json'), keyOf('auditor.json')]);
  await world.fund(approver);
  terminal = await Terminal.start(work, {
    HOME: home,
    PATH: `${await putOnPath()}:${process.env.PATH}`,
    PAYOUT_RPC: world.urls.baseRpcUrl,
    PAYOUT_API: world.apiUrl,
    TOKEN: mint,
    ...clock.env,
  });
}, 400_000);
afterAll(async () => {
  if (STORY_FOLDER !== undefined) writeStory(STORY_FOLDER, terminal.moments, told);
  await terminal?.stop();
});

/** Nothing is longer than the terminal is wide but a single word, such as a signature: what is to be copied stands alone in its lines. */
function expectReadable({ lines }: Shown): void {
  for (const line of lines.slice(1)) {
    if (line.length > SIZE.columns) expect(line).toMatch(/^\s*\S+$/);
    expectNoSlips(line, /undefined|\bNaN\b|\[object|\bnull\b/);
  }
}

async function done(command: string, answers: Readonly<Record<string, string>> = {}): Promise<string> {
  const shown = await terminal.run(command, answers, WITHIN_MS);
  expect(shown).toMatchObject({ code: 0 });
  expectReadable(shown);
  return shown.lines.join('\n');
}

/** The same, and the picture shows it. */
async function tell(command: string, answers: Readonly<Record<string, string>> = {}): Promise<string> {
  const said = await done(command, answers);
  told.push(said.split('\n'));
  return said;
}

async function failed(command: string, code: number): Promise<string> {
  const shown = await terminal.run(command, {}, WITHIN_MS);
  expect(shown).toMatchObject({ code });
  expectReadable(shown);
  return shown.lines.join('\n');
}

const YES = { 'Continue\\?': 'y' };
const addressOf = (name: Name): Address => people.get(name) as Address;
const write = (name: string, text: string) => writeFile(join(file('work'), name), text);

it('opens a vault, fills it and names who approves', async () => {
  expect(await done('payout vault init --token $TOKEN', YES)).toContain('Opened: ');
  expect(await tell(`payout vault deposit ${DEPOSIT} --token $TOKEN`, YES)).toMatch(/= available +120,000\.00 USDC/);
  await done(`payout vault approval set --token $TOKEN --approver ${approver} --limit 0`, YES);
}, 600_000);

it('answers a payroll with ten kinds of errors line by line, and creates nothing', async () => {
  const nobody = addressFromBytes(new Uint8Array(32).fill(2));
  const [one, two] = [addressOf('Ada Example'), addressOf('Björn Sample')];
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
  await write('faulty.csv', ['recipient,amount,delivery,name', ...faulty, ''].join('\n'));
  const said = await failed('payout schedule preview faulty.csv --token $TOKEN', 1);
  for (const [at] of faulty.entries()) expect(said).toContain(`Line ${at + 2}: `);
  await failed('payout schedule create faulty.csv --token $TOKEN --executions 2 --yes', 1);
  expect(await done('payout schedule list --token $TOKEN')).toContain('has no schedules yet');
}, 600_000);

it('promises a payroll, which the approver agrees to, and watches it paid', async () => {
  await write('january.csv', payrollFile(JANUARY, addressOf));
  expect(await tell('payout schedule preview january.csv --token $TOKEN')).toContain('covers 13 windows');
  const first = DAYS.first.toISOString().slice(0, 16);
  const terms = `--every 1mo --first ${first} --executions 12`;
  const made = await tell(`payout schedule create january.csv --token $TOKEN ${terms} --proposal january.json`, YES);
  expect(made).toContain('Reserves 103,269.00 USDC of the 120,000.00 USDC available.');
  schedule = /schedule approve (\S+)/.exec(made)?.[1] as string;
  await tell(`payout schedule approve ${schedule} --list january.json --keypair approver.json`, YES);
  await clock.turn(DAYS.first);
  expect(await tell(`payout watch ${schedule} --window 0 --once`)).toContain('4 of 4 paid');
  expect(await done(`payout runs ${schedule}`)).toMatch(/0 +settled +4 of 4/);
}, 600_000);

it('replaces the list, says what changes, and holds one of them back', async () => {
  await clock.turn(DAYS.change);
  await write('february.csv', payrollFile(FEBRUARY, addressOf));
  const said = await tell(`payout schedule update ${schedule} february.csv --proposal february.json`, YES);
  expect(said).toContain('1 raise of 10 %, 1 newcomer, 1 leaver');
  await done(`payout schedule approve ${schedule} --list february.json --keypair approver.json`, YES);
  await tell(`payout schedule hold ${schedule} ${addressOf(HELD)}`, YES);
  await clock.turn(DAYS.second);
  expect(await tell(`payout watch ${schedule} --window 1 --once`)).toContain('3 of 4 paid');
  expect(await done(`payout runs ${schedule}`)).toMatch(/1 +settled +3 of 4/);
}, 600_000);

it('gives out payslips and an auditor’s grant', async () => {
  await clock.turn(DAYS.after);
  expect(await tell(`payout receipts export ${schedule} 0 --out january`)).toContain('4 payslips of window 0');
  const grant = `payout audit grant ${schedule} ${auditor} --until ${DAYS.grant}`;
  expect(await tell(grant, YES)).toContain('Granted until');
  expect(await tell('payout audit totals --keypair auditor.json')).toContain('15,706.25');
}, 600_000);

it('pauses, resumes and cancels, and takes the rest out', async () => {
  expect(await done(`payout schedule pause ${schedule}`, YES)).toContain('Paused.');
  expect(await done(`payout schedule resume ${schedule}`, YES)).toContain('Goes on.');
  expect(await done(`payout schedule show ${schedule}`)).toContain('status');
  expect(await tell('payout vault show --token $TOKEN')).toContain('15,706.25');
  expect(await done(`payout schedule cancel ${schedule}`, YES)).toContain('Cancelled.');
  const withdraw = 'payout vault withdraw all --token $TOKEN --approver-keypair approver.json';
  expect(await done(withdraw, YES)).toMatch(/= available +0\.00/);
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
