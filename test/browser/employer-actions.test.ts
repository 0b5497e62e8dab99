import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addressFromBytes,
  fetchSchedule,
  fetchVault,
  findVaultAddress,
  fromBase64,
  isOnCurve,
  toBase64,
} from '@payouts/client';
import { readPayroll } from '@payouts/payroll';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { expectAccessible } from '@payouts/testing/browser/axe';
import {
  type Colours,
  expectToFit,
  picture,
  type Screen,
  seeHeading,
  Visitors,
} from '@payouts/testing/browser/browser';
import { tasksOf } from '@payouts/testing/browser/tasks';
import { giveWallet, signIn } from '@payouts/testing/browser/wallet';
import { nameToken } from '@payouts/testing/token';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import {
  type Address,
  generateKeyPairSigner,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import type { Browser, Locator, Page } from 'playwright-core';
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
  await world.startCoordinator({ BROWSER_RPC_URL: world.urls.baseRpcUrl });
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
const says = (text: string | RegExp, on: Page = page) => on.getByText(text).first().waitFor();

const isFocused = (on: Locator): Promise<boolean> =>
  on.evaluate((element) => element === element.ownerDocument.activeElement);

/** Presses a button of the page, reads what will happen, and agrees to it. */
async function act(name: string, effect: string | RegExp, done: string): Promise<void> {
  await press(name);
  const dialog = page.getByRole('dialog', { name });
  await dialog.getByText(effect).first().waitFor();
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.getByText(done).waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
}

it('opens a vault and puts money into it, signed by the browser’s wallet', async () => {
  await says('You have no vault yet.');
  await page.getByLabel('Open a vault of a token: its mint').fill(mint);
  await press('Open a vault');
  const dialog = page.getByRole('dialog', { name: 'Open the vault' });
  await dialog.getByText('Opens your vault of USDC').waitFor();
  await dialog.getByRole('button', { name: 'Open the vault' }).click();
  await seeHeading(page, 'Vault of USDC');
  await page.getByLabel('Amount in USDC').fill('15,000.50');
  await act('Deposit', 'Moves 15,000.50 USDC from your wallet into your vault.', 'Deposited.');
  await page.getByText('15,000.50 USDC').first().waitFor();
  await expectAccessible(page, 'a vault');
  await expectToFit(page);
  await picture(page, 'employer-vault');
});

it('creates a payroll from a file, says what will happen, and it is paid', async () => {
  await page.goto(`${world.apiUrl}/#/mine`);
  await page.getByRole('link', { name: 'New payroll in USDC' }).click();
  await page.getByLabel('Open the payroll').setInputFiles(payroll('faulty.csv', ['1,000.00', 'ten']));
  await says(/Line 3: The amount is not a number/);
  await page.getByLabel('Open another file').setInputFiles(payroll('first.csv', ['1,000.00', '500.00', '250.00']));
  await says('Ada Example');
  await page.getByLabel('How often').selectOption('every hour');
  await page.getByLabel('Pay runs to promise').fill('3');
  await press('See what will happen');
  await says('Reserves 5,250.00 USDC of the 15,000.50 USDC available.');
  await expectAccessible(page, 'a new payroll');
  await expectToFit(page);
  await picture(page, 'employer-new-payroll');
  const [copy] = await Promise.all([page.waitForEvent('download'), press('Create the payroll')]);
  await says('Created and registered.');
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
  await expectToFit(page);
  await picture(page, 'employer-payroll');
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
  // How many files its directory has: a JSON file and a page for each, the totals and their digest.
  expect(bytes.readUInt16LE(bytes.lastIndexOf('PK\x05\x06') + 10)).toBe(3 * 2 + 2);
  expect(bytes.includes('window-0/totals.csv')).toBe(true);
  await picture(page, 'employer-payslips');
});

it('pauses, resumes, adds pay runs, and holds one person back', async () => {
  await act('Pause', 'No pay run is opened until you resume it; its reserve stays.', 'Paused.');
  await act('Resume', /Goes on with pay run 1, due .*(CET|GMT\+1)/, 'Goes on.');
  await act('Add pay runs', 'Reserves 1,750.00 USDC of the', 'Promised.');
  await page.getByRole('button', { name: 'Hold back Björn Sample' }).click();
  const dialog = page.getByRole('dialog', { name: 'Hold back' });
  await dialog.getByText(/500\.00 USDC a pay run, which go back to your vault instead/).waitFor();
  await picture(page, 'employer-hold');
  await dialog.getByRole('button', { name: 'Hold back', exact: true }).click();
  await dialog.getByText('Held back.').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: /^Release / }).waitFor();
  expect((await fetchSchedule(world.ledgers.base, schedule)).data.heldCount).toBe(1);
});

