import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchSchedule, fromBase64, toBase64 } from '@payouts/client';
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
import type { Locator, Page } from 'playwright-core';
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

const isKept = "Object.keys(localStorage).some((name) => name.startsWith('payouts.sent.'))";

it('goes on after a reload with what was being sent, once, and says what became of it', async () => {
  const tab = await visitor(employer, `mine/vaults/${mint}`);
  let isLeft = false;
  // The ledger gets nothing before the page was left.
  await tab.route(
    ({ origin }) => origin === new URL(world.urls.baseRpcUrl).origin,
    (route) => (isLeft || !route.request().postData()?.includes('"sendTransaction"') ? route.fallback() : undefined),
  );
  await tab.getByLabel('Amount in USDC').fill('10');
  await press('Deposit', tab);
  await tab.getByRole('dialog').getByRole('button', { name: 'Deposit', exact: true }).click();
  await expect.poll(() => tab.evaluate(isKept), { timeout: 30_000 }).toBe(true);
  await tab.reload({ waitUntil: 'commit' });
  isLeft = true;
  await says('Deposit: It is done: the ledger has it.', tab);
  expect(await tab.evaluate(isKept)).toBe(false);
  await signIn(tab);
  await says('15,010.50 USDC', tab);
  await expectAccessible(tab, 'what became of a transaction');
  await expectToFit(tab);
  await picture(tab, 'employer-resumed');
  await tab.getByRole('main').getByRole('button', { name: 'Close', exact: true }).click();
  await tab.getByText('Deposit: It is done').waitFor({ state: 'detached' });
  await tab.context().close();
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
  await says('Reserves 5,250.00 USDC of the 15,010.50 USDC available.');
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
  await says('Against the current list: 1 raise of 40 %, 1 newcomer, 1 leaver.');
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
  await says('Newcomer, above the usual', second);
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
