import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { walletTokens } from '@payouts/cli';
import { addressToBytes, openingOf, type RecipientList } from '@payouts/client';
import { listFrom } from '@payouts/employer';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { expectToFit, picture, type Screen, Visitors } from '@payouts/testing/browser/browser';
import {
  type ComeBack,
  choose,
  give,
  open,
  press,
  refusePointers,
  remember,
  take,
  write,
} from '@payouts/testing/browser/keyboard';
import { giveWallet, signIn, type TestWallet } from '@payouts/testing/browser/wallet';
import { secretsOf } from '@payouts/testing/recordList';
import { nameToken } from '@payouts/testing/token';
import { freshWallet } from '@payouts/testing/wallets';
import { until, World } from '@payouts/testing/world';
import { type Address, createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Eavesdropper } from './eavesdropper.ts';

/*
 * A month of an employer, their approver, two recipients and an auditor, in a browser alone: nobody has a terminal or a mouse. Each test is a
 * step, and goes on where the one before ended. Somebody hears all that the browsers say, and learns nothing private.
 */

const MONTH_SECONDS = 31 * 86_400;
const PEOPLE = [
  ['Ada Example', 'Engineering', 'leads the team'],
  ['Björn Sample', 'Engineering', ''],
  ['Chiara Prova', 'Sales abroad', 'half days in May'],
  ['Dmitri Obrazets', 'Sales abroad', 'leaves in January'],
  ['Esi Nhwɛso', 'Front office', ''],
] as const;
type Name = (typeof PEOPLE)[number][0];
type Person = { readonly name: Name; readonly label: string; readonly note: string; readonly wallet: KeyPairSigner };
/** Opens the file of names. */
const PASSPHRASE = 'seven grey herons at noon';

let world: World;
let visitors: Visitors;
let mint: Address;
let employer: KeyPairSigner;
let approver: KeyPairSigner;
let auditor: KeyPairSigner;
let people: readonly Person[];
/** The employer's and the approver's tabs, open for the whole month, and that of a recipient. */
let office: Page;
let second: Page;
let own: Page;
let schedule: Address;
/** What the approver is given on a private way. */
let proposal: string;
/** What the employer's wallet signs. */
let signed: TestWallet;
const eavesdropper = new Eavesdropper();

/** Somebody with a wallet, whose key nobody is to hear. */
async function somebody(): Promise<KeyPairSigner> {
  const secret = randomBytes(32);
  eavesdropper.lookFor('secret key', secret);
  return createKeyPairSignerFromPrivateKeyBytes(secret);
}

beforeAll(async () => {
  [world, visitors] = await Promise.all([World.start(), Visitors.open()]);
  const { baseRpcUrl, layerRpcUrl } = world.urls;
  await world.startCoordinator({ BROWSER_RPC_URL: baseRpcUrl, BROWSER_LAYER_URL: layerRpcUrl });
  [employer, approver, auditor] = await Promise.all([somebody(), somebody(), somebody()]);
  mint = await world.giveToken(employer.address);
  await Promise.all([nameToken(world, mint, 'USDC'), world.fund(approver.address)]);
  people = await Promise.all(
    PEOPLE.map(async ([name, label, note]) => ({ name, label, note, wallet: await somebody() })),
  );
  for (const { name, label, note } of people) {
    eavesdropper.lookFor('name', name);
    eavesdropper.lookFor('label', label);
    if (note !== '') eavesdropper.lookFor('note', note);
  }
  eavesdropper.lookFor('passphrase', PASSPHRASE);
  office = await tabOf('employer', employer);
});
afterAll(() => visitors?.close());

type Tab = { readonly place?: string; readonly path?: '/' | '/recipient/'; readonly screen?: Screen };

/** Somebody's browser: nothing of it passes the eavesdropper by. */
async function tabOf(who: string, signer: KeyPairSigner, { place = 'mine', ...tab }: Tab = {}): Promise<Page> {
  const proxy = await eavesdropper.hear(who);
  return visitors.visit(world.apiUrl, {
    place,
    ...tab,
    proxy,
    ledgers: [world.urls.baseRpcUrl, world.urls.layerRpcUrl],
    before: async (page) => {
      await refusePointers(page);
      const wallet = await giveWallet(page, signer);
      if (who === 'employer') signed = wallet;
    },
  });
}

const walletOf = (name: Name): KeyPairSigner => {
  const person = people.find((each) => each.name === name);
  if (person === undefined) throw new Error(`nobody is called ${name}`);
  return person.wallet;
};