it('hands a transaction out to be signed elsewhere, and sends it when it comes back', async () => {
  await press('Pause');
  const dialog = page.getByRole('dialog', { name: 'Pause' });
  await dialog.getByRole('button', { name: 'Sign elsewhere' }).click();
  const wire = (await dialog.locator('.command code').textContent()) ?? '';
  await dialog.getByLabel('The signed transaction').fill(wire);
  await dialog.getByRole('button', { name: 'Send it' }).click();
  await dialog.getByText(/It is not signed by/).waitFor();
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
});

it('changes the list above a limit only when a second wallet has seen and approved it', async () => {
  await page.goto(`${world.apiUrl}/#/mine/vaults/${mint}`);
  await page.getByLabel('Whose wallet approves').fill(approver.address);
  await act('Name the approver', /Everything for an execution or a withdrawal is approved by/, 'Done.');
  await page.goto(`${world.apiUrl}/#/mine/${schedule}/change`);
  await page
    .getByLabel('Open the payroll')
    .setInputFiles(payroll('second.csv', ['1,400.00', undefined, '250.00', '1,300.00']));
  await says('Against the current list: 1 added, 1 removed, 1 up 40 %.');
  await says('Somebody new gets 2 times the usual 500.00 USDC or more: is that meant?');
  await says('1,000.00 → 1,400.00 USDC');
  await expectAccessible(page, 'a change of a list');
  await expectToFit(page);
  await picture(page, 'employer-change');
  await press('Propose the list');
  await says('Proposed and registered.');
  const [proposal] = await Promise.all([page.waitForEvent('download'), press('Save the proposal')]);

  const second = await visitor(approver);
  await second.getByRole('link', { name: /^Payroll / }).click();
  await second.getByLabel('Open the proposal').setInputFiles(await proposal.path());
  await says('The file is the list that waits: it rebuilds its root on the ledger.', second);
  await says('Dmitri Obrazets', second);
  await says('added, above the usual', second);
  await expectAccessible(second, 'a proposal');
  await expectToFit(second);
  await picture(second, 'approver-proposal');
  const before = (await fetchSchedule(world.ledgers.base, schedule)).data.amount;
  await press('Approve', second);
  await says('Approved.', second);
  expect([before, (await fetchSchedule(world.ledgers.base, schedule)).data.amount]).toEqual([
    1_750n * UNIT,
    2_950n * UNIT,
  ]);
  await second.context().close();
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
  await picture(page, 'employer-withdrawal');
  await second.getByLabel('The transaction').fill(wire);
  await press('See what it does', second);
  await says(`Takes 100.25 USDC out of the vault of ${employer.address}, to their own wallet.`, second);
  await expectAccessible(second, 'a withdrawal to approve');
  await expectToFit(second);
  await picture(second, 'approver-withdrawal');
  await press('Approve', second);
  await says('Approved. The money is in the employer’s wallet.', second);
  await dialog.getByText('Withdrawn.').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  const vault = await findVaultAddress(employer.address, mint);
  expect((await fetchVault(world.ledgers.base, vault)).data.withdrawn).toBe((10_025n * UNIT) / 100n);

  await act('Remove the approver', 'Nobody else approves any more.', 'Done.');
  await second.goto(`${world.apiUrl}/#/mine`);
  await press('Look at the change', second);
  const change = second.getByRole('dialog', { name: 'Confirm the change' });
  await change.getByText(/A change waits: No approver any more/).waitFor();
  await change.getByRole('button', { name: 'Confirm the change' }).click();
  await change.getByText('Done.').waitFor();
  expect((await fetchVault(world.ledgers.base, vault)).data.approval).toBe(0);
  await second.context().close();
});

