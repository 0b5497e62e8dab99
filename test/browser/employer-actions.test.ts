import { appendFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { deposit } from '@payouts/cli';
import {
  allDates,
  fetchSchedule,
  fetchVault,
  findTokenAddress,
  findVaultAddress,
  fromBase64,
  sendToBase,
  timeOfDate,
  toBase64,
  verifyWebhook,
} from '@payouts/client';
import { listText } from '@payouts/employer';
import { payDayText } from '@payouts/employer/payDays';
import { readPayroll } from '@payouts/payroll';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { type Colours, type Screen, seeHeading, Visitors, waitForText } from '@payouts/testing/browser/browser';
import { giveWallet, signIn } from '@payouts/testing/browser/wallet';
import { serveLoopback } from '@payouts/testing/loopback';
import { nameToken } from '@payouts/testing/token';
import { freshWallet, variedPayees } from '@payouts/testing/wallets';
import { HOUR, inSeconds, World } from '@payouts/testing/world';
import {
  type Address,
  generateKeyPairSigner,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import { getTransferInstruction } from '@solana-program/token';
import type { Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const PEOPLE = ['Ada Example', 'Björn Sample', 'Chiara Prova', 'Dmitri Obrazets'];

let world: World;
let visitors: Visitors;
let employer: KeyPairSigner;
let approver: KeyPairSigner;
let mint: Address;
let people: Address[];
let page: Page;
let schedule: Address;

beforeAll(async () => {
  [world, visitors] = await Promise.all([World.shared(), Visitors.open()]);
  await world.startCoordinator({ BROWSER_RPC_URL: world.urls.baseRpcUrl, WEBHOOK_ALLOW_PRIVATE: 'true' });
  [employer, approver] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  mint = await world.giveToken(employer.address, 20_000n * UNIT);
  await nameToken(world, mint, 'USDC');
  await world.fund(approver.address);
  people = await Promise.all(PEOPLE.map(() => freshWallet()));
  page = await visitor(employer);
});
afterAll(() => visitors?.close());

async function visitor(
  wallet: KeyPairSigner,
  place = 'mine',
  how: { screen?: Screen; colours?: Colours } = {},
): Promise<Page> {
  const opened = await visitors.visit(world.apiUrl, {
    ...how,
    place,
    ledgers: [world.urls.baseRpcUrl],
    before: async (fresh) => {
      await giveWallet(fresh, wallet);
    },
  });
  await signIn(opened);
  return opened;
}

/** A payroll file of the first people, with these amounts. */
function payroll(name: string, amounts: readonly (string | undefined)[]): string {
  const file = join(world.folder, name);
  const lines = amounts.flatMap((amount, at) =>
    amount === undefined ? [] : [`${PEOPLE[at]},${people[at]},"${amount}"`],
  );
  writeFileSync(file, ['name,recipient,amount', ...lines].join('\n'));
  return file;
}

const press = (name: string | RegExp, on: Page = page) => on.getByRole('button', { name, exact: true }).click();
const says = (text: string | RegExp, on: Page = page): Promise<void> => waitForText(on, text);

const isFocused = (on: Locator): Promise<boolean> =>
  on.evaluate((element) => element === element.ownerDocument.activeElement);

/** Presses a button of the page, reads what will happen, and agrees to it. */
async function act(name: string, effect: string | RegExp, done: string, on: Page = page): Promise<void> {
  await press(name, on);
  await agree(name, effect, done, on);
}

async function agree(name: string, effect: string | RegExp, done: string, on: Page = page): Promise<void> {
  const dialog = on.getByRole('dialog', { name });
  await dialog.getByText(effect).first().waitFor();
  await expectAccessible(on, `employer-${name}`);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.getByText(done).waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
}

it('opens a vault and puts money into it, signed by the browser’s wallet', async () => {
  await page.goto(`${world.apiUrl}/#/mine/webhooks`);
  await says('This wallet owns no payroll here, so there is nothing to be told of.');
  await expectAccessible(page, 'webhooks-of-nobody');
  await page.goto(`${world.apiUrl}/#/mine`);
  await says('You have no vault yet.');
  await expectAccessible(page, 'employer-no-vault');
  await page.getByLabel('Open a vault of a token: its mint').fill(mint);
  await press('Open a vault');
  const dialog = page.getByRole('dialog', { name: 'Open the vault' });
  await dialog.getByText('Opens your vault of USDC').waitFor();
  await expectAccessible(page, 'employer-open-vault');
  await dialog.getByRole('button', { name: 'Open the vault' }).click();
  await seeHeading(page, 'Vault of USDC');
  await page.getByLabel('Amount in USDC').fill('15,000.50');
  await act('Deposit', 'Moves 15,000.50 USDC from your wallet into your vault.', 'Deposited.');
  await page.getByText('15,000.50 USDC').first().waitFor();
  await expectAccessible(page, 'a vault');
});

const isKept = "Object.keys(localStorage).some((name) => name.startsWith('payouts.sent.'))";

it('goes on after a reload with what was being sent, once, and says what became of it', async () => {
  const tab = await visitor(employer, `mine/vaults/${mint}`);
  let ledger: 'takes nothing' | 'is out of reach' | 'answers' = 'takes nothing';
  // The ledger gets nothing before the page was left.
  await tab.route(
    ({ origin }) => origin === new URL(world.urls.baseRpcUrl).origin,
    (route) => {
      if (ledger === 'is out of reach') return route.abort();
      const isSend = route.request().postData()?.includes('"sendTransaction"') === true;
      return ledger === 'answers' || !isSend ? route.fallback() : undefined;
    },
  );
  await tab.getByLabel('Amount in USDC').fill('10');
  await press('Deposit', tab);
  await tab.getByRole('dialog').getByRole('button', { name: 'Deposit', exact: true }).click();
  await expect.poll(() => tab.evaluate(isKept)).toBe(true);
  ledger = 'is out of reach';
  await tab.reload({ waitUntil: 'commit' });
  await says('It is not known what became of what was being sent when this page was left.', tab);
  await expectAccessible(tab, 'a transaction that nobody can ask about');
  ledger = 'answers';
  await press('Look again', tab);
  await says('Deposit: It is done: the ledger has it.', tab);
  expect(await tab.evaluate(isKept)).toBe(false);
  await signIn(tab);
  await says('15,010.50 USDC', tab);
  await expectAccessible(tab, 'what became of a transaction');
  await tab.getByRole('main').getByRole('button', { name: 'Close', exact: true }).click();
  await tab.getByText('Deposit: It is done').waitFor({ state: 'detached' });
  await tab.context().close();
});

it('creates a payroll from a file, says what will happen, and it is paid', async () => {
  await page.goto(`${world.apiUrl}/#/mine`);
  await page.getByRole('link', { name: 'New payroll in USDC' }).click();
  await page.getByLabel('Open the payroll').setInputFiles(payroll('faulty.csv', ['1,000.00', 'ten']));
  await says(/Line 3: The amount is not a number/);
  await expectAccessible(page, 'employer-faulty-file');
  await page.getByLabel('Open another file').setInputFiles(payroll('first.csv', ['1,000.00', '500.00', '250.00']));
  await says('Ada Example');
  await page.getByLabel(/^On/).selectOption('the last business day');
  await page.getByLabel('Pay runs to promise').fill('8');
  await press('See what will happen');
  await page.getByRole('heading', { name: 'All pay days, in your time' }).waitFor();
  await expect.poll(() => page.locator('.days li').count()).toBe(8);
  await page.getByLabel('How often').selectOption('every hour');
  await page.getByLabel(/^End/).selectOption('no end, until you cancel it');
  await page.getByLabel('Pay runs to keep reserved').fill('2');
  await press('See what will happen');
  await says('Reserves 3,500.00 USDC of the 15,010.50 USDC available.');
  await says(/^Keeps 2 pay runs reserved: when one opens, the next is reserved/);
  await expectAccessible(page, 'a new payroll without an end');
  await page.getByLabel(/^End/).selectOption('after the pay runs promised');
  await page.getByLabel('Pay runs to promise').fill('3');
  await press('See what will happen');
  await says('Reserves 5,250.00 USDC of the 15,010.50 USDC available.');
  await expectAccessible(page, 'a new payroll');
  const [copy] = await Promise.all([page.waitForEvent('download'), press('Create the payroll')]);
  await says('Created and registered.');
  await expectAccessible(page, 'employer-created');
  const kept = JSON.parse(await readFile(await copy.path(), 'utf8')) as { schedule: Address; recipients: unknown[] };
  schedule = kept.schedule;
  expect(kept.recipients).toHaveLength(3);
  expect(copy.suggestedFilename()).toMatch(new RegExp(`^${schedule}-[0-9a-f]{64}\\.json$`));
  await page.getByRole('link', { name: 'To the payroll' }).click();
  await page.getByText('1,750.00 USDC to 3 people').waitFor();
  await expect
    .poll(async () => (await fetchSchedule(world.ledgers.base, schedule)).data.paidTotal, { timeout: 60_000 })
    .toBe(1_750n * UNIT);
  await says('1,750.00 USDC', page);
  await expectAccessible(page, 'an own payroll');
});

it('saves the list as CSV, which is read again, and all payslips, verified, as one file', async () => {
  const [list] = await Promise.all([page.waitForEvent('download'), press('Save the list as CSV')]);
  expect(list.suggestedFilename()).toBe(`${schedule}.csv`);
  const { lines, names } = await readPayroll(await readFile(await list.path()), { decimals: SAMPLE_DECIMALS });
  const expected = [1_000n, 500n, 250n].map((amount, at) => [people[at], amount * UNIT, PEOPLE[at]]);
  const read = lines.map(({ recipient, amount }) => [recipient, amount, names.get(recipient)]);
  expect(new Map(read.map((line) => [line[0], line]))).toEqual(new Map(expected.map((line) => [line[0], line])));
  await page.getByLabel('with names, labels and notes').uncheck();
  const [bare] = await Promise.all([page.waitForEvent('download'), press('Save the list as CSV')]);
  expect(await readFile(await bare.path(), 'utf8')).not.toContain(PEOPLE[0]);

  await page.getByLabel(/^Payslips of/).selectOption('0', { timeout: 60_000 });
  await page.getByRole('heading', { name: 'Payslips' }).scrollIntoViewIfNeeded();
  await expectAccessible(page, 'payslips of a payroll');
  const [archive] = await Promise.all([page.waitForEvent('download'), press('Save the payslips')]);
  await says('Saved. Keep it where you keep private files.');
  expect(archive.suggestedFilename()).toBe(`payslips-${schedule}-0.zip`);
  const bytes = await readFile(await archive.path());
  const isExport = ({ pathname }: URL) => pathname.endsWith(`/payslips/0`);
  await page.route(isExport, (route) => route.fulfill({ contentType: 'application/x-ndjson', body: '' }));
  await press('Save the payslips');
  await says(/^The payslips were not saved: /);
  await expectAccessible(page, 'payslips that are not all there');
  await page.unroute(isExport);
  // How many files its directory has: a JSON file and a page for each, the totals and their digest.
  expect(bytes.readUInt16LE(bytes.lastIndexOf('PK\x05\x06') + 10)).toBe(3 * 2 + 2);
  expect(bytes.includes('window-0/totals.csv')).toBe(true);
});

it('has a program told of a payroll: adds a webhook, tries it, sends again, makes a new secret and removes it', async () => {
  const messages: { readonly headers: Record<string, string>; readonly body: string }[] = [];
  let answer = 500;
  const receiver = await serveLoopback(async (request, response) => {
    messages.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(answer).end();
  });
  const { url } = receiver;
  const changes: Request[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' && request.url().includes('/webhooks')) changes.push(request);
  });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await says('Nobody is told of this payroll.');
  await expectAccessible(page, 'webhooks-none');
  await press('Add a webhook');
  const adding = page.getByRole('dialog', { name: 'Add a webhook' });
  await adding.getByLabel('Address of your receiver, https').fill(url);
  await adding.getByLabel('a pay run is open').uncheck();
  await expectAccessible(page, 'webhook-add');
  await adding.getByRole('button', { name: 'See what will happen' }).click();
  await adding.getByText(`Tells ${url} of this payroll: run.held, run.exhausted`).waitFor();
  await adding.getByRole('button', { name: 'Add the webhook' }).click();
  const secretIn = async (dialog: Locator) => {
    await dialog.getByText('Give the secret to your receiver now: it is not shown again.').waitFor();
    return (await dialog.locator('.command code').textContent()) ?? '';
  };
  const secret = await secretIn(adding);
  await adding.getByRole('button', { name: 'Close', exact: true }).click();
  await press(`Deliveries to ${url}`);
  await says('Nothing was sent so far.');
  await expectAccessible(page, 'webhook-unused');

  const test = () => press(`Send a test to ${url}`);
  await test();
  await says('The test did not arrive.');
  await says('failed · refused 500');
  await expectAccessible(page, 'webhook-test-failed');
  answer = 204;
  await test();
  await says('The test arrived.');
  await says('delivered · delivered 204');
  await expectAccessible(page, 'webhook-deliveries');
  const ids = () => messages.map(({ headers }) => headers['webhook-id']);
  const [failed = ''] = ids();
  await press(`Send again: webhook.test ${failed}`);
  await agree('Send again', `Sends the message ${failed}`, 'Sent again: 1 message.');
  await expect.poll(() => ids().filter((id) => id === failed).length).toBe(2);
  await page.getByLabel('All messages of the last').selectOption('hour');
  await press('Send them again');
  const again = page.getByRole('dialog', { name: 'Send again' });
  await again.getByText(/^Sends all messages since/).waitFor();
  await again.getByRole('button', { name: 'Send again' }).click();
  await again.getByText('Sent again: 2 messages.').waitFor();
  await again.getByRole('button', { name: 'Close', exact: true }).click();
  await expect.poll(() => ids().length).toBe(5);
  expect(new Set(ids()).size).toBe(2);
  for (const message of messages) expect(verifyWebhook({ ...message, secret }).type).toBe('webhook.test');

  await press(`New secret for ${url}`);
  const renewing = page.getByRole('dialog', { name: 'Make a new secret' });
  await renewing.getByText('the old one signs as well for a day').waitFor();
  await renewing.getByRole('button', { name: 'Make a new secret' }).click();
  const renewed = await secretIn(renewing);
  await renewing.getByText('The old one signs as well until').waitFor();
  expect(renewed).toMatch(/^whsec_/);
  expect(renewed).not.toBe(secret);
  await expectAccessible(page, 'webhook-new-secret');
  await renewing.getByRole('button', { name: 'Close', exact: true }).click();
  await press(`Remove ${url}`);
  const removing = page.getByRole('dialog', { name: 'Remove the webhook' });
  await removing.getByText('what waits is not sent').waitFor();
  await removing.getByRole('button', { name: 'Remove the webhook' }).click();
  await removing.getByText('Removed.').waitFor();
  await expectAccessible(page, 'webhook-removed');
  await removing.getByRole('button', { name: 'Close', exact: true }).click();
  await says('Nobody is told of this payroll.');
  await tellsPeople();
  // Added, tested twice, sent again twice, renewed, removed: by the wallet's own signature, and none by the session's.
  expect(changes.map((request) => request.headers()['payouts-delegation'])).toEqual(Array(7).fill(undefined));
  await page.goto(`${world.apiUrl}/#/mine/${schedule}`);
  await receiver.stop();
});

/** Adds a chat that is told of the payroll, and removes it. */
async function tellsPeople(): Promise<void> {
  const chat = await serveLoopback(async (_, response) => response.writeHead(200).end());
  await says('No person is told of this payroll.');
  await page.getByLabel(/^E-mail address/).fill(chat.url);
  await press('Add e-mail or chat');
  const adding = page.getByRole('dialog', { name: 'Add e-mail or chat' });
  await adding.getByText(`Tells ${chat.url} of this payroll: everything.`).waitFor();
  await expectAccessible(page, 'notice-add');
  await adding.getByRole('button', { name: 'Add e-mail or chat' }).click();
  await adding.getByText('Added.').waitFor();
  await expectAccessible(page, 'notice-added');
  await adding.getByRole('button', { name: 'Close', exact: true }).click();
  await says('gets messages');
  await expectAccessible(page, 'notices');
  await press(`Remove ${chat.url}`);
  await agree('Remove the notice', 'and forgets it', 'Removed.');
  await says('No person is told of this payroll.');
  await chat.stop();
}

it('saves a month for the books as the ledger has it: a statement of account, and a journal', async () => {
  await page.goto(`${world.apiUrl}/#/mine/vaults/${mint}`);
  await press('Save the file');
  await says('Which currency the token stands for is not known');
  await page.getByLabel(/^Currency/).fill('USD');
  const [statement] = await Promise.all([page.waitForEvent('download'), press('Save the file')]);
  await says(/: from 0\.00 USDC to 13,260\.50 USDC, as on the ledger\./);
  expect(statement.suggestedFilename()).toMatch(/^\d{4}-\d\d-camt053\.xml$/);
  expect(await readFile(await statement.path(), 'utf8')).toContain('<Amt Ccy="USD">1750.00</Amt>');
  await page.getByLabel(/^File/).selectOption('journal for Xero');
  await page.getByLabel(/^Account of your wages/).fill('477');
  await page.getByLabel('Account that the vault has there').fill('090');
  await page.getByLabel('Tax rate of wages in Xero').fill('Tax Exempt');
  const [journal] = await Promise.all([page.waitForEvent('download'), press('Save the file')]);
  await says('1,750.00 USDC were paid in 1 pay run.');
  const rows = await readFile(await journal.path(), 'utf8');
  for (const row of [',477,Tax Exempt,1750.00', ',090,Tax Exempt,-1750.00']) expect(rows).toContain(row);
  for (const name of PEOPLE) expect(rows).not.toContain(name);
  await expectAccessible(page, 'a month for the books');
  await page.goto(`${world.apiUrl}/#/mine/${schedule}`);
});

it('pauses, resumes, adds pay runs, and holds one person back', async () => {
  await act('Pause', 'No pay run is opened until you resume it; its reserve stays.', 'Paused.');
  await act('Resume', /Goes on with pay run 1, due .*(CET|GMT\+1)/, 'Goes on.');
  await act('Add pay runs', 'Reserves 1,750.00 USDC of the', 'Promised.');
  const heldCount = async () => (await fetchSchedule(world.ledgers.base, schedule)).data.heldCount;
  await press('Hold back Björn Sample');
  await agree('Hold back', /500\.00 USDC a pay run, which go back to your vault instead/, 'Held back.');
  await page.getByRole('button', { name: 'Release Björn Sample' }).waitFor();
  expect(await heldCount()).toBe(1);
  await expectAccessible(page, 'employer-held');
  await press('Release Björn Sample');
  await agree('Release', /^Pays/, 'Released.');
  await page.getByRole('button', { name: 'Hold back Björn Sample' }).waitFor();
  expect(await heldCount()).toBe(0);
});

it('hands a transaction out to be signed elsewhere, and sends it when it comes back', async () => {
  await press('Pause');
  const dialog = page.getByRole('dialog', { name: 'Pause' });
  await dialog.getByRole('button', { name: 'Sign elsewhere' }).click();
  const wire = (await dialog.locator('.command code').textContent()) ?? '';
  await dialog.getByLabel('The signed transaction').fill(wire);
  await expectAccessible(page, 'employer-sign-elsewhere');
  await dialog.getByRole('button', { name: 'Send it' }).click();
  await dialog.getByText(/It is not signed by/).waitFor();
  await expectAccessible(page, 'employer-not-signed');
  await dialog.getByRole('button', { name: 'Sign elsewhere' }).click();
  const unsigned = getTransactionDecoder().decode(
    fromBase64((await dialog.locator('.command code').textContent()) ?? ''),
  );
  const signed = await partiallySignTransaction([employer.keyPair], unsigned);
  await dialog
    .getByLabel('The signed transaction')
    .fill(toBase64(new Uint8Array(getTransactionEncoder().encode(signed))));
  await dialog.getByRole('button', { name: 'Send it' }).click();
  await dialog.getByText('Paused.').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await page.goto(`${world.apiUrl}/#/schedules/${schedule}`);
  await says('The employer has paused this schedule.');
  await expectAccessible(page, 'schedule-paused');
});

it('changes the list above a limit only when a second wallet has seen and approved it', async () => {
  await page.goto(`${world.apiUrl}/#/mine/vaults/${mint}`);
  await page.getByLabel('Whose wallet approves').fill(approver.address);
  await act('Name the approver', /Everything for an execution or a withdrawal is approved by/, 'Done.');
  await page.goto(`${world.apiUrl}/#/mine/${schedule}/change`);
  const [, , until] = people;
  people[2] = await freshWallet();
  await page
    .getByLabel('Open the payroll')
    .setInputFiles(payroll('second.csv', ['1,400.00', undefined, '250.00', '1,300.00']));
  await says('Against the current list: 1 address changed, 1 raise of 40 %, 1 newcomer, 1 leaver.');
  await says('One person is paid at another address: have they told you so themselves?');
  const isMoved = new RegExp(`^${PEOPLE[2]}\\s*${until}\\s*${people[2]}$`);
  await page.getByRole('row', { name: isMoved }).waitFor();
  await says('Somebody new gets 2 times the usual 500.00 USDC or more: is that meant?');
  await says('1,000.00 → 1,400.00 USDC');
  await expectAccessible(page, 'a change of a list');
  await press('Propose the list');
  await says('Proposed and registered.');
  await expectAccessible(page, 'employer-proposed');
  const [proposal] = await Promise.all([page.waitForEvent('download'), press('Save the proposal')]);

  await page.getByRole('link', { name: 'To the payroll' }).click();
  await page.getByText('Something waits for the vault’s approver.').waitFor();
  await expectAccessible(page, 'employer-waiting');
  await page.getByRole('link', { name: 'See what waits, or take it back' }).click();
  await says('Another wallet approves this.');
  await expectAccessible(page, 'proposal-of-own');

  const second = await visitor(approver);
  await says('Waits for your approval', second);
  await expectAccessible(second, 'approver-waiting');
  await second.getByRole('link', { name: /^Payroll / }).click();
  await second.getByLabel('Open the proposal').setInputFiles(join(world.folder, 'second.csv'));
  await says('This is not what waits.', second);
  await expectAccessible(second, 'proposal-other-file');
  await second.getByLabel('Open the proposal').setInputFiles(await proposal.path());
  await says('The file is the list that waits: it rebuilds its root on the ledger.', second);
  await says('Dmitri Obrazets', second);
  await second.getByRole('row', { name: isMoved }).waitFor();
  await says('Newcomer, above the usual', second);
  await expectAccessible(second, 'a proposal');
  await press('Refuse it', second);
  await second.getByRole('dialog', { name: 'Refuse it' }).getByRole('listitem').first().waitFor();
  await expectAccessible(second, 'proposal-refuse');
  await second.keyboard.press('Escape');
  const before = (await fetchSchedule(world.ledgers.base, schedule)).data.amount;
  await press('Approve', second);
  await says('Approved.', second);
  await expectAccessible(second, 'proposal-approved');
  expect([before, (await fetchSchedule(world.ledgers.base, schedule)).data.amount]).toEqual([
    1_750n * UNIT,
    2_950n * UNIT,
  ]);
  await second.context().close();
});

it('takes a proposal back, and waits with what loosens its limits', async () => {
  await page.goto(`${world.apiUrl}/#/mine/${schedule}`);
  await act('Add pay runs', /Once approved: reserves/, 'Promised.');
  await page.getByRole('link', { name: 'See what waits, or take it back' }).click();
  await press('Take it back');
  const dialog = page.getByRole('dialog', { name: 'Take it back' });
  await dialog.getByRole('listitem').first().waitFor();
  await expectAccessible(page, 'proposal-take-back');
  await dialog.getByRole('button', { name: 'Take it back', exact: true }).click();
  await says('Taken back. What was approved before goes on.');

  await page.goto(`${world.apiUrl}/#/mine/vaults/${mint}`);
  await act('Remove the approver', 'Nobody else approves any more.', 'Done.');
  await press('Confirm the change');
  await page
    .getByRole('dialog', { name: 'Confirm the change' })
    .getByText(/You alone can confirm it from/)
    .waitFor();
  await expectAccessible(page, 'vault-change-waits');
  await page.keyboard.press('Escape');
});

it('takes money out above a limit only when a second wallet has signed, which also agrees to loosen the limit', async () => {
  await page.goto(`${world.apiUrl}/#/mine/vaults/${mint}`);
  const second = await visitor(approver);
  await second.getByRole('link', { name: 'Approve a withdrawal' }).click();
  await second.getByLabel('The transaction').fill('bm90aGluZw==');
  await press('See what it does', second);
  await says(/This is no withdrawal that an approver should sign/, second);
  await page.getByLabel('Amount in USDC').fill('100.25');
  await press('Withdraw');
  const dialog = page.getByRole('dialog', { name: 'Withdraw' });
  await dialog.getByText(`That is above what you may take out alone: ${approver.address} signs, too.`).waitFor();
  await dialog.getByRole('button', { name: 'Withdraw', exact: true }).click();
  const wire = (await dialog.locator('.command code').textContent()) ?? '';
  await expectAccessible(page, 'a withdrawal that waits for its approver');
  await second.getByLabel('The transaction').fill(wire);
  await press('See what it does', second);
  await says(`Takes 100.25 USDC out of the vault of ${employer.address}, to their own wallet.`, second);
  await expectAccessible(second, 'a withdrawal to approve');
  await press('Approve', second);
  await says('Approved. The money is in the employer’s wallet.', second);
  await expectAccessible(second, 'a withdrawal that was approved');
  await dialog.getByText('Withdrawn.').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  const vault = await findVaultAddress(employer.address, mint);
  expect((await fetchVault(world.ledgers.base, vault)).data.withdrawn).toBe((10_025n * UNIT) / 100n);

  // The approver's removal waits since the test before.
  await second.goto(`${world.apiUrl}/#/mine`);
  await press('Look at the change', second);
  const change = second.getByRole('dialog', { name: 'Confirm the change' });
  await change.getByText(/A change waits: No approver any more/).waitFor();
  await change.getByRole('button', { name: 'Confirm the change' }).click();
  await change.getByText('Done.').waitFor();
  expect((await fetchVault(world.ledgers.base, vault)).data.approval).toBe(0);
  await second.context().close();
});

it('gives the coordinator the copy of a list that it does not have, and replaces it', async () => {
  const other = await world.employer(await variedPayees(2, 2n * UNIT), { firstExecution: inSeconds(HOUR) });
  await nameToken(world, other.mint, 'EURC');
  const tab = await visitor(other.signer);
  await says('The coordinator knows nothing of these payrolls, so nobody is paid by them.', tab);
  await expectAccessible(tab, 'employer-unregistered');
  await tab.goto(`${world.apiUrl}/#/mine/${other.schedule}/change`);
  const twice = payroll('twice.csv', ['1.00', '1.00']);
  appendFileSync(twice, `\n${PEOPLE[0]},${people[0]},"1.00"`);
  await tab.getByLabel('Open the payroll').setInputFiles(twice);
  await says('Have a look at:', tab);
  await says('The coordinator does not show the current list, so nothing can be compared.', tab);
  await expectAccessible(tab, 'employer-nothing-to-compare');
  await tab.goto(`${world.apiUrl}/#/mine/${other.schedule}`);
  await says('The coordinator has not the list of this payroll, so nobody is paid.', tab);
  await expectAccessible(tab, 'employer-copy-wanted');
  const copy = join(world.folder, 'copy.json');
  writeFileSync(copy, listText(other.schedule, { ...other.list, names: new Map() }));
  await tab.getByLabel('Open your copy').setInputFiles(copy);
  await tab.getByRole('table', { name: 'Decrypted in this tab only' }).waitFor();
  await tab.goto(`${world.apiUrl}/#/mine/${other.schedule}/change`);
  await tab.getByLabel('Open the payroll').setInputFiles(payroll('other.csv', ['1.00', '1.00']));
  await press('Replace the list', tab);
  await says('Replaced and registered.', tab);
  await expectAccessible(tab, 'employer-replaced');
  await tab.context().close();
});

it('books what was sent to a vault without a deposit, takes it out and closes the vault', async () => {
  const { signer, mint: token, vault } = await world.payer();
  await nameToken(world, token, 'USDT');
  const [source, destination] = await Promise.all([
    findTokenAddress(signer.address, token),
    findTokenAddress(vault, token),
  ]);
  const transfer = getTransferInstruction({ source, destination, authority: signer, amount: 7n * UNIT });
  await sendToBase(world.ledgers, [transfer], signer);
  const tab = await visitor(signer, `mine/vaults/${token}`);
  await says('7.00 USDT were sent here without a deposit.', tab);
  await expectAccessible(tab, 'vault-surplus');
  await act('Book it', /7\.00 USDT/, 'Booked.', tab);
  await tab.getByLabel('Amount in USDT').fill('2.50');
  await act('Withdraw', /2\.50 USDT/, 'Withdrawn.', tab);
  await press('Close the vault', tab);
  const dialog = tab.getByRole('dialog', { name: 'Close the vault' });
  await dialog.getByText(/^Closes your vault of USDT/).waitFor();
  await expectAccessible(tab, 'vault-close');
  await dialog.getByRole('button', { name: 'Close the vault' }).click();
  await says('The vault is closed. What it held is in your wallet.', tab);
  await expectAccessible(tab, 'vault-closed');
  await tab.context().close();
});

/** An employer of their own with money in their vault, at the form of a new payroll. */
async function withVault(
  token: string,
  amount: bigint,
): Promise<{ readonly signer: KeyPairSigner; readonly tab: Page }> {
  const { signer, mint: own } = await world.payer();
  await nameToken(world, own, token);
  await deposit(world.ledgers, signer, own, amount);
  return { signer, tab: await visitor(signer, `mine/new/${own}`) };
}

/** Creates the payroll that was looked at; its copy has the schedule's address. */
async function created(tab: Page): Promise<{ readonly address: Address; readonly copy: string }> {
  const [saved] = await Promise.all([tab.waitForEvent('download'), press('Create the payroll', tab)]);
  await says('Created and registered.', tab);
  const copy = await saved.path();
  return { address: (JSON.parse(await readFile(copy, 'utf8')) as { schedule: Address }).schedule, copy };
}

const shownDays = (on: Page | Locator): Promise<string[]> => on.locator('.days li').allTextContents();

/** All dates that a schedule has on the ledger, in the words of the page. */
async function signedDays(address: Address): Promise<string[]> {
  const { data } = await fetchSchedule(world.ledgers.base, address);
  return allDates(data).map((date) => payDayText(timeOfDate(date), 'America/New_York'));
}

it('signs pay days by dates of a calendar', async () => {
  const { tab } = await withVault('PYUSD', 100n * UNIT);
  await tab.getByLabel('Open the payroll').setInputFiles(payroll('dated.csv', ['1.00', '0.50']));
  await tab.getByLabel('Pay days').selectOption('by dates');
  await tab.getByLabel('How often').selectOption('twice a month');
  await tab.getByLabel('And on').selectOption('the last day');
  await tab.getByLabel('Counted from (empty: today)').fill('2030-12-01');
  await tab.getByLabel('Time of day').fill('16:15');
  await tab.getByLabel('Time zone').selectOption('America/New_York');
  await tab.getByLabel('Public holidays').selectOption('United States of America');
  await tab.getByLabel('State or region').selectOption('New York');
  await tab.getByLabel('Pay runs to promise').fill('13');
  await press('See what will happen', tab);
  await tab.getByRole('heading', { name: 'All pay days, in America/New_York time' }).waitFor();
  const days = await shownDays(tab);
  // 15 December 2030 and 15 June 2031 are Sundays, 15 February 2031 is a Saturday.
  expect(days).toHaveLength(13);
  expect([days[0], days[1], days[4]]).toEqual([
    'Fri 13 Dec 2030 16:15',
    'Tue 31 Dec 2030 16:15',
    'Fri 14 Feb 2031 16:15',
  ]);
  await expectAccessible(tab, 'a new payroll by dates');
  await tab.getByLabel('Weekends and holidays').selectOption('are paid on the business day after');
  await press('See what will happen', tab);
  await expect.poll(async () => (await shownDays(tab))[0]).toBe('Mon 16 Dec 2030 16:15');
  await tab.getByLabel('Pay runs to promise').fill('3');
  await press('See what will happen', tab);
  await expect.poll(() => shownDays(tab)).toHaveLength(3);
  const first = await shownDays(tab);
  const { address } = await created(tab);
  expect(await signedDays(address)).toEqual(first);

  await tab.getByRole('link', { name: 'To the payroll' }).click();
  await press('Add pay runs', tab);
  const form = tab.getByRole('dialog', { name: 'Days of more pay runs' });
  await form.getByLabel('Pay runs to add').fill('2');
  await form.getByLabel('How often').selectOption('every few weeks');
  await form.getByLabel('Weeks between them').fill('2');
  await form.getByLabel('The first pay runs were counted from').fill('2030-12-02');
  await form.getByLabel('Time zone').selectOption('America/New_York');
  await expectAccessible(tab, 'days of more pay runs');
  await form.getByRole('button', { name: 'See what will happen' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Add pay runs' });
  await dialog.getByRole('heading', { name: 'All pay days, in America/New_York time' }).waitFor();
  const more = await shownDays(dialog);
  await agree('Add pay runs', 'Reserves 3.00 PYUSD of the 95.50 PYUSD available.', 'Promised.', tab);
  expect(await signedDays(address)).toEqual([...first, ...more]);
  await tab.context().close();
});

it('asks for the rate of each currency', async () => {
  const { signer, tab } = await withVault('EURC', 10_000n * UNIT);
  const file = join(world.folder, 'currencies.csv');
  const lines = [`Ada,${people[0]},"2,000.00",GBP`, `Ben,${people[1]},10,CHF`, `Cleo,${people[2]},5,`];
  writeFileSync(file, ['name,recipient,amount,currency', ...lines].join('\n'));
  await tab.getByLabel('Open the payroll').setInputFiles(file);
  await tab.getByLabel('1 GBP in EURC').fill('1,0834');
  await tab.getByLabel('1 CHF in EURC').fill('1.1');
  await tab.getByLabel(/^Where you have them from/).fill('ECB 2026-11-27');
  await press('Convert', tab);
  await says(/^A rate says how many tokens 1 of a currency is/, tab);
  await expectAccessible(tab, 'a rate that is none');
  await tab.getByLabel('1 GBP in EURC').fill('1.0834');
  await press('Convert', tab);
  await says('Converts 1 amount of 2,000.00 GBP in all, at 1 GBP = 1.0834 EURC (ECB 2026-11-27): 2,166.80 EURC.', tab);
  await tab.getByRole('row', { name: /^Ada.*2,000\.00 GBP\s*2,166\.80 EURC$/ }).waitFor();
  await tab.getByLabel('How often').selectOption('every hour');
  await tab.getByLabel('Pay runs to promise').fill('1');
  await press('See what will happen', tab);
  await says('Reserves 2,182.80 EURC of the 10,000.00 EURC available.', tab);
  await expectAccessible(tab, 'a new payroll with currencies');
  const { address, copy } = await created(tab);
  await tab.goto(`${world.apiUrl}/#/mine/${address}`);
  await tab.getByLabel(/^Payslips of/).selectOption('0', { timeout: 90_000 });
  await tab.getByLabel('Open a copy of the list').setInputFiles(copy);
  const [archive] = await Promise.all([tab.waitForEvent('download'), press('Save the payslips', tab)]);
  await says('2 payslips with your note on a currency.', tab);
  await expectAccessible(tab, 'payslips with notes');
  const bytes = await readFile(await archive.path());
  for (const note of ['"currency":"GBP"', '"rate":"1.0834"', `"issuer":"${signer.address}"`]) {
    expect(bytes.includes(note), note).toBe(true);
  }
  await tab.context().close();
});

it('cancels and closes a payroll, and its reserve is available again', async () => {
  await page.goto(`${world.apiUrl}/#/mine/${schedule}`);
  await act('Cancel for good', /Ends it for good: 3 pay runs are not paid/, 'Cancelled.');
  await page.goto(`${world.apiUrl}/#/mine`);
  await says('it has ended. Close it, and its rent comes back.');
  await expectAccessible(page, 'what needs attention');
  await page.goto(`${world.apiUrl}/#/mine/${schedule}`);
  await press('Close the payroll');
  const dialog = page.getByRole('dialog', { name: 'Close the payroll' });
  await dialog.getByText(/^Removes/).waitFor();
  await expectAccessible(page, 'payroll-close');
  await dialog.getByRole('button', { name: 'Close the payroll' }).click();
  await says('Closed. Its rent has come back.');
  await expectAccessible(page, 'payroll-closed');
});

it('is used with the keyboard alone', async () => {
  await page.goto(`${world.apiUrl}/#/mine/vaults/${mint}`);
  await seeHeading(page, 'Vault of USDC');
  await page.getByLabel('Amount in USDC').focus();
  await page.keyboard.type('1.25');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Deposit' });
  const agree = dialog.getByRole('button', { name: 'Deposit', exact: true });
  await agree.waitFor();
  for (let tabs = 0; tabs < 3 && !(await isFocused(agree)); tabs++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.getByText('Deposited.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
});

it('asks a stranger to sign in before it reads a vault', async () => {
  const stranger = await visitors.visit(world.apiUrl, { place: `mine/vaults/${mint}` });
  await says('Sign in with the wallet that owns the vault.', stranger);
  await expectAccessible(stranger, 'vault-of-a-stranger');
  await stranger.context().close();
});

it('asked nobody but the coordinator and the ledger, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
