import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { walletTokens } from '@payouts/cli';
import { addressToBytes, openingOf, type RecipientList } from '@payouts/client';
import { listFrom } from '@payouts/employer';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { picture, type Screen, Visitors } from '@payouts/testing/browser/browser';
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
import {
  DAYS,
  DEPOSIT,
  FEBRUARY,
  HELD,
  JANUARY,
  type Name,
  PEOPLE,
  payrollFile,
  TOKEN,
  withPeople,
} from '@payouts/testing/example';
import { secretsOf } from '@payouts/testing/recordList';
import { StoryClock } from '@payouts/testing/storyClock';
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

const UNIT = 1_000_000n;
/** Opens the file of names. */
const PASSPHRASE = 'seven grey herons at noon';

let world: World;
let visitors: Visitors;
let mint: Address;
let employer: KeyPairSigner;
let approver: KeyPairSigner;
let auditor: KeyPairSigner;
let people: ReadonlyMap<Name, KeyPairSigner>;
/** What ledger, coordinator and pages go by. */
let clock: StoryClock;
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
  clock = await StoryClock.start(world, DAYS.begins);
  const { baseRpcUrl, layerRpcUrl } = world.urls;
  await world.startCoordinator({
    BROWSER_RPC_URL: baseRpcUrl,
    BROWSER_LAYER_URL: layerRpcUrl,
    DASHBOARD_PUBLIC: 'true',
    ...clock.env,
  });
  [employer, approver, auditor] = await Promise.all([somebody(), somebody(), somebody()]);
  mint = await world.giveToken(employer.address);
  await Promise.all([nameToken(world, mint, TOKEN), world.fund(approver.address)]);
  people = await withPeople(somebody);
  for (const { name, label, note } of PEOPLE) {
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
async function tabOf(who: string, signer: KeyPairSigner, tab: Tab = {}): Promise<Page> {
  const proxy = await eavesdropper.hear(who);
  return visitors.visit(world.apiUrl, {
    place: 'mine',
    screen: 'window',
    ...tab,
    proxy,
    ledgers: [world.urls.baseRpcUrl, world.urls.layerRpcUrl],
    before: async (page) => {
      await refusePointers(page);
      await clock.give(page);
      const wallet = await giveWallet(page, signer);
      if (who === 'employer') signed = wallet;
    },
  });
}

const walletOf = (name: Name): KeyPairSigner => people.get(name) as KeyPairSigner;

/** A payroll file, as a clerk has it. */
function payroll(file: string, amounts: typeof JANUARY): string {
  const path = join(world.folder, file);
  const text = payrollFile(amounts, (name) => walletOf(name).address);
  writeFileSync(path, text);
  return path;
}

/** Has all of a list looked for; what is a recipient's alone under their name. */
function lookForList(list: RecipientList): void {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const names = new Map([...people].map(([name, { address }]) => [address, name]));
  const whose = new Map(
    list.recipients.flatMap(({ recipient, salt }) =>
      [addressToBytes(recipient), openingOf(salt)].map((bytes) => [hex(bytes), names.get(recipient)] as const),
    ),
  );
  for (const [what, text] of secretsOf(list)) {
    const kind = whose.has(text) ? `${what} of ${whose.get(text)}` : what;
    if (what !== 'amount') eavesdropper.lookFor(kind, Buffer.from(text, 'hex'));
    // Whole numbers of a token turn up by chance.
    else if (BigInt(text) % UNIT !== 0n) eavesdropper.lookFor(kind, BigInt(text));
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

/** The employer comes back another day, and signs in again. */
async function anotherDay(day: Date): Promise<void> {
  await clock.turn(day);
  await office.reload();
  await enter(office);
}

async function openNames(): Promise<void> {
  const dialog = office.getByRole('dialog');
  const comeBack = await open(office.getByRole('button', { name: 'Open your names' }), dialog);
  await press(dialog.getByRole('button', { name: 'Open' }));
  await office.getByRole('cell', { name: 'Ada Example' }).first().waitFor();
  await comeBack();
}

/** Waits until a step is seen, keeps its picture, and looks at it as everybody would. */
async function seen(what: Locator, name: string): Promise<void> {
  await what.first().waitFor();
  // Signing in begins the stream of events anew.
  await what.page().getByText('Connecting', { exact: true }).waitFor({ state: 'detached' });
  await picture(what.page(), `month-${name}`);
  await expectAccessible(what.page(), name);
}

/** The same as it looks in the dark. */
async function seenInTheDark(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await seen(page.getByRole('heading', { level: 1 }), `${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
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
  const { proposals } = JSON.parse(readFileSync(proposal, 'utf8')) as { readonly proposals: readonly unknown[] };
  lookForList(listFrom(JSON.stringify(proposals[0]), proposal));
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
  await write(office.getByLabel('Amount in USDC'), DEPOSIT);
  await agree(office.getByRole('button', { name: 'Deposit' }), 'Deposit');
  await write(office.getByLabel('Whose wallet approves'), approver.address);
  await agree(office.getByRole('button', { name: 'Name the approver' }), 'Name the approver');
  await seen(office.getByRole('button', { name: 'Remove the approver' }), 'vault');
});

it('creates a payroll from a file; the approver sees whom it pays and agrees; a month later all are paid', async () => {
  const file = payroll('january.csv', JANUARY);
  await press(office.getByRole('main').getByRole('link', { name: 'My payrolls' }));
  await press(office.getByRole('link', { name: 'New payroll in USDC' }));
  await give(office.getByLabel('Open the payroll'), file);
  await office.getByText('Ada Example').first().waitFor();
  // Month, day and year, as the browser's own language has them; the reader's time is an hour ahead of the ledger's.
  await write(office.getByLabel('First pay run'), `0128${DAYS.grant.slice(0, 4)}`);
  await office.keyboard.press('Tab');
  await office.keyboard.type('1000AM');
  await press(office.getByRole('button', { name: 'See what will happen' }));
  await seen(office.getByRole('button', { name: 'Create the payroll' }), 'preview');
  await propose('Create the payroll', 'proposed');
  schedule = ((await office.evaluate('location.hash')) as string).split('/').at(-1) as Address;

  second = await tabOf('approver', approver, { place: `approve/${schedule}` });
  await enter(second);
  await approve('Ada Example', 'approve');
  await anotherDay(DAYS.first);
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
  // The pay run is over: the next one is that of February.
  await office.getByText('28 Feb, 10:00').waitFor();
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
  const file = payroll('february.csv', FEBRUARY);
  await anotherDay(DAYS.change);
  await openNames();
  await press(office.getByRole('link', { name: 'Change the list' }));
  await give(office.getByLabel('Open the payroll'), file);
  await office.getByText('2,750.00').first().waitFor();
  await seen(office.getByRole('button', { name: 'Propose the list' }), 'change');
  await propose('Propose the list', 'change-proposed');
  await second.reload();
  await enter(second);
  await approve('Esi Nhwɛso', 'change-approve');
});

it('holds one back: exactly the others are paid in the next window', async () => {
  // The new list is shown once it is in force.
  await office.getByRole('cell', { name: '2,750.00' }).waitFor();
  await give(office.getByLabel('Read names from a file'), join(world.folder, 'february.csv'));
  await office.getByRole('cell', { name: 'Front office' }).waitFor();
  await agree(office.getByRole('button', { name: `Hold back ${HELD}` }), 'Hold back');
  await seen(office.getByRole('button', { name: `Release ${HELD}` }), 'held');
  await clock.turn(DAYS.second);
  // 2,750.00 + 2,250.50 + 2,100.00 USDC
  expect(await settled('1')).toMatchObject({ claims: { paid: 3, total: 4 }, paidAmount: '7100500000' });
});

it('a recipient takes part of their pay out on a phone', async () => {
  await clock.turn(DAYS.after);
  own = await tabOf('Ada Example', walletOf('Ada Example'), { place: '', path: '/recipient/', screen: 'phone' });
  await press(own.getByRole('button', { name: 'Test Wallet' }));
  await own.setViewportSize({ width: 375, height: 620 });
  await seen(own.getByText('5,250.00 USDC'), 'pay');
  await seenInTheDark(own, 'pay');
  const to = await freshWallet();
  await press(own.getByRole('link', { name: 'Take out USDC' }));
  await choose(own.getByLabel('In one piece'));
  await write(own.getByLabel('Amount in USDC'), '1,000');
  await choose(own.getByLabel('Another wallet'));
  await write(own.getByLabel('To wallet'), to);
  await choose(own.getByLabel('At once'));
  await seen(own.getByRole('button', { name: 'Take out 1,000.00 USDC' }), 'withdraw');
  await press(own.getByRole('button', { name: 'Take out 1,000.00 USDC' }));
  await own.getByText('1,000.00 USDC paid').waitFor();
  expect(await walletTokens(world.ledgers, to, mint)).toBe(1_000_000_000n);

  await goTo('Money');
  await own.getByText('4,250.00 USDC').first().waitFor();
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
  await give(own.getByLabel('Open a payslip or receipt (PDF or JSON)'), payslip);
  await seen(own.getByText('This payslip is sound.'), 'payslip');
  await own.context().close();
});

it('the employer grants an auditor the totals, who verifies them', async () => {
  await anotherDay(DAYS.after);
  const grant = office.getByRole('button', { name: 'Grant an auditor' });
  const form = office.getByRole('dialog', { name: 'Grant an auditor' });
  const comeBack = await open(grant, form);
  await write(form.getByLabel('The auditor’s address'), auditor.address);
  // Month, day and year, as the browser's own language has them.
  await write(form.getByLabel('Until the end of'), `1231${DAYS.grant.slice(0, 4)}`);
  await press(form.getByRole('button', { name: 'Grant' }));
  await comeBack();
  await seen(office.getByText('totals of all windows'), 'grant');

  const audit = await tabOf('auditor', auditor, { place: 'audit' });
  await enter(audit);
  await press(audit.getByLabel('Also look everything up on the base ledger'), 'Space');
  await press(audit.getByRole('button', { name: 'Make the statement' }));
  await seen(audit.getByText('is complete: its windows add up to the ledger'), 'audit');
  // 8,605.75 + 7,100.50 USDC
  await audit.getByText('15,706.25').first().waitFor();
});

it('says to everybody that all are paid, without who and how much each', async () => {
  const anybody = await visitors.visit(world.apiUrl, { screen: 'window', before: (page) => clock.give(page) });
  await anybody.getByRole('heading', { name: 'Everybody is being paid.' }).waitFor();
  await anybody.getByText('Week', { exact: true }).click();
  await anybody.getByText('1 window with 3 payments.').waitFor();
  await anybody.getByRole('cell', { name: '3 of 4' }).waitFor();
  await seen(anybody.getByRole('cell', { name: '9,080.50 USDC' }), 'overview');
  await seenInTheDark(anybody, 'overview');
  expect(await anybody.content()).not.toMatch(/\bAda\b|2,750\.00/);
});

/*
 * A part that waits is released by the layer's own clock, which can't be turned, at most 90 days ahead of it: so this is done today.
 */
it('a recipient cancels a part that waits for its time', async () => {
  await clock.turnBack();
  const name = 'Ada Example, today';
  own = await tabOf(name, walletOf('Ada Example'), { place: '', path: '/recipient/', screen: 'phone' });
  await press(own.getByRole('button', { name: 'Test Wallet' }));
  await own.getByText('4,250.00 USDC').first().waitFor();
  await press(own.getByRole('link', { name: 'Take out USDC' }));
  await choose(own.getByLabel('In one piece'));
  await write(own.getByLabel('Amount in USDC'), '500');
  // To a fresh wallet, which nobody links with them.
  await press(own.getByRole('button', { name: 'Check' }));
  await press(own.getByRole('button', { name: 'Take out 500.00 USDC' }));
  await own.getByText('500.00 USDC will be paid').waitFor();
  await goTo('Money');
  await own.getByText('Waits for its time').waitFor();
  await own.getByText('3,750.00 USDC').first().waitFor();
  const dialog = own.getByRole('dialog', { name: 'Cancel this withdrawal' });
  const comeBack = await open(own.getByRole('button', { name: 'Cancel', exact: true }), dialog);
  await press(own.getByRole('button', { name: 'Cancel the withdrawal' }));
  await own.getByText('Waits for its time').waitFor({ state: 'detached' });
  await comeBack();
  await own.getByText('4,250.00 USDC').first().waitFor();
});

/** What of the lists is somebody's own: they sign for it, or take it out. */
const theirsOf = (name: Name) => ['address', 'opening'].map((what) => `${what} of ${name}`);
/** Whose browser was heard, and what they may hear of themselves. */
const HEARD: Readonly<Record<string, readonly string[]>> = {
  employer: [],
  approver: [],
  'Ada Example': theirsOf('Ada Example'),
  'Ada Example, today': theirsOf('Ada Example'),
  'Björn Sample': theirsOf('Björn Sample'),
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