/** Lines of a large payroll, and what its preview may take: milliseconds of the tab's processor, of its longest task, and megabytes. */
const LARGE = 80_000;
const MOST_MS = 5_000;
const MOST_TASK_MS = 100;
const MOST_MB = 500;

/** Addresses that are on the curve, as wallets' are. */
function manyAddresses(count: number): string[] {
  const found: string[] = [];
  while (found.length < count) {
    const bytes = new Uint8Array(randomBytes(32));
    if (isOnCurve(bytes)) found.push(addressFromBytes(bytes));
  }
  return found;
}

/** What the largest tab of the browser has used, its threads included: megabytes, and milliseconds of the processor. */
async function tabUse(): Promise<{ readonly megabytes: number; readonly ms: number }> {
  const session = await (page.context().browser() as Browser).newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const tabs = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id, cpuTime }) => {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      return { megabytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024, ms: cpuTime * 1_000 };
    });
  return tabs.sort((one, other) => other.megabytes - one.megabytes)[0] ?? { megabytes: 0, ms: 0 };
}

it('previews 80,000 lines within five seconds, and answers meanwhile', async () => {
  const large = join(world.folder, 'large.csv');
  const lines = manyAddresses(LARGE).map((address, line) => `Person ${line},${address},${100 + (line % 900)}.25`);
  writeFileSync(large, ['name,recipient,amount', ...lines].join('\n'));
  const tab = await visitor(employer, `mine/new/${mint}`);
  await tab.getByLabel('Open the payroll').waitFor();
  const { longest } = await tasksOf(tab, async () => {
    await tab.getByLabel('Open the payroll').setInputFiles(large);
    await says('Person 0', tab);
    await tab.getByRole('region', { name: '80,000 lines of the payroll' }).focus();
    await tab.keyboard.press('End');
    await says('Person 79999', tab);
  });
  const { megabytes, ms } = await tabUse();
  expect(longest).toBeLessThan(MOST_TASK_MS);
  expect(ms).toBeLessThan(MOST_MS);
  expect(megabytes).toBeLessThan(MOST_MB);
  await picture(tab, 'employer-large', false);
  await tab.context().close();
});

it('cancels and closes a payroll, and its reserve is available again', async () => {
  await page.goto(`${world.apiUrl}/#/mine/${schedule}`);
  await act('Cancel for good', /Ends it for good: 3 pay runs are not paid/, 'Cancelled.');
  await press('Close the payroll');
  const dialog = page.getByRole('dialog', { name: 'Close the payroll' });
  await dialog.getByText(/^Removes/).waitFor();
  await dialog.getByRole('button', { name: 'Close the payroll' }).click();
  await says('Closed. Its rent has come back.');
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

it('is read on a phone and in the dark, and asked nobody but the coordinator and the ledger', async () => {
  for (const [place, heading] of [
    ['mine', 'My payrolls'],
    [`mine/vaults/${mint}`, 'Vault of USDC'],
    [`mine/new/${mint}`, 'New payroll'],
  ] as const) {
    const phone = await visitor(employer, place, { screen: 'phone', colours: 'dark' });
    await seeHeading(phone, heading);
    await phone
      .getByRole('status')
      .getByText(/^(Reading|Connecting)/)
      .first()
      .waitFor({ state: 'detached' });
    await expectAccessible(phone, `${heading} on a phone, in the dark`);
    await expectToFit(phone);
    await picture(phone, `employer-${heading.replaceAll(' ', '-').toLowerCase()}-phone-dark`);
    await phone.context().close();
  }
  expect(visitors.complaints).toEqual([]);
});
