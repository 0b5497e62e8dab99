import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreateKey, sendAs, walletTokens } from '@payouts/cli';
import {
  fetchSchedule,
  freshWalletsMessage,
  freshWalletsOf,
  type ProvenBalance,
  paymentCodeOf,
  proofFileToJson,
  type RecipientBalance,
  RecipientClient,
  ScheduleStatus,
  systemTime,
} from '@payouts/client';
import { invite, invitingSession, takingOf, waitingFor } from '@payouts/employer';
import { freePorts } from '@payouts/localnet';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { seeHeading, Visitors } from '@payouts/testing/browser/browser';
import { giveWallet, signIn, type TestWallet } from '@payouts/testing/browser/wallet';
import { openWindow } from '@payouts/testing/claims';
import { printedBy, runCommand } from '@payouts/testing/command';
import { type MailServer, startMailServer } from '@payouts/testing/mailServer';
import { payoutHere } from '@payouts/testing/payout';
import { awayFromRound } from '@payouts/testing/rounds';
import { nameToken } from '@payouts/testing/token';
import { freshWallet, keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, getBase58Encoder, type KeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

const UNIT = 1_000_000n;
const GRACE = 86_400;

let world: World;
let visitors: Visitors;
let mailServer: MailServer;
let employer: Employer;
/** Of the same employer: its window is open, and nobody is paid by it, when the layer is lost. */
let open: Employer;
/** That employer's own page. */
let office: Page;
let me: KeyPairSigner;
let helper: KeyPairSigner;
/** Somebody else who is paid, and takes everything out. */
let other: KeyPairSigner;
let page: Page;
let wallet: TestWallet;

const file = (name: string) => join(world.folder, name);
/** Waits for a text; fails the test with what the page says if it does not come. */
async function see(text: string | RegExp, on = page): Promise<void> {
  await on
    .getByText(text)
    .first()
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`no ${text}, but: ${await said(on)}`, { cause });
    });
}

const said = async (on = page) => (await on.locator('main').textContent()) ?? '';
const lamportsOf = async (address: Address): Promise<bigint> =>
  (await world.ledgers.base.getBalance(address, { commitment: 'finalized' }).send()).value;
const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
const go = (view: string) => page.getByRole('navigation').getByRole('link', { name: view }).click();

const clientOf = (signer: KeyPairSigner) => new RecipientClient({ apiUrl: world.apiUrl, signer, time: systemTime });

/** Saves what a button saves; returns the file. */
async function saved(button: () => Promise<void>, name: string): Promise<string> {
  const download = page.waitForEvent('download');
  await button();
  await (await download).saveAs(file(name));
  return file(name);
}