/** A payroll file, as a clerk has it. */
function payroll(file: string, amounts: Readonly<Partial<Record<Name, string>>>): string {
  const lines = people
    .filter(({ name }) => name in amounts)
    .map(({ name, label, note, wallet }) => [name, label, note, wallet.address, amounts[name]].join(','));
  writeFileSync(join(world.folder, file), ['name,label,note,recipient,amount', ...lines].join('\n'));
  return join(world.folder, file);
}

/** Has all of a list looked for; what is a recipient's alone under their name. */
function lookForList(list: RecipientList): void {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const whose = new Map(
    list.recipients.flatMap(({ recipient, salt }) => {
      const name = people.find(({ wallet }) => wallet.address === recipient)?.name;
      return [addressToBytes(recipient), openingOf(salt)].map((bytes) => [hex(bytes), name] as const);
    }),
  );
  for (const [what, text] of secretsOf(list)) {
    const kind = whose.has(text) ? `${what} of ${whose.get(text)}` : what;
    eavesdropper.lookFor(kind, what === 'amount' ? BigInt(text) : Buffer.from(text, 'hex'));
  }
}

/** Asks for something, agrees to what its dialog says will happen, and waits until it is done; the dialog may go with its view then. */
async function carryOut(opener: Locator, name: string): Promise<ComeBack> {
  const dialog = opener.page().getByRole('dialog', { name });
  const comeBack = await open(opener, dialog);
  await dialog.getByRole('listitem').first().waitFor();
  const button = dialog.getByRole('button', { name, exact: true });
  await press(button);
  await button.waitFor({ state: 'detached' });
  return comeBack;
}

/** The same, where the dialog stays until it is closed. */
async function agree(opener: Locator, name: string): Promise<void> {
  const comeBack = await carryOut(opener, name);
  await opener.page().keyboard.press('Escape');
  await comeBack();
}

async function enter(page: Page): Promise<void> {
  const comeBack = await remember(page.getByRole('button', { name: 'Sign in', exact: true }).first());
  await signIn(page, 'Test Wallet', press);
  await comeBack();
}

/** Waits until a step is seen, keeps its picture, and looks at it as everybody would. */
async function seen(what: Locator, name: string): Promise<void> {
  await what.first().waitFor();
  await picture(what.page(), `month-${name}`);
  await expectAccessible(what.page(), name);
  await expectToFit(what.page());
}

