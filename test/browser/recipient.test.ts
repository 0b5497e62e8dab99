import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreateKey, walletTokens } from '@payouts/cli';
import { freshWalletsMessage, freshWalletsOf } from '@payouts/client';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { expectToFit, picture, seeHeading, Visitors } from '@payouts/testing/browser/browser';
import { giveWallet, type TestWallet } from '@payouts/testing/browser/wallet';
import { payoutHere } from '@payouts/testing/payout';
import { nameToken } from '@payouts/testing/token';
import { freshWallet, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, getBase58Encoder, type KeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

const UNIT = 1_000_000n;
const GRACE = 86_400;
const PHONE = { width: 375, height: 812 };
const DESK = { width: 1_280, height: 900 };

let world: World;
let visitors: Visitors;
let employer: Employer;
let me: KeyPairSigner;
let helper: KeyPairSigner;
let page: Page;
let wallet: TestWallet;

const file = (name: string) => join(world.folder, name);
/** Waits for a text; fails the test with what the page says if it does not come. */
async function see(text: string | RegExp): Promise<void> {
  await page
    .getByText(text)
    .first()
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`no ${text}, but: ${await said()}`, { cause });
    });
}

const said = async () => (await page.locator('main').textContent()) ?? '';
const lamportsOf = async (address: Address): Promise<bigint> =>
  (await world.ledgers.base.getBalance(address, { commitment: 'finalized' }).send()).value;
const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
const go = (view: string) => page.getByRole('navigation').getByRole('link', { name: view }).click();

/** What a person looks at: nothing that axe finds in either theme, nothing wider than a phone's or a desk's screen. */
async function look(name: string): Promise<void> {
  await expectAccessible(page, name);
  await expectToFit(page);
  await picture(page, `recipient-${name}`);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await expectAccessible(page, `${name} in the dark`);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(DESK);
  await expectToFit(page);
  await page.setViewportSize(PHONE);
}

/** Saves what a button saves; returns the file. */
async function saved(button: () => Promise<void>, name: string): Promise<string> {
  const download = page.waitForEvent('download');
  await button();
  await (await download).saveAs(file(name));
  return file(name);
}

beforeAll(async () => {
  [world, visitors] = await Promise.all([World.start(), Visitors.open()]);
  await world.startCoordinator({ BROWSER_RPC_URL: world.urls.baseRpcUrl });
  me = await generateKeyPairSigner();
  helper = await readOrCreateKey(file('helper.json'));
  await world.fund(helper.address);
  const payees = [{ recipient: me.address, amount: 2_501n * UNIT }, ...(await variedPayees(3, UNIT))];
  employer = await world.employer(payees, { calendar: { unit: 'weeks', every: 4, day: 0 }, executions: 12 });
  await nameToken(world, employer.mint, 'USDC');
  await world.registerAndSettle(employer);
  page = await visitors.visit(world.apiUrl, {
    path: '/recipient/',
    screen: 'phone',
    ledgers: [world.urls.baseRpcUrl],
    before: async (fresh) => {
      wallet = await giveWallet(fresh, me);
      await giveWallet(fresh, helper, 'Helper');
    },
  });
});
afterAll(() => visitors?.close());

it('shows what is theirs to whoever signs in with the wallet that is paid', async () => {
  await seeHeading(page, 'My pay', { level: 1 });
  await look('sign-in');
  wallet.answer = 'refuses';
  await press('Test Wallet');
  await see('You refused it in Test Wallet. Nothing was done.');
  wallet.answer = 'signs';
  // By the keyboard alone.
  await page.getByRole('button', { name: 'Test Wallet' }).focus();
  await page.keyboard.press('Enter');
  await see('2,501.00 USDC');
  await look('money');
  expect(wallet.texts).toHaveLength(2);
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
  expect(kept).not.toMatch(new RegExp(`2,?501|${me.address}`));
});

it('takes money out to a fresh wallet, with what others can tell by it, and without SOL', async () => {
  const { address: to } = await (await freshWalletsOf(me)).at(0);
  const texts = wallet.texts.length;
  await page.getByRole('link', { name: 'Take out USDC' }).click();
  await press('Check');
  await see('Enter an amount.');
  await page.getByLabel('Amount in USDC').fill('9,000');
  await see('You can take out 2,501.00 USDC at most.');
  await look('withdraw-wrong');
  await page.getByLabel('Amount in USDC').fill('1,234.50');
  await press('Check');
  await see(`your fresh wallet 0, ${to}`);
  const forWallets = new TextDecoder().decode(freshWalletsMessage());
  expect(wallet.texts.slice(texts)).toEqual([forWallets, forWallets]);
  await see('Few others take out the same amount');
  await page.getByLabel('Amount in USDC').fill('1,000');
  expect(await page.getByText('Few others take out the same amount').count()).toBe(0);
  await page.getByLabel('At once').check();
  await see('It leaves at once');
  await see('1,501.00 USDC stay in your private balance.');
  await look('withdraw');
  await press('Take out 1,000.00 USDC');
  await see('1,000.00 USDC paid');
  expect(await walletTokens(world.ledgers, to, employer.mint)).toBe(1_000n * UNIT);
  expect(wallet.transactions).toEqual([]);
});

