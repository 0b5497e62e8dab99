import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { walletTokens } from '@payouts/cli';
import {
  allDates,
  fetchSchedule,
  fetchVault,
  findVaultAddress,
  fromBase64,
  sendStepsToBase,
  timeOfDate,
  toBase64,
} from '@payouts/client';
import { atOnce, findTreasuryAddress, ownVault, proposalSteps, readTreasury, withdrawTokens } from '@payouts/employer';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { Visitors, waitForText } from '@payouts/testing/browser/browser';
import { giveWallet, signIn } from '@payouts/testing/browser/wallet';
import { nameToken } from '@payouts/testing/token';
import { placeMultisig, TREASURY_PROGRAM } from '@payouts/testing/treasury';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import {
  type Address,
  createNoopSigner,
  generateKeyPairSigner,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

/*
 * A month of a treasury of which two of three decide, on the employer's page: Ada proposes, Ben approves and executes, and may propose nothing
 * himself. Each test goes on where the one before ended.
 */

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
/** What Ben may do: vote and execute. */
const NO_PREPARER = 6;

let world: World;
let visitors: Visitors;
let ada: KeyPairSigner;
let multisig: Address;
let treasury: Address;
let mint: Address;
let vault: Address;
let people: Address[];
let schedule: Address;
/** Ada's page, and Ben's. */
let office: Page;
let second: Page;
/** The copy of the list that the page has saved last, and what it gives members. */
let copy: string;
let proposal: string;

beforeAll(async () => {
  [world, visitors] = await Promise.all([World.start({ programs: [TREASURY_PROGRAM] }), Visitors.open()]);
  await world.startCoordinator({ BROWSER_RPC_URL: world.urls.baseRpcUrl });
  const keys = await Promise.all(Array.from({ length: 3 }, () => generateKeyPairSigner()));
  const [first, ben, cleo] = keys as [KeyPairSigner, KeyPairSigner, KeyPairSigner];
  ada = first;
  await Promise.all([ada, ben].map(({ address }) => world.fund(address)));
  const members = [ada.address, [ben.address, NO_PREPARER], cleo.address] as const;
  multisig = await placeMultisig(world, (await generateKeyPairSigner()).address, { threshold: 2, members });
  treasury = await findTreasuryAddress(multisig);
  mint = await world.giveToken(treasury, 1_000n * UNIT);
  vault = await findVaultAddress(treasury, mint);
  await nameToken(world, mint, 'USDC');
  people = await Promise.all(Array.from({ length: 4 }, freshWallet));
  [office, second] = await Promise.all([visitor(ada), visitor(ben)]);
});
afterAll(() => visitors?.close());

async function visitor(wallet: KeyPairSigner): Promise<Page> {
  const opened = await visitors.visit(world.apiUrl, {
    place: 'mine/treasury',
    ledgers: [world.urls.baseRpcUrl],
    before: async (fresh) => {
      await giveWallet(fresh, wallet);
    },
  });
  await signIn(opened);
  return opened;
}

const PROPOSE = 'Propose to the treasury';
const PROPOSED = 'Proposed to the treasury. Nothing has changed yet.';

const press = (name: string | RegExp, on: Page | Locator = office) =>
  on.getByRole('button', { name, exact: true }).click();
const closeDialog = (on: Page = office) => press('Close', on.getByRole('dialog'));
const to = (place: string, on: Page = office) => on.goto(`${world.apiUrl}/#/${place}`);

const says = (text: string | RegExp, on: Page = office): Promise<void> => waitForText(on, text);

const choose = async (address: Address, on: Page): Promise<void> => {
  await on.getByLabel('The multisig’s own address').fill(address);
  await press('Act for this treasury', on);
};

/** Proposes what a button of Ada's page does. */
async function propose(name: string, effect: string | RegExp): Promise<void> {
  await press(name);
  const dialog = office.getByRole('dialog', { name });
  await waitForText(dialog, effect);
  await waitForText(dialog, 'Proposes to the treasury');
  await expectAccessible(office, `treasury ${name}`);
  await press(PROPOSE, dialog);
  await waitForText(dialog, PROPOSED);
  await expectAccessible(office, `treasury ${name} proposed`);
  await closeDialog();
}

/** How many transactions the multisig has. */
const count = async (): Promise<number> => Number((await readTreasury(world.ledgers, multisig)).state.transactionIndex);

/** Opens the dialog of a decision. */
async function asks(decision: string, index: number, on: Page): Promise<Locator> {
  const name = `${decision} transaction ${index}`;
  await press(name, on);
  return on.getByRole('dialog', { name });
}

/** Decisions that were shown to axe. */
const judged = new Set<string>();

/** Decides on Ben's page, or another one. */
async function decides(decision: string, index: number, done: string, on: Page = second): Promise<void> {
  const dialog = await asks(decision, index, on);
  await waitForText(dialog, 'Its vote is');
  if (!judged.has(decision)) await expectAccessible(on, `treasury ${decision}`);
  judged.add(decision);
  await press(`${decision} transaction ${index}`, dialog);
  // Its vote says "approved", too.
  await waitForText(dialog, new RegExp(`^${done}$`));
  await closeDialog(on);
}

/** Has Ben approve and execute what Ada has proposed last: so many transactions, which do this. */
async function carryOut(effect: string | RegExp, transactions = 1): Promise<void> {
  const last = await count();
  await says(effect, second);
  for (let index = last - transactions + 1; index <= last; index++) {
    await decides('Approve', index, 'Approved.');
    await decides('Execute', index, 'Executed.');
  }
}

it('acts for a treasury once its multisig is named, and shows its members and what waits', async () => {
  await says('An employer can be a vault of a multisig of Squads v4.');
  await choose('nobody' as Address, office);
  await says('That is no address.');
  await expectAccessible(office, 'treasury no address');
  await choose(ada.address, office);
  await says('There is no multisig of Squads v4 at');
  await choose(multisig, office);
  await says('2 of 3 approvers decide.');
  await says('Nothing waits for the treasury’s members.');
  await expectAccessible(office, 'treasury');
  const row = (text: string) => office.getByRole('row', { name: text });
  await row('preparer, approver, executor').first().waitFor();
  await row('approver, executor').last().waitFor();
  expect(office.url()).not.toContain(multisig);
  await office.reload();
  await signIn(office);
  await says('You act for the treasury');
  await choose(multisig, second);
  await says('2 of 3 approvers decide.', second);
});

it('says that a treasury signs no requests, and has its members let a wallet read', async () => {
  await to('mine');
  await says('A treasury signs no requests, and your wallet may not do this for it.');
  await says('You have no vault yet.');
  await expectAccessible(office, 'treasury not read');
  await to('mine/invitations');
  await says('A treasury signs no text, so it can’t open what people would answer.');
  await expectAccessible(office, 'treasury invitations');
  await to('approve');
  await says('A treasury signs alone, and signs no withdrawal of somebody else’s.');
  await to('mine/treasury');
  await propose('Let this wallet read', `Makes ${ada.address} a viewer`);
  await carryOut(`Makes ${ada.address} a viewer of the treasury`);
  await office.getByRole('button', { name: 'Let this wallet read' }).waitFor({ state: 'detached' });
  await to('mine');
  await says('The treasury has no payroll that is registered here.');
  await expectAccessible(office, 'treasury without payrolls');
});

it('opens a vault and puts money into it, by two of three members', async () => {
  const before = await count();
  await office.getByLabel('Open a vault of a token: its mint').fill(mint);
  await press('Open a vault');
  const dialog = office.getByRole('dialog', { name: 'Open the vault' });
  await waitForText(dialog, 'Opens your vault of USDC');
  await press(PROPOSE, dialog);
  await waitForText(dialog, PROPOSED);
  await closeDialog();
  await carryOut(/Opens the treasury's vault of USDC/, (await count()) - before);
  await to(`mine/vaults/${mint}`);
  await says('Vault of USDC');
  await office.getByLabel('Amount in USDC').fill('900');
  await propose('Deposit', 'Moves 900.00 USDC from your wallet into your vault.');
  await carryOut(`Deposits 900.00 USDC in the vault ${vault}.`);
  expect((await fetchVault(world.ledgers.base, vault)).data.deposited).toBe(900n * UNIT);
});

/** A payroll of people, by their place among all. */
function payroll(name: string, amounts: Readonly<Record<number, number>>): string {
  const file = join(world.folder, name);
  const lines = Object.entries(amounts).map(([at, amount]) => `Person ${at},${people[Number(at)]},${amount}`);
  writeFileSync(file, ['name,recipient,amount', ...lines].join('\n'));
  return file;
}

/** Proposes the list that is open, whose copy is saved before, and saves what members are to look at. */
async function proposeList(): Promise<void> {
  const [saved] = await Promise.all([office.waitForEvent('download'), press(PROPOSE)]);
  await says(PROPOSED);
  await says('Give members who are to check the list the proposal');
  const [given] = await Promise.all([office.waitForEvent('download'), press('Save the proposal')]);
  [copy, proposal] = await Promise.all([saved.path(), given.path()]);
}

/** Has Ben look at the list that Ada has proposed last. */
async function looksAt(file: string, said: string | RegExp): Promise<void> {
  const see = second.getByRole('button', { name: `See whom it pays, transaction ${await count()}` });
  await see.click();
  await second.getByLabel('Open the proposal').setInputFiles(file);
  await says(said, second);
}

/** Gives the coordinator the copy of a list that the ledger promises now. */
async function register(): Promise<void> {
  await to(`mine/${schedule}`);
  await office.getByLabel('Open your copy').setInputFiles(copy);
  await office.getByText('The coordinator has not the list of this payroll').waitFor({ state: 'detached' });
}

it('promises a payroll that is paid once its list is with the coordinator', async () => {
  await to(`mine/new/${mint}`);
  await office.getByLabel('Open the payroll').setInputFiles(payroll('first.csv', { 0: 100, 1: 100, 2: 200 }));
  await office.getByLabel('How often').selectOption('every hour');
  await office.getByLabel('Pay runs to promise').fill('2');
  await press('See what will happen');
  await says('Proposes to the treasury');
  await expectAccessible(office, 'treasury new payroll');
  await proposeList();
  await expectAccessible(office, 'treasury payroll proposed');
  const own = await readFile(copy, 'utf8');
  schedule = (JSON.parse(own) as { schedule: Address }).schedule;
  const forged = join(world.folder, 'forged.json');
  writeFileSync(forged, own.replaceAll(people[2] as string, people[3] as string));
  await looksAt(forged, 'This is not what waits.');
  await expectAccessible(second, 'treasury another list');
  await looksAt(proposal, 'The file is the list that waits: it rebuilds its root on the ledger.');
  await says('Everybody is new: 3 newcomers.', second);
  await says(people[2] as string, second);
  await expectAccessible(second, 'treasury list seen');
  await carryOut(/Promises a payroll, .* 400\.00 USDC to 3 recipients/);
  await says('The coordinator has not the list yet, and pays nobody by it.', second);
  await expectAccessible(second, 'treasury list missing');
  await to('mine');
  await says('The coordinator knows nothing of these payrolls, so nobody is paid by them.');
  await register();
  await expect
    .poll(async () => (await fetchSchedule(world.ledgers.base, schedule)).data.paidTotal, { timeout: 60_000 })
    .toBe(400n * UNIT);
  await says('400.00 USDC to 3 people');
  // As a viewer, Ada sees whom it pays.
  await says(shortly(people[2]));
});

/** The ends of an address, as the page shows it. */
const shortly = (address: Address | undefined): RegExp => new RegExp(`^${address?.slice(0, 4)}`);

it('changes the list and takes money out, by two of three members', async () => {
  await to(`mine/${schedule}/change`);
  await office.getByLabel('Open the payroll').setInputFiles(payroll('second.csv', { 0: 100, 1: 150, 3: 100 }));
  await says('Against the current list:');
  await proposeList();
  await looksAt(proposal, 'Against the current list: 1 raise of 50 %, 1 newcomer, 1 leaver.');
  await says(people[3] as string, second);
  await carryOut(`Gives ${schedule} another list: each pay run then pays 350.00 USDC to 3 recipients`);
  await register();
  await says('350.00 USDC to 3 people');
  const before = await walletTokens(world.ledgers, treasury, mint);
  await to(`mine/vaults/${mint}`);
  await office.getByLabel('Amount in USDC').fill('120');
  await propose('Withdraw', 'Takes 120.00 USDC out of your vault to your own wallet');
  await carryOut(/Takes 120\.00 USDC out of the vault .* to the treasury's own token account\./);
  expect((await walletTokens(world.ledgers, treasury, mint)) - before).toBe(120n * UNIT);
});

it('promises pay days by dates, which are those that two of three members saw', async () => {
  await to(`mine/new/${mint}`);
  await office.getByLabel('Open the payroll').setInputFiles(payroll('dated.csv', { 0: 5 }));
  await office.getByLabel('Pay days').selectOption('by dates');
  await office.getByLabel('How often').selectOption('twice a month');
  await office.getByLabel('Counted from (empty: today)').fill('2030-12-01');
  await office.getByLabel('Time zone').selectOption('America/New_York');
  await office.getByLabel('Pay runs to promise').fill('3');
  await press('See what will happen');
  await says('Proposes to the treasury');
  await proposeList();
  const dated = (JSON.parse(await readFile(copy, 'utf8')) as { schedule: Address }).schedule;
  const days = ['2030-12-13 ', '2030-12-31 ', '2031-01-15 '];
  await carryOut(new RegExp(`5\\.00 USDC to 1 recipient, .* on 3 dates: ${days.join('.*')}`));
  const { data } = await fetchSchedule(world.ledgers.base, dated);
  const signed = allDates(data).map((date) => new Date(Number(timeOfDate(date)) * 1_000).toISOString());
  expect(signed.map((date) => date.replace('T', ' ').slice(0, 11))).toEqual(days);
});

it('lets a single member do nothing alone, and says why', async () => {
  const before = (await fetchVault(world.ledgers.base, vault)).data;
  await to(`mine/vaults/${mint}`, second);
  await second.getByLabel('Amount in USDC').fill('10');
  await press('Withdraw', second);
  const dialog = second.getByRole('dialog', { name: 'Withdraw' });
  await press(PROPOSE, dialog);
  await waitForText(dialog, 'is approver and executor of');
  await waitForText(dialog, 'and may not propose');
  await expectAccessible(second, 'treasury role refuses');
  await closeDialog(second);
  await to('mine/treasury', second);

  await to(`mine/vaults/${mint}`);
  await office.getByLabel('Amount in USDC').fill('10');
  await propose('Withdraw', 'Takes 10.00 USDC out of your vault');
  const index = await count();
  await to('mine/treasury');
  for (const [decision, why] of [
    ['Execute', 'It takes 2 members.'],
    ['Approve', 'You have approved it already.'],
  ] as const) {
    const refusing = await asks(decision, index, office);
    await waitForText(refusing, why);
    await closeDialog();
  }
  await decides('Reject', index, 'Rejected.', office);
  await decides('Reject', index, 'Rejected.');
  await says('Nothing waits for the treasury’s members.');
  expect((await fetchVault(world.ledgers.base, vault)).data).toEqual(before);
});

it('warns of what moves money to somebody else and of what it can’t read, whatever the proposer says', async () => {
  const own = await ownVault({ employer: createNoopSigner(treasury), ledgers: world.ledgers, timeText: String }, mint);
  const { stepsFor } = await withdrawTokens(own, UNIT);
  const withdrawal = (await stepsFor(undefined)).flat(2).at(-1) as Instruction;
  const [employer, ...others] = withdrawal.accounts ?? [];
  const away = { address: people[0] as Address, role: 1 };
  const ownAccount = others.find(({ address }) => own.vault.vault.tokenAccount !== address && address !== vault);
  const accounts = [employer, ...others.map((each) => (each === ownAccount ? away : each))];
  const calls = [
    { ...withdrawal, accounts } as Instruction,
    getTransferSolInstruction({ source: createNoopSigner(treasury), destination: people[1] as Address, amount: 5n }),
    { programAddress: people[2] as Address, data: new Uint8Array(1) },
  ];
  for (const call of calls) {
    const { steps } = await proposalSteps(await readTreasury(world.ledgers, multisig), ada, atOnce(call).flat(2));
    await sendStepsToBase(world.ledgers, steps, ada);
  }
  const alerts = second.getByRole('alert');
  await expect
    .poll(() => alerts.allTextContents(), { timeout: 30_000 })
    .toEqual([
      expect.stringContaining(`${people[0]}, which is NOT the treasury's own.`),
      expect.stringContaining(`${people[1]}, which is NOT the treasury's own.`),
      expect.stringContaining(`Calls ${people[2]}, of which nothing is known here.`),
    ]);
  await expectAccessible(second, 'treasury warnings');
  // And once more before it is agreed to.
  const approving = await asks('Approve', (await count()) - 2, second);
  await approving.getByRole('alert').getByText(`${people[0]}, which is NOT the treasury's own.`).waitFor();
  await expectAccessible(second, 'treasury warned');
  await closeDialog(second);
});

it('waits for a time lock, and takes a proposal that was signed elsewhere', async () => {
  const rules = { threshold: 1, members: [ada.address], timeLock: 3_600 };
  const other = await placeMultisig(world, (await generateKeyPairSigner()).address, rules);
  await press('Stop acting for this treasury');
  await choose(other, office);
  await says('1 of 1 approvers decide.');
  await press('Let this wallet read');
  const dialog = office.getByRole('dialog', { name: 'Let this wallet read' });
  await press('Sign elsewhere', dialog);
  const wire = fromBase64((await dialog.locator('.command code').textContent()) ?? '');
  const signed = await partiallySignTransaction([ada.keyPair], getTransactionDecoder().decode(wire));
  const text = toBase64(new Uint8Array(getTransactionEncoder().encode(signed)));
  await dialog.getByLabel('The signed transaction').fill(text);
  await press('Send it', dialog);
  await waitForText(dialog, PROPOSED);
  await closeDialog();
  // The only member has approved what they propose.
  await says('approved: 1 of 1 have approved');
  await says('May be executed from');
  await expectAccessible(office, 'treasury time lock');
  const executing = await asks('Execute', 1, office);
  await waitForText(executing, /The treasury's time lock holds it back for \d+ s more\./);
});