/** Saves what a button hands out; returns the file. */
async function saved(button: Locator): Promise<string> {
  const download = await take(button);
  const file = join(world.folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

/** Has a list proposed, and keeps what the approver needs of it. */
async function propose(button: string, name: string): Promise<void> {
  await press(office.getByRole('button', { name: button }));
  await seen(office.getByText('It waits for your approver.'), name);
  proposal = await saved(office.getByRole('button', { name: 'Save the proposal' }));
  lookForList(listFrom(readFileSync(proposal, 'utf8'), proposal));
  await press(office.getByRole('link', { name: 'To the payroll' }));
  await office.getByRole('heading', { name: 'Who is paid' }).waitFor();
}

async function approve(person: Name, name: string): Promise<void> {
  await give(second.getByLabel('Open the proposal'), proposal);
  await second.getByText(person).first().waitFor();
  await seen(second.getByRole('button', { name: 'Approve' }), name);
  await press(second.getByRole('button', { name: 'Approve' }));
  await second.getByText('Approved.').first().waitFor();
}

const settled = (window: string) =>
  until(
    async () => (await world.executions({ schedule })).find((run) => run.window === window && run.state === 'settled'),
    `window ${window} to settle`,
  );

const goTo = (view: string) => press(own.getByRole('navigation').getByRole('link', { name: view }));

it('the employer opens a vault, puts money into it and names an approver', async () => {
  await enter(office);
  await write(office.getByLabel('Open a vault of a token: its mint'), mint);
  await carryOut(office.getByRole('button', { name: 'Open a vault' }), 'Open the vault');
  await write(office.getByLabel('Amount in USDC'), '120,000');
  await agree(office.getByRole('button', { name: 'Deposit' }), 'Deposit');
  await write(office.getByLabel('Whose wallet approves'), approver.address);
  await agree(office.getByRole('button', { name: 'Name the approver' }), 'Name the approver');
  await seen(office.getByRole('button', { name: 'Remove the approver' }), 'vault');
});

it('creates a payroll from a file; the approver sees whom it pays and agrees; a month later all are paid', async () => {
  const amounts = { 'Ada Example': '2512.40', 'Björn Sample': '2250.50', 'Chiara Prova': '1984.75' };
  const file = payroll('january.csv', { ...amounts, 'Dmitri Obrazets': '1875.25' });
  await press(office.getByRole('main').getByRole('link', { name: 'My payrolls' }));
  await press(office.getByRole('link', { name: 'New payroll in USDC' }));
  await give(office.getByLabel('Open the payroll'), file);
  await office.getByText('Ada Example').first().waitFor();
  await press(office.getByRole('button', { name: 'See what will happen' }));
  await seen(office.getByRole('button', { name: 'Create the payroll' }), 'preview');
  await propose('Create the payroll', 'proposed');
  schedule = ((await office.evaluate('location.hash')) as string).split('/').at(-1) as Address;

  second = await tabOf('approver', approver, { place: `approve/${schedule}` });
  await enter(second);
  await approve('Ada Example', 'approve');
  await world.localnet.admin.advanceClock(MONTH_SECONDS);
  expect(await settled('0')).toMatchObject({ claims: { paid: 4, total: 4 } });
});

it('keeps the names of their people in the browser, encrypted', async () => {
  const keep = office.getByRole('button', { name: 'Keep them in this browser' });
  const read = office.getByLabel('Read names from a file');
  const dialog = office.getByRole('dialog', { name: 'Keep names in this browser' });
  await give(read, join(world.folder, 'january.csv'));
  const comeBack = await open(keep, dialog);
  await press(dialog.getByRole('button', { name: 'Keep' }));
  await comeBack();
  await seen(office.getByText('kept in this browser, encrypted.'), 'names');

  const save = office.getByRole('dialog', { name: 'Save names to a file' });
  const closed = await open(office.getByRole('button', { name: 'Save them to a file' }), save);
  await choose(save.getByLabel('A passphrase'));
  await write(save.getByLabel('Passphrase', { exact: true }), PASSPHRASE);
  await write(save.getByLabel('Passphrase, once more'), PASSPHRASE);
  const names = readFileSync(await saved(save.getByRole('button', { name: 'Save' })), 'utf8');
  await closed();
  expect(names).not.toContain('Ada Example');
});

it('gives a raise, takes one on and lets another go, once the approver agrees', async () => {
  const amounts = { 'Ada Example': '2762.40', 'Björn Sample': '2250.50', 'Chiara Prova': '1984.75' };
  const file = payroll('february.csv', { ...amounts, 'Esi Nhwɛso': '2104.30' });
  await press(office.getByRole('link', { name: 'Change the list' }));
  await give(office.getByLabel('Open the payroll'), file);
  await office.getByText('2,762.40').first().waitFor();
  await seen(office.getByRole('button', { name: 'Propose the list' }), 'change');
  await propose('Propose the list', 'change-proposed');
  await second.reload();
  await enter(second);
  await approve('Esi Nhwɛso', 'change-approve');
});

it('holds one back: exactly the others are paid in the next window', async () => {
  // The new list is shown once it is in force.
  await office.getByRole('cell', { name: '2,762.40' }).waitFor();
  await agree(office.getByRole('button', { name: 'Hold back Chiara Prova' }), 'Hold back');
  await seen(office.getByRole('button', { name: 'Release Chiara Prova' }), 'held');
  await world.localnet.admin.advanceClock(MONTH_SECONDS);
  // 2,762.40 + 2,250.50 + 2,104.30 USDC
  expect(await settled('1')).toMatchObject({ claims: { paid: 3, total: 4 }, paidAmount: '7117200000' });
});

it('a recipient takes part of their pay out on a phone, and cancels another part that waits', async () => {
  own = await tabOf('Ada Example', walletOf('Ada Example'), { place: '', path: '/recipient/', screen: 'phone' });
  await press(own.getByRole('button', { name: 'Test Wallet' }));
  await seen(own.getByText('5,274.80 USDC'), 'pay');
  const to = await freshWallet();
  const takeOut = async (amount: string) => {
    await press(own.getByRole('link', { name: 'Take out USDC' }));
    await write(own.getByLabel('Amount in USDC'), amount);
    await choose(own.getByLabel('Another wallet'));
    await write(own.getByLabel('To wallet'), to);
  };
  await takeOut('1,000');
  await choose(own.getByLabel('At once'));
  await seen(own.getByRole('button', { name: 'Take out 1,000.00 USDC' }), 'withdraw');
  await press(own.getByRole('button', { name: 'Take out 1,000.00 USDC' }));
  await own.getByText('1,000.00 USDC paid').waitFor();
  expect(await walletTokens(world.ledgers, to, mint)).toBe(1_000_000_000n);

  await goTo('Money');
  await takeOut('500');
  await press(own.getByRole('button', { name: 'Take out 500.00 USDC' }));
  await own.getByText('500.00 USDC will be paid').waitFor();
  await goTo('Money');
  await seen(own.getByText('Waits for its time'), 'waiting');
  const dialog = own.getByRole('dialog', { name: 'Cancel this withdrawal' });
  const comeBack = await open(own.getByRole('button', { name: 'Cancel', exact: true }), dialog);
  await press(own.getByRole('button', { name: 'Cancel the withdrawal' }));
  await own.getByText('Waits for its time').waitFor({ state: 'detached' });
  await comeBack();
  await own.getByText('4,274.80 USDC').first().waitFor();
  await own.context().close();
});

it('another recipient saves a payslip and verifies it', async () => {
  own = await tabOf('Björn Sample', walletOf('Björn Sample'), { place: '', path: '/recipient/' });
  await press(own.getByRole('button', { name: 'Test Wallet' }));
  await own.getByText('4,501.00 USDC').first().waitFor();
  await goTo('History');
  await own.getByText('+2,250.50 USDC').first().waitFor();
  const payslip = await saved(own.getByRole('button', { name: /^JSON/ }).first());
  await goTo('Payslips');
  await give(own.getByLabel('Open a payslip (PDF or JSON)'), payslip);
  await seen(own.getByText('This payslip is sound.'), 'payslip');
  await own.context().close();
});

it('the employer grants an auditor the totals, who verifies them', async () => {
  const grant = office.getByRole('button', { name: 'Grant an auditor' });
  const form = office.getByRole('dialog', { name: 'Grant an auditor' });
  const comeBack = await open(grant, form);
  await write(form.getByLabel('The auditor’s address'), auditor.address);
  // Month, day and year, as the browser's own language has them.
  await write(form.getByLabel('Until the end of'), `1231${new Date().getUTCFullYear() + 1}`);
  await press(form.getByRole('button', { name: 'Grant' }));
  await comeBack();
  await seen(office.getByText('totals of all windows'), 'grant');

  const audit = await tabOf('auditor', auditor, { place: 'audit' });
  await enter(audit);
  await press(audit.getByLabel('Also look everything up on the base ledger'), 'Space');
  await press(audit.getByRole('button', { name: 'Make the statement' }));
  await seen(audit.getByText('is complete: its windows add up to the ledger'), 'audit');
  // 8,622.90 + 7,117.20 USDC
  await audit.getByText('15,740.10').first().waitFor();
});

/** Whose browser was heard, and what of the lists is their own: they sign for it, or take it out. */
const HEARD: Readonly<Record<string, readonly string[]>> = {
  employer: [],
  approver: [],
  'Ada Example': ['address', 'opening'].map((what) => `${what} of Ada Example`),
  'Björn Sample': ['address', 'opening'].map((what) => `${what} of Björn Sample`),
  auditor: [],
};

it('tells nobody on the way who is paid what: names, addresses, amounts, salts, keys', async () => {
  const keyTexts = signed.texts.flatMap((text, at) => (/secret behind|open my names/.test(text) ? [at] : []));
  for (const at of keyTexts) eavesdropper.lookFor('signature that is a key', signed.signatures[at] ?? '');
  for (const [who, theirs] of Object.entries(HEARD)) {
    // What each of them read was heard.
    expect(eavesdropper.heard(who).includes('/api/deployment'), who).toBe(true);
    expect(eavesdropper.found(who, theirs), who).toEqual([]);
  }

  // Said in the clear by a page, all of it would have been heard.
  await office.evaluate(`fetch('/api/health', { method: 'POST', body: ${JSON.stringify(eavesdropper.toBeSaid)} })`);
  expect(eavesdropper.found('employer', [])).toEqual(eavesdropper.whatIsPrivate);
  expect(eavesdropper.whatIsPrivate.length).toBeGreaterThan(15);
});

it('asked nobody but the coordinator and its ledgers for anything, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
