import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import { addressToBytes } from '@payouts/client';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { until, World } from '@payouts/testing/world';
import type { Address, KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const ADA = 'Ada Lovelace-Byron';
const BEN = 'Benjamin Invited';
const CLEO = 'Cleopatra Late';

type Sent = { readonly invitations: readonly { readonly name: string; readonly link: string }[] };
type Answer = { readonly address: Address; readonly check: string };
type Waiting = {
  readonly invitations: readonly {
    readonly name: string;
    readonly answers: readonly Answer[];
    readonly forged: number;
  }[];
  readonly changes: readonly { readonly present: Address; readonly next: Address; readonly check: string }[];
};

let world: World;
let mint: Address;
let payroll: string;
let schedule: Address;
const links = new Map<string, string>();
const people = new Map<string, KeyPairSigner>();

const file = (name: string) => join(world.folder, name);
const keyOf = (who: string) => file(`${who}.json`);
const by = (who: string) =>
  commandsBy((...words) =>
    payoutHere(
      { PAYOUT_API: world.apiUrl, PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_BOOK: file('book'), NO_COLOR: '1' },
      ...words,
      ...(words[0] === 'watch' ? [] : ['--keypair', keyOf(who)]),
    ),
  );
const addressOf = (who: string): Address => (people.get(who) as KeyPairSigner).address;
const linkOf = (name: string): string => links.get(name) as string;
const send = async (...words: readonly string[]) => {
  const { invitations } = await by('employer').json<Sent>('invitations', 'send', ...words, '--token', mint, '--yes');
  for (const { name, link } of invitations) links.set(name, link);
};
const waiting = () => by('employer').json<Waiting>('invitations', 'list');
const answersOf = async (name: string) => (await waiting()).invitations.find((one) => one.name === name)?.answers ?? [];

beforeAll(async () => {
  world = await World.shared();
  for (const who of ['employer', 'rival', 'ada', 'ben', 'thief', 'cleo', 'ada-new']) {
    people.set(who, await readOrCreateKey(keyOf(who)));
  }
  ({ mint } = await world.payer(people.get('employer')));
  await world.startCoordinator();
  await by('employer').done('vault', 'deposit', '9,000', '--token', mint, '--yes');
  payroll = file('november.csv');
  await writeFile(payroll, `name;recipient;amount\r\n${ADA};;1250.50\r\n${BEN};;980\r\n`);
});

/** The words that promise the payroll as it is. */
const create = () => [
  'schedule',
  'create',
  payroll,
  ...['--token', mint, '--every', '1h', '--timeout', '10m', '--executions', '2'],
];

it('shows an address to the employer alone, and nobody is paid at it before the employer has taken it', async () => {
  const { done, refused, json } = by('employer');
  await send(ADA, BEN, '--from', 'Example Ltd');
  await send(CLEO, '--expires', '5s');
  expect(await refused('invitations', 'send', ADA, '--token', mint, '--yes')).toBe('invited-already');
  const from = await by('ada').done('accept', linkOf(ADA), '--dry-run');
  expect(from).toContain(`Example Ltd asks ${ADA} for an address`);
  expect(await answersOf(ADA)).toEqual([]);
  const told = await by('ada').json<Answer>('accept', linkOf(ADA), '--yes');
  // Sent once more, it is the same answer.
  await by('ada').done('accept', linkOf(ADA), '--yes');
  expect(await answersOf(ADA)).toMatchObject([{ address: addressOf('ada'), check: told.check }]);
  const shown = await done('invitations', 'list');
  expect(shown).toContain(`  ${addressOf('ada')}\n  code ${told.check}, given `);
  expect(shown).toContain('Compare the code with whoever gave the address');

  expect(await refused(...create(), '--yes')).toBe('payroll-faulty');
  expect(await refused('invitations', 'take', ADA, '--into', payroll, '--check', 'AAAAA-AAAAA', '--yes')).toBe(
    'other-check',
  );
  await done('invitations', 'take', ADA, '--into', payroll, '--dry-run');
  expect(await readFile(payroll, 'utf8')).not.toContain(addressOf('ada'));
  expect(
    await json('invitations', 'take', ADA, '--into', payroll, '--check', told.check.toLowerCase(), '--yes'),
  ).toMatchObject({
    to: addressOf('ada'),
    isNew: false,
  });
  expect(await readFile(payroll, 'utf8')).toBe(
    `name;recipient;amount\r\n${ADA};${addressOf('ada')};1250.50\r\n${BEN};;980\r\n`,
  );
  // Ben has not answered.
  expect(await refused(...create(), '--yes')).toBe('payroll-faulty');
});

it('shows two answers where a link was stolen, and takes neither by itself', async () => {
  const { done, refused } = by('employer');
  await by('thief').done('accept', linkOf(BEN), '--yes');
  const told = await by('ben').json<Answer>('accept', linkOf(BEN), '--yes');
  expect((await answersOf(BEN)).map(({ address }) => address)).toEqual([addressOf('thief'), addressOf('ben')]);
  expect(await done('invitations', 'list')).toContain('2 addresses were given: somebody else has the link');
  expect(await refused('invitations', 'take', BEN, '--into', payroll, '--yes')).toBe('several-answers');
  expect(await readFile(payroll, 'utf8')).not.toContain(addressOf('thief'));
  await done('invitations', 'take', BEN, '--into', payroll, '--check', told.check, '--yes');
  expect(await readFile(payroll, 'utf8')).toContain(`${BEN};${addressOf('ben')};980`);
});

it('answers one that has expired, was taken or withdrawn, or is made up, alike', async () => {
  const { done } = by('employer');
  await until(async () => !(await waiting()).invitations.some(({ name }) => name === CLEO), 'the expiry', 20_000);
  await send('Dora');
  await done('invitations', 'withdraw', 'Dora', '--yes');
  const made = `${linkOf(ADA).slice(0, -43)}${'A'.repeat(42)}A`;
  for (const link of [linkOf(CLEO), linkOf(ADA), linkOf(BEN), linkOf('Dora'), made]) {
    expect(await by('thief').refused('accept', link, '--yes')).toBe('invitation-not-found');
  }
  expect(await by('thief').refused('accept', linkOf(ADA).slice(0, -9), '--yes')).toBe('INVALID_INVITATION');
  expect((await waiting()).invitations).toEqual([]);
});

it('pays those whom the employer has taken', async () => {
  const { done, json } = by('employer');
  ({ schedule } = await json<{ schedule: Address }>(...create(), '--yes'));
  await done('watch', schedule, '--window', '0', '--once');
  const balance = async (who: string) =>
    (await by(who).json<{ balances: { amount: string }[] }>('balance')).balances.map(({ amount }) => BigInt(amount));
  expect(await balance('ada')).toEqual([(125_050n * UNIT) / 100n]);
  expect(await balance('ben')).toEqual([980n * UNIT]);
  expect(await balance('thief')).toEqual([]);
});

it("shows a recipient's wish for another address to their employer alone, who sees it in the next list before it counts", async () => {
  const { done, json, refused } = by('employer');
  const ask = ['change-address', '--schedule', schedule, '--new-keypair', keyOf('ada-new')];
  expect(
    await by('thief').refused('change-address', '--schedule', schedule, '--new-keypair', keyOf('ada-new'), '--yes'),
  ).toBe('not-permitted');
  const { check } = await by('ada').json<Answer>(...ask, '--yes');
  await by('ada').done(...ask, '--yes');
  const [asked, ...more] = (await waiting()).changes;
  expect([asked?.present, asked?.next, more]).toEqual([addressOf('ada'), addressOf('ada-new'), []]);
  expect((await by('rival').json<Waiting>('invitations', 'list')).changes).toEqual([]);
  const dryRun = ['schedule', 'update', schedule, payroll, '--dry-run'];
  expect(await done(...dryRun)).not.toContain(addressOf('ada-new'));
  // The first request was replaced by the second, which has a code of its own.
  expect(await refused('invitations', 'take', addressOf('ada'), '--into', payroll, '--check', check, '--yes')).toBe(
    'other-check',
  );
  const taken = await json<{ before: string }>('invitations', 'take', addressOf('ada'), '--into', payroll, '--yes');
  expect(taken.before).toBe(addressOf('ada'));
  const changed = await done(...dryRun);
  expect(changed).toContain('Against the current list: 1 address changed.');
  expect(changed).toMatch(
    new RegExp(`${ADA} +Address changed\\n +from ${addressOf('ada')}\\n +to +${addressOf('ada-new')}`),
  );
  expect((await waiting()).changes).toEqual([]);
});

it('keeps no name, no address and no secret of a link where anybody else could read it', async () => {
  const log = await readFile(world.coordinatorLog, 'utf8');
  const stored = Buffer.concat(await world.stored()).toString('latin1');
  const secrets = [...links.values()].map((link) => link.slice(-43));
  const addresses = ['ben', 'thief', 'ada-new'].map(addressOf);
  const bytes = addresses.map((address) => Buffer.from(addressToBytes(address)).toString('hex'));
  for (const secret of [...secrets, ...addresses, ...bytes, ADA, BEN, CLEO]) {
    expect(log).not.toContain(secret);
    expect(stored).not.toContain(secret);
  }
});