it('cancels what waits for its time, and sends it elsewhere', async () => {
  await go('Money');
  await page.getByRole('link', { name: 'Take out USDC' }).click();
  await page.getByLabel('Amount in USDC').fill('500');
  await page.getByLabel('Another wallet').check();
  await page.getByLabel('To wallet').fill(await freshWallet());
  await press('Take out 500.00 USDC');
  await see('500.00 USDC will be paid');
  await go('Money');
  await see('Waits for its time');
  await see('1,001.00 USDC');
  await look('waiting');
  await press('Cancel');
  await expectAccessible(page, 'a withdrawal to be cancelled');
  await press('Cancel the withdrawal');
  await see('1,501.00 USDC');
  await page.getByText('Waits for its time').waitFor({ state: 'detached' });
});

it('shows their fresh wallets, as the command finds them, and saves the key of one', async () => {
  await page.goto(`${world.apiUrl}/recipient/#/wallets`);
  const row = await freshWalletsOf(me);
  await press('Show them');
  await see((await row.at(0)).address);
  await look('wallets');
  const key = await saved(() => press(/^File.*of wallet 0$/), 'wallet.json');
  expect(Uint8Array.from(JSON.parse(readFileSync(key, 'utf8')) as number[])).toEqual(await row.keyOf(0));
  const text = await saved(() => press(/^Text.*of wallet 0$/), 'wallet.txt');
  expect(getBase58Encoder().encode(readFileSync(text, 'utf8'))).toEqual(await row.keyOf(0));
  await go('Money');
});

it('sets a standing order and a recovery wallet, and ends the order', async () => {
  await page.getByRole('link', { name: 'Set a standing order' }).click();
  await page.getByLabel('When the balance reaches, in USDC').fill('5,000');
  await page.getByLabel(/^Send at a time/).fill('1,000');
  await page.getByLabel('To wallet').fill(await freshWallet());
  await press('Set the standing order');
  await see('From 5,000.00 USDC on, 1,000.00 USDC go out at a time');
  await look('order');
  await press('End it');
  await see('The standing order has ended.');
  await go('Safety');
  await page.getByRole('textbox', { name: 'Recovery wallet' }).fill(helper.address);
  await press('Name it');
  await see('who needs this address of the balance');
  await look('safety');
});

it('saves a payslip, and verifies it without a network', async () => {
  await go('History');
  await see('+2,501.00 USDC');
  await look('history');
  const payslip = await saved(() => press(/^JSON/), 'payslip.json');
  const drawn = await saved(() => press(/^PDF/), 'payslip.pdf');
  await go('Payslips');
  const drop = page.getByLabel('Open a payslip (PDF or JSON)');
  await drop.setInputFiles(drawn);
  await see('This payslip is sound.');
  await page.context().setOffline(true);
  await drop.setInputFiles(payslip);
  await see('This payslip is sound.');
  await page.getByText('2,501.00 USDC').waitFor();
  await look('payslip');
  writeFileSync(file('forged.json'), readFileSync(payslip, 'utf8').replace('2501000000', '2601000000'));
  await drop.setInputFiles(file('forged.json'));
  await see('This payslip does not hold.');
  await drop.setInputFiles(file('helper.json'));
  await see(/This is no payslip/);
  await page.context().setOffline(false);
});

it('is read by the dark theme on a desktop, too', async () => {
  const desk = await visitors.visit(world.apiUrl, { path: '/recipient/', colours: 'dark' });
  await seeHeading(desk, 'My pay', { level: 1 });
  await desk.getByText('No wallet was found in this browser.').waitFor();
  await expectAccessible(desk, 'the recipients’ page in the dark');
  await expectToFit(desk);
  await picture(desk, 'recipient-dark-desktop');
});

it('is paid by the proof file when layer and coordinator are gone, another wallet paying the fee', async () => {
  await go('Safety');
  const proof = await saved(() => press('Save the proof file'), 'proof.json');
  await see('Saved. Keep it where you keep private files.');
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await world.stopCoordinator();
  await world.localnet.killLayer();
  const keys = (name: string) => join(world.folder, 'keys', `${name}.json`);
  const declared = await payoutHere(
    { PAYOUT_RPC: world.urls.baseRpcUrl, NO_COLOR: '1' },
    ...['governance', 'declare-loss', '--keypair', keys('admin'), '--guardian-keypair', keys('guardian'), '--yes'],
  );
  expect(declared.code, declared.err).toBe(0);

  await page.getByRole('link', { name: 'Use a proof file' }).first().click();
  await seeHeading(page, 'Use a proof file', { level: 1 });
  await page.getByLabel('Open the proof file').setInputFiles(proof);
  await page.getByLabel('Address of a node of the ledger (RPC)').fill(world.urls.baseRpcUrl);
  await press('Look what is due');
  await see('The execution layer is declared lost.');
  await see('1,501.00 USDC');
  await world.localnet.admin.advanceClock(GRACE + 1);
  await press('Look what is due');
  await page.getByLabel('Wallet that the employer paid').selectOption('Test Wallet');
  await page.getByLabel('Wallet that pays the ledger’s fee').selectOption('Helper');
  await press('Show what it takes');
  await see('What will happen');
  const [, cost = ''] = /Helper pays ([\d.]+) SOL/.exec(await said()) ?? [];
  const before = await lamportsOf(helper.address);
  await look('redeem');
  await press('Take it out');
  await see('Your money is in your wallet.');
  expect(await walletTokens(world.ledgers, me.address, employer.mint)).toBe(1_501n * UNIT);
  expect(Number(before - (await lamportsOf(helper.address))) / 1e9).toBe(Number(cost));
  expect(wallet.transactions).toHaveLength(1);
  await press('Look what is due');
  await see('This balance was taken out already.');
});

it('asked nobody else for anything, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