beforeAll(async () => {
  [world, visitors, mailServer] = await Promise.all([World.start(), Visitors.open(), startMailServer()]);
  const port = await freePorts(1);
  await world.startCoordinator({
    BROWSER_RPC_URL: world.urls.baseRpcUrl,
    PORT: String(port),
    PUBLIC_ORIGINS: `http://127.0.0.1:${port}`,
    SMTP_URL: mailServer.url,
    SMTP_FROM: 'payouts@example.com',
  });
  me = await generateKeyPairSigner();
  helper = await readOrCreateKey(file('helper.json'));
  await world.fund(helper.address);
  const others = await variedPayees(3, UNIT);
  const [first] = others;
  if (first !== undefined) other = keyOf(first);
  const payees = [{ recipient: me.address, amount: 2_501n * UNIT }, ...others];
  employer = await world.employer(payees, { calendar: { unit: 'weeks', every: 4, day: 0 }, executions: 12 });
  await nameToken(world, employer.mint, 'USDC');
  open = await world.promise(employer, await variedPayees(2, 40n * UNIT), { id: 1n, batchTimeout: 3_600 });
  await Promise.all([
    world.registerAndSettle(employer),
    openWindow(world, open, 0n),
    printedBy(world.settings, 'rounds', 'set', employer.mint, '100'),
  ]);
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

it('tells a wallet that nobody has paid what to look at', async () => {
  await seeHeading(page, 'My pay', { level: 1 });
  await press('Helper');
  await see('Nobody has paid this wallet here yet.');
  await expectAccessible(page, 'recipient-unpaid');
  await go('History');
  await see('Nothing has been paid to you yet.');
  await expectAccessible(page, 'recipient-unpaid-history');
  await go('Safety');
  await press('Save the proof file');
  await see('Nothing of yours is recorded yet.');
  await expectAccessible(page, 'recipient-unpaid-safety');
  await press('Sign out');
  await go('Money');
});

it('gives an employer the address of a wallet, by the link that they have sent', async () => {
  const { signer } = employer;
  const session = await invitingSession(signer, sendAs({ apiUrl: world.apiUrl, signer, time: systemTime }));
  const expiresAt = systemTime.now() + 14 * GRACE * 1_000;
  const wanted = { vault: employer.vault, from: 'Example Ltd', expiresAt, page: `${world.apiUrl}/recipient/` };
  const [{ link = '' } = {}] = await invite(session, { ...wanted, names: ['Ada'] });
  await page.goto(link);
  await see('Example Ltd asks Ada for an address to pay.');
  await see(employer.vault);
  await expectAccessible(page, 'recipient-invitation');
  await press('Helper');
  await see(helper.address);
  await press('Choose another wallet');
  await press('Test Wallet');
  await see(me.address);
  await expectAccessible(page, 'recipient-invitation-address');
  wallet.answer = 'refuses';
  await press('Give this address');
  await see('You refused it in Test Wallet. Nothing was done.');
  wallet.answer = 'signs';
  await press('Give this address');
  await see('Given. Your employer sees it, and decides.');
  await expectAccessible(page, 'recipient-invitation-given');
  const { invitations } = await waitingFor(session);
  expect(invitations).toMatchObject([{ name: 'Ada', answers: [{ address: me.address }], forged: 0 }]);
  await see(invitations[0]?.answers[0]?.check ?? 'no code');
  const taken = takingOf(session, await waitingFor(session), 'Ada');
  await taken.forget();
  await page.reload();
  await see('ask for a new link');
  await expectAccessible(page, 'recipient-invitation-over');
  await go('Money');
});

it('shows what is theirs to whoever signs in with the wallet that is paid', async () => {
  await seeHeading(page, 'My pay', { level: 1 });
  await expectAccessible(page, 'recipient-sign-in');
  const texts = wallet.texts.length;
  wallet.answer = 'refuses';
  await press('Test Wallet');
  await see('You refused it in Test Wallet. Nothing was done.');
  wallet.answer = 'signs';
  // By the keyboard alone.
  await page.getByRole('button', { name: 'Test Wallet' }).focus();
  await page.keyboard.press('Enter');
  await see('2,501.00 USDC');
  await expectAccessible(page, 'recipient-money');
  expect(wallet.texts).toHaveLength(texts + 2);
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
  expect(kept).not.toMatch(new RegExp(`2,?501|${me.address}`));
});

it('takes money out to a fresh wallet, with what others can tell by it, and without SOL', async () => {
  const { address: to } = await (await freshWalletsOf(me)).at(0);
  const texts = wallet.texts.length;
  await page.getByRole('link', { name: 'Take out USDC' }).click();
  await page.getByLabel('In one piece').check();
  await press('Check');
  await see('Enter an amount.');
  await page.getByLabel('Amount in USDC').fill('9,000');
  await see('You can take out 2,501.00 USDC at most.');
  await expectAccessible(page, 'recipient-withdraw-wrong');
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
  await expectAccessible(page, 'recipient-withdraw');
  await press('Take out 1,000.00 USDC');
  await see('1,000.00 USDC paid');
  expect(await walletTokens(world.ledgers, to, employer.mint)).toBe(1_000n * UNIT);
  expect(wallet.transactions).toEqual([]);
});

/** Takes money out at a time that is drawn, and waits until it is said to be under way. */
async function takeOutLater(amount: string, written: string): Promise<void> {
  await go('Money');
  await page.getByRole('link', { name: 'Take out USDC' }).click();
  await page.getByLabel('In one piece').check();
  await page.getByLabel('Amount in USDC').fill(amount);
  await page.getByLabel('Another wallet').check();
  await page.getByLabel('To wallet').fill(await freshWallet());
  await press(`Take out ${written} USDC`);
  await see(`${written} USDC will be paid`);
  await go('Money');
  await see('Waits for its time');
}

it('cancels what waits for its time, and sends it elsewhere', async () => {
  await takeOutLater('500', '500.00');
  await see('1,001.00 USDC');
  await expectAccessible(page, 'recipient-waiting');
  await press('Cancel');
  await expectAccessible(page, 'recipient-cancel');
  await press('Cancel the withdrawal');
  await see('1,501.00 USDC');
  await page.getByText('Waits for its time').waitFor({ state: 'detached' });

  await takeOutLater('1', '1.00');
  await press('Send elsewhere');
  await press('Send it there');
  await see('Enter the address of a wallet.');
  await expectAccessible(page, 'recipient-redirect');
  const elsewhere = await freshWallet();
  await page.getByLabel('New wallet').fill(elsewhere);
  await press('Send it there');
  await world.arrived(elsewhere, employer, UNIT);
});

it('takes parts out in a round, with what they are told of their crowd, cancels one that waits, and has one at once', async () => {
  await go('Money');
  await page.getByRole('link', { name: 'Take out USDC' }).click();
  await see("You can't hide now: fewer than 20 people leave in a round.");
  await see('1,200.00 USDC go out in 12 parts of 100.00 USDC');
  await expectAccessible(page, 'recipient-round');
  // None leaves before it is looked at.
  await awayFromRound(120);
  await press('Choose fresh wallets');
  await see('Your fresh wallet 12,');
  await press('Take out 1,200.00 USDC');
  await see('1,200.00 USDC will be paid');
  await expectAccessible(page, 'recipient-round-asked');
  await go('Money');
  await see('300.00 USDC');
  const waiting = page.getByText('Waits for its round');
  await waiting.nth(11).waitFor();
  await expectAccessible(page, 'recipient-round-waiting');
  await page.getByRole('button', { name: 'Cancel', exact: true }).first().click();
  await press('Cancel the withdrawal');
  await see('400.00 USDC');
  const client = clientOf(me);
  const [now] = (await client.balances()).balances.flatMap(({ withdrawals }) => withdrawals);
  await page.getByRole('button', { name: 'Now', exact: true }).first().click();
  await see('100.00 USDC leave at once, by themselves');
  await expectAccessible(page, 'recipient-now');
  await press('Take it out at once');
  await world.arrived(now?.wallet as Address, employer, 100n * UNIT);
  for (const balance of (await client.balances()).balances) {
    const waiting = balance.withdrawals.filter(({ inRound }) => inRound);
    expect(waiting).toHaveLength(10);
    for (const { id } of waiting) await client.cancel(balance, id);
  }
  await see('1,400.00 USDC');
});

it('shows their fresh wallets, as the command finds them, and saves the key of one', async () => {
  await page.goto(`${world.apiUrl}/recipient/#/wallets`);
  const row = await freshWalletsOf(me);
  await press('Show them');
  await see((await row.at(0)).address);
  await expectAccessible(page, 'recipient-wallets');
  const key = await saved(() => press(/^File.*of wallet 0$/), 'wallet.json');
  expect(Uint8Array.from(JSON.parse(readFileSync(key, 'utf8')) as number[])).toEqual(await row.keyOf(0));
  const text = await saved(() => press(/^Text.*of wallet 0$/), 'wallet.txt');
  expect(getBase58Encoder().encode(readFileSync(text, 'utf8'))).toEqual(await row.keyOf(0));
  await go('Money');
});

it('sets a standing order and a recovery wallet, and ends the order', async () => {
  const client = clientOf(me);
  await page.getByRole('link', { name: 'Set a standing order' }).click();
  await see('Have 12 parts of 100.00 USDC stand ready, each with a fresh wallet.');
  await press('Choose fresh wallets');
  await page.getByRole('button', { name: 'Have 12 parts stand ready' }).waitFor();
  await expectAccessible(page, 'recipient-order-rounds');
  // What is left covers no part: none is begun.
  const [balance] = (await client.balances()).balances as [RecipientBalance];
  const dueAt = BigInt(Math.floor(systemTime.now() / 1_000)) + 86_400n;
  await client.withdraw(balance, { amount: 1_350n * UNIT, wallet: me.address, dueAt });
  await press('Have 12 parts stand ready');
  await see('12 parts of 100.00 USDC stand ready for your next pay.');
  await expectAccessible(page, 'recipient-order-standing');
  await press('Cancel them');
  await see('None stands ready any more');
  const [
    {
      standing,
      withdrawals: [later],
    },
  ] = (await client.balances()).balances as [RecipientBalance];
  expect(standing).toEqual([]);
  await client.cancel(balance, later?.id ?? 0);
  await page.getByLabel('When the balance reaches, in USDC').fill('5,000');
  await page.getByLabel(/^Send at a time/).fill('1,000');
  await page.getByLabel('To wallet').fill(await freshWallet());
  await press('Set the standing order');
  await see('From 5,000.00 USDC on, 1,000.00 USDC go out at a time');
  await expectAccessible(page, 'recipient-order');
  await press('End it');
  await see('The standing order has ended.');
  await go('Safety');
  await page.getByRole('textbox', { name: 'Recovery wallet' }).fill(helper.address);
  await press('Name it');
  await see('who needs this address of the balance');
  await expectAccessible(page, 'recipient-safety');
});

it('says that somebody has asked for their balance, and refuses it', async () => {
  const { balances } = await clientOf(me).balances();
  const personal = balances.find((balance) => balance.personal !== null)?.personal;
  await clientOf(helper).requestRecovery(personal as Address);
  await go('Money');
  await go('Safety');
  await see('Somebody has asked for this balance.');
  await expectAccessible(page, 'recipient-recovery');
  await press('Refuse');
  await see('Refused. Name another wallet.');
  await page.getByText('Somebody has asked for this balance.').waitFor({ state: 'detached' });
});

it('is asked for its balance by the recovery wallet, sees it, and refuses', async () => {
  const balance = (await page.locator('main code').allTextContents()).find((text) => text !== helper.address) ?? '';
  const other = await visitors.visit(world.apiUrl, {
    path: '/recipient/',
    place: 'safety',
    screen: 'phone',
    before: async (fresh) => {
      await giveWallet(fresh, helper, 'Helper');
    },
  });
  await other.getByRole('button', { name: 'Helper' }).click();
  const address = other.getByLabel('Address of the balance, as they were told it');
  await address.fill('nobody');
  await other.getByRole('button', { name: 'Ask for it' }).click();
  await other.getByText('This is no address').waitFor();
  await address.fill(balance);
  await other.getByRole('button', { name: 'Ask for it' }).click();
  await other.getByText('Asked for.').waitFor();
  await other.getByLabel('Fourteen days later: to wallet').fill(await freshWallet());
  await expectAccessible(other, 'a balance that was asked for');
  await other.getByRole('button', { name: 'Take it over' }).click();
  await other.getByText('The owner of this balance still has time to refuse').waitFor();
  await see('Somebody has asked for this balance.');
  await expectAccessible(page, 'recipient-asked-for');
  await press('Refuse');
  await see('Refused. Name another wallet.');
  await press('Let nobody recover it');
  await see('Nobody can recover it after fourteen days.');
  await other.getByRole('button', { name: 'Take it over' }).click();
  await other.getByText('No recovery of this balance is under way').waitFor();

  // The layer's clock can't be turned by fourteen days; this is what the coordinator answers then.
  await other.route(
    ({ pathname }) => pathname === '/api/transactions',
    (route) => route.fulfill({ json: { signature: '1'.repeat(64) } }),
  );
  await other.getByRole('button', { name: 'Take it over' }).click();
  await other.getByText('It goes to that wallet as soon as it is paid').waitFor();
  await expectAccessible(other, 'a balance that was taken over');
  await other.context().close();
});

it('saves a payslip, and verifies it without a network', async () => {
  await go('History');
  await see('+2,501.00 USDC');
  await expectAccessible(page, 'recipient-history');
  const payslip = await saved(() => press(/^JSON/), 'payslip.json');
  const drawn = await saved(() => press(/^PDF/), 'payslip.pdf');
  await go('Payslips');
  const drop = page.getByLabel('Open a payslip or receipt (PDF or JSON)');
  await drop.setInputFiles(drawn);
  await see('This payslip is sound.');
  await page.context().setOffline(true);
  await drop.setInputFiles(payslip);
  await see('This payslip is sound.');
  await page.getByText('2,501.00 USDC').waitFor();
  await expectAccessible(page, 'recipient-payslip');
  writeFileSync(file('forged.json'), readFileSync(payslip, 'utf8').replace('2501000000', '2601000000'));
  await drop.setInputFiles(file('forged.json'));
  await see('This payslip does not hold.');
  await expectAccessible(page, 'recipient-payslip-forged');
  await drop.setInputFiles(file('helper.json'));
  await see(/This is no payslip/);
  await page.context().setOffline(false);
});

it('has them told by e-mail, once they have confirmed their address, and forgets it', async () => {
  const to = 'ada@example.com';
  await go('Money');
  await page.getByRole('link', { name: 'Get told by e-mail' }).click();
  await see('You get no messages yet.');
  await expectAccessible(page, 'recipient-notices-none');
  await press('Add it');
  await see('Enter an address.');
  await page.getByLabel(/^E-mail address/).fill(to);
  await press('Add it');
  await see('A code was sent there.');
  await see('waits for the code that was sent there');
  await expectAccessible(page, 'recipient-notices');
  const mail = await until(async () => mailServer.mails[0], 'the code', 60_000);
  await page.getByLabel('Code in the e-mail').fill(/^Your code: (\w+)$/m.exec(mail.text ?? '')?.[1] ?? '');
  await press('Confirm');
  await see('Confirmed.');
  await see('gets messages');
  await press(`Remove ${to}`);
  await see('Removed, and forgotten.');
  await see('You get no messages yet.');
});

it('pays somebody’s payment code inside, shows the own one, and cancels what waits', async () => {
  const [mine, theirs] = [clientOf(me), clientOf(other)];
  const code = await theirs.paymentCode(employer.mint);
  await go('Money');
  await page.getByRole('link', { name: 'Pay inside' }).click();
  await press('Check');
  await see('Enter a payment code.');
  await page.getByLabel('To payment code').fill(`${code.slice(0, -1)}${code.endsWith('1') ? '2' : '1'}`);
  await see('The payment code is mistyped');
  await page.getByLabel('Amount in USDC').fill('9,000');
  await see('You can take out 1,400.00 USDC at most.');
  await expectAccessible(page, 'recipient-inside-wrong');
  await page.getByLabel('To payment code').fill(code);
  await page.getByLabel('Amount in USDC').fill('100');
  await see('Once they are there, nobody can call them back.');
  await press('Show your payment code');
  await see(await mine.paymentCode(employer.mint));
  await expectAccessible(page, 'recipient-inside');
  await press('Pay 100.00 USDC');
  await see('100.00 USDC paid');
  await expectAccessible(page, 'recipient-inside-paid');
  expect(wallet.transactions).toEqual([]);
  expect((await theirs.balances()).balances.find(({ schedules }) => schedules.length === 0)?.amount).toBe(100n * UNIT);

  const [own] = (await mine.balances()).balances;
  await mine.pay(own as NonNullable<typeof own>, {
    amount: UNIT,
    paymentCode: paymentCodeOf(new Uint8Array(32).fill(9)),
  });
  await go('Money');
  await see('About to move');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expectAccessible(page, 'recipient-inside-cancel');
  await press('Cancel the transfer');
  await page.getByText('About to move').waitFor({ state: 'detached' });
  await see('1,300.00 USDC');
});

it('saves the receipt of a private transfer, and verifies it', async () => {
  await go('History');
  await see('Paid inside');
  await expectAccessible(page, 'recipient-history-inside');
  const receipt = await saved(() => press(/receipt of this transfer$/), 'transfer.json');
  await go('Payslips');
  const drop = page.getByLabel('Open a payslip or receipt (PDF or JSON)');
  await drop.setInputFiles(receipt);
  await see('This receipt is sound.');
  await expectAccessible(page, 'recipient-receipt');
  writeFileSync(file('forged-transfer.json'), readFileSync(receipt, 'utf8').replace('100000000', '900000000'));
  await drop.setInputFiles(file('forged-transfer.json'));
  await see('This receipt does not hold.');
  await expectAccessible(page, 'recipient-receipt-forged');
});

it('says what to do in a browser without a wallet', async () => {
  const desk = await visitors.visit(world.apiUrl, { path: '/recipient/', colours: 'dark' });
  await desk.getByText('No wallet was found in this browser.').waitFor();
  await expectAccessible(desk, 'recipient-no-wallet');
  await desk.context().close();
});

/** A proof file of four balances: without a proof, with one that the ledger has not recorded, of one that was empty, and a good one. */
async function mixedProofs(): Promise<string> {
  const own = clientOf(other);
  const { balances } = await own.balances();
  const wallet = await freshWallet();
  await own.withdraw(balances[0] as (typeof balances)[number], { amount: 'all', wallet });
  await world.arrived(wallet, employer, UNIT);
  const [[good], [emptied]] = (await Promise.all([clientOf(me).proofs(), own.proofs()])) as [
    ProvenBalance[],
    ProvenBalance[],
  ];
  if (good === undefined || emptied === undefined) throw new Error('Nothing is recorded.');
  const proofs = good.proofs.map((each) => ({ ...each, leaf: { ...each.leaf, amount: 1n } }));
  writeFileSync(
    file('mixed.json'),
    JSON.stringify(proofFileToJson([{ ...good, proofs: [] }, { ...good, proofs }, emptied, good])),
  );
  return file('mixed.json');
}

it('says which balances of a proof file give nothing, and that nothing is lost', async () => {
  const tab = await page.context().newPage();
  await tab.goto(`${world.apiUrl}/recipient/redeem.html`);
  await lookUp(tab, await mixedProofs());
  await see('Nothing is lost: take your money out as usual.', tab);
  await see('The file holds no proof of this balance.', tab);
  await see('The ledger holds a newer recording than this file.', tab);
  await see('This balance was empty when it was recorded last.', tab);
  await expectAccessible(tab, 'redeem-nothing-lost');
  await tab.close();
});

/** Opens a proof file, and looks on the ledger what is due by it. */
async function lookUp(tab: Page, proofFile: string): Promise<void> {
  await tab.getByLabel('Open the proof file').setInputFiles(proofFile);
  await tab.getByLabel('Address of a node of the ledger (RPC)').fill(world.urls.baseRpcUrl);
  await tab.getByRole('button', { name: 'Look what is due' }).click();
}

it('says nothing of a loss on the page of an employer before there is one', async () => {
  office = await visitors.visit(world.apiUrl, {
    place: `mine/${open.schedule}`,
    ledgers: [world.urls.baseRpcUrl],
    before: async (fresh) => {
      await giveWallet(fresh, open.signer);
    },
  });
  await signIn(office);
  await see('pay run 0 is being paid', office);
  expect(await said(office)).not.toContain('lost');
});

it('is paid by the proof file when layer and coordinator are gone, another wallet paying the fee', async () => {
  await go('Safety');
  const proof = await saved(() => press('Save the proof file'), 'proof.json');
  await see('Saved. Keep it where you keep private files.');
  await expectAccessible(page, 'recipient-safety-saved');
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
  await lookUp(page, proof);
  await see('The execution layer is declared lost.');
  await see('1,300.00 USDC');
  await expectAccessible(page, 'redeem-declared');
  await see('you can bring what this pay run has not paid back to your vault', office);
  await expectAccessible(office, 'payroll-loss-declared');
  await world.localnet.admin.advanceClock(GRACE + 1);
  await press('Look what is due');
  await page.getByLabel('Wallet that the employer paid').selectOption('Test Wallet');
  await page.getByLabel('Wallet that pays the ledger’s fee').selectOption('Helper');
  await press('Show what it takes');
  await see('What will happen');
  const [, cost = ''] = /Helper pays ([\d.]+) SOL/.exec(await said()) ?? [];
  const before = await lamportsOf(helper.address);
  await expectAccessible(page, 'redeem');
  await press('Take it out');
  await see('Your money is in your wallet.');
  await expectAccessible(page, 'redeem-done');
  expect(await walletTokens(world.ledgers, me.address, employer.mint)).toBe(1_300n * UNIT);
  expect(Number(before - (await lamportsOf(helper.address))) / 1e9).toBe(Number(cost));
  expect(wallet.transactions).toHaveLength(1);
  await press('Look what is due');
  await see('This balance was taken out already.');
  await expectAccessible(page, 'redeem-taken');
});

it('brings an open pay run back on the page of its employer, when layer and coordinator are gone', async () => {
  await see('The execution layer is lost, so this pay run can’t be paid to its end.', office);
  const made = await runCommand(world.settings, 'liability-proof', '--balance', open.schedule);
  writeFileSync(file('window.json'), made.printed);
  const reclaim = office.getByRole('button', { name: 'Reclaim the pay run' });
  const dialog = office.getByRole('dialog', { name: 'Reclaim the pay run' });
  await office.getByLabel('Open the proof file').setInputFiles(file('helper.json'));
  await see('helper.json is no proof file.', office);
  await office.getByLabel('Open the proof file').setInputFiles(file('proof.json'));
  await reclaim.click();
  await dialog.getByText('The file holds no proof of').waitFor();
  await office.keyboard.press('Escape');
  await office.getByLabel('Open another proof file').setInputFiles(file('window.json'));
  await expectAccessible(office, 'payroll-layer-lost');
  await reclaim.click();
  await dialog.getByText('Ends pay run 0, of which 0.00 USDC of').waitFor();
  await expectAccessible(office, 'payroll-reclaim');
  await dialog.getByRole('button', { name: 'Reclaim the pay run' }).click();
  await dialog.getByText(/USDC are back in the vault\.$/).waitFor();
  expect((await fetchSchedule(world.ledgers.base, open.schedule)).data.status).toBe(ScheduleStatus.Cancelled);
});

it('asked nobody else for anything, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
