import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  approveScheduleInstructions,
  fetchSchedule,
  getSetApprovalInstructionAsync,
  getUpdateRecipientsInstructionAsync,
  prepareList,
  sendToBase,
} from '@payouts/client';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { picture, type Screen, Visitors } from '@payouts/testing/browser/browser';
import { tasksOf } from '@payouts/testing/browser/tasks';
import { giveWallet, signIn } from '@payouts/testing/browser/wallet';
import { nameToken } from '@payouts/testing/token';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workbookOf } from '../../packages/payroll/test/workbooks.ts';

const RECIPIENTS = 12;
/** A number that stands nowhere else. */
const AMOUNT = 4_321_987_000n;
const WRITTEN = '4,321.987';
const MANY = 80_000;
const LONGEST_TASK_MS = 100;
const PASSPHRASE = 'correct horse battery staple';
const NAMES = ['Ada Example', 'Björn Sample', 'Chiara Prova', 'Dmitri Obrazets', 'Esi Nhwɛso', 'Farid Namuna'];

let world: World;
let visitors: Visitors;
let employer: Employer;
let payroll: string;
/** The same as a workbook. */
let workbook: string;

beforeAll(async () => {
  [world, visitors] = await Promise.all([World.start(), Visitors.open()]);
  await world.startCoordinator();
  const payees = await variedPayees(RECIPIENTS, AMOUNT);
  employer = await world.employer(payees, { calendar: { unit: 'weeks', every: 4, day: 0 }, executions: 12 });
  await nameToken(world, employer.mint, 'USDC');
  await world.registerAndSettle(employer);
  payroll = join(world.folder, 'payroll.csv');
  const lines = payees.map(
    ({ recipient, amount }, line) => `${NAMES[line % NAMES.length]} ${line},${recipient},${amount}`,
  );
  writeFileSync(payroll, ['name,recipient,amount', ...lines].join('\n'));
  workbook = join(world.folder, 'payroll.xlsx');
  const rows = lines.map((line) => line.split(','));
  writeFileSync(workbook, await workbookOf({ sheets: [{ rows: [['Employee', 'Wallet', 'Net pay'], ...rows] }] }));
});
afterAll(() => visitors?.close());

/** What the page holds in its text, and what it keeps beyond this tab. */
const textOf = (page: Page): Promise<string> => page.evaluate('document.documentElement.outerHTML') as Promise<string>;
const keptBy = (page: Page): Promise<string> =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])') as Promise<string>;
const recipient = (): string => employer.list.recipients[0]?.recipient as string;

async function visitor(wallet: KeyPairSigner, screen: Screen = 'desktop', place = `mine/${employer.schedule}`) {
  const bodies: string[] = [];
  const sent: string[] = [];
  const page = await visitors.visit(world.apiUrl, {
    place,
    screen,
    before: async (fresh) => {
      await giveWallet(fresh, wallet);
      fresh.on('response', async (response) => bodies.push(await response.text().catch(() => '')));
      fresh.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    },
  });
  return { page, bodies, sent };
}

it('shows names and amounts to the employer’s wallet alone, decrypted in this tab', async () => {
  const { page, bodies, sent } = await visitor(employer.signer);
  expect(await textOf(page)).not.toContain(WRITTEN);
  await signIn(page);
  await page.getByRole('heading', { name: 'Who is paid' }).waitFor();
  const table = page.getByRole('table', { name: 'Decrypted in this tab only' });
  await table.getByText(WRITTEN).first().waitFor();
  expect(await table.getByRole('row').count()).toBe(RECIPIENTS + 1);
  await page.getByLabel('Read names from a file').setInputFiles(payroll);
  await page.getByText(`${RECIPIENTS} names for ${RECIPIENTS} entries, in this tab only.`).waitFor();
  await table.getByText('Ada Example 0').waitFor();
  await expectAccessible(page, 'an employer’s list');
  await picture(page, 'my-payrolls');
  await page.getByLabel('Find a name, label, address or amount').fill('chiara');
  await table.getByText('Ada Example 0').waitFor({ state: 'detached' });
  expect(await table.getByRole('row').count()).toBe(RECIPIENTS / NAMES.length + 1);
  await page.getByLabel('Find a name, label, address or amount').fill('nobody');
  await page.getByText('Nobody in the list is found by that.').waitFor();
  await expectAccessible(page, 'list-nobody-found');

  // Whatever stands between this tab and the coordinator reads neither, and the names went nowhere.
  for (const body of [...bodies, ...sent]) {
    for (const secret of [recipient(), String(employer.list.recipients[0]?.amount), 'Ada Example']) {
      expect(body).not.toContain(secret);
    }
  }
  expect(sent.some((line) => line.includes('/recipients'))).toBe(true);

  // A session ends with a reload, and nothing of it is left.
  expect(await keptBy(page)).not.toMatch(new RegExp(`${recipient()}|${WRITTEN}|\\bAda\\b`));
  await page.reload();
  await page.getByText('Sign in with the wallet that owns the payroll.').waitFor();
  expect(await textOf(page)).not.toMatch(new RegExp(`${recipient()}|${WRITTEN}|\\bAda\\b`));
  await page.context().close();
});

it('reads names from a workbook, too, and forgets names and amounts when the employer signs out', async () => {
  const { page } = await visitor(employer.signer);
  await signIn(page);
  await page.getByText(WRITTEN).first().waitFor();
  await page.getByLabel('Read names from a file').setInputFiles(workbook);
  await page.getByText('Ada Example 0').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Sign in with the wallet that owns the payroll.').waitFor();
  expect(await textOf(page)).not.toMatch(new RegExp(`${recipient()}|${WRITTEN}|\\bAda\\b`));
  await page.context().close();
});

/** Everything that this browser keeps for the page: storage, caches, cookies, and each value of each database, in every spelling of bytes. */
const ALL_KEPT = `(async () => {
  const spelled = (value) =>
    value instanceof Uint8Array
      ? ['utf-8', 'utf-16le', 'latin1'].map((name) => new TextDecoder(name).decode(value)).join(' ')
      : JSON.stringify(value);
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const found = [JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, await caches.keys()])];
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const records = database.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([done(records.getAllKeys()), done(records.getAll())]);
      found.push(name, store, ...[...keys, ...values].map(spelled));
    }
    database.close();
  }
  return found.join('\\n');
})()`;
/** Keeps names as they are, in a text and in bytes. */
const PLANT = `(async () => {
  localStorage.setItem('payouts.planted', 'planted: Ada');
  const database = await new Promise((resolve) => {
    const request = indexedDB.open('planted', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('planted');
    request.onsuccess = () => resolve(request.result);
  });
  const writing = database.transaction('planted', 'readwrite');
  writing.objectStore('planted').put(new TextEncoder().encode('planted in bytes: Björn'), 'bytes');
  await new Promise((resolve) => { writing.oncomplete = resolve; });
  database.close();
})()`;
const allKeptBy = (page: Page): Promise<string> => page.evaluate(ALL_KEPT) as Promise<string>;
const A_NAME = /\bAda\b|Example|Björn|Sales|part-time/;
/** The same where bytes are read that are encrypted: three letters alone turn up in these by chance. */
const IN_BYTES = /Example|Björn|Sales|part-time/;

async function keepNames(page: Page): Promise<void> {
  await page.getByLabel('Read names from a file').setInputFiles(payroll);
  await page.getByRole('button', { name: 'Keep them in this browser' }).click();
  await expectAccessible(page, 'names-keep');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  await page.getByText(`${RECIPIENTS} names for ${RECIPIENTS} entries, kept in this browser, encrypted.`).waitFor();
}

async function nameFirst(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Edit the name of/ })
    .first()
    .click();
  const form = page.getByRole('dialog', { name: 'Name and label' });
  await form.getByLabel('Label').fill('Sales');
  await form.getByLabel('Note').fill('part-time');
  await expectAccessible(page, 'the form for a name');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Sales part-time' }).waitFor();
}

it('keeps names in the browser, encrypted, for the wallet that opens them, and closes them in every tab', async () => {
  const { page, sent } = await visitor(employer.signer);
  await signIn(page);
  await page.getByText(WRITTEN).first().waitFor();
  await keepNames(page);
  await nameFirst(page);
  await expectAccessible(page, 'names that are kept');

  // Another tab opens the same names, and sees what the first one changes.
  const other = await page.context().newPage();
  await giveWallet(other, employer.signer);
  await other.goto(`${world.apiUrl}/#/mine/${employer.schedule}`);
  await signIn(other);
  await other.getByRole('button', { name: 'Open your names' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
  await other.getByRole('cell', { name: 'Sales part-time' }).waitFor();

  // They are written nowhere as they are, and sent nowhere; the same look finds them where they are.
  expect(sent.filter((line) => A_NAME.test(line))).toEqual([]);
  expect(await allKeptBy(page)).toContain('payouts.names');
  expect(await allKeptBy(page)).not.toMatch(IN_BYTES);
  await other.evaluate(PLANT);
  expect(await allKeptBy(page)).toMatch(/planted: Ada[\s\S]*planted in bytes: Björn/);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Sign in with the wallet that owns the payroll.').waitFor();
  await other.getByRole('button', { name: 'Open your names' }).waitFor();
  for (const tab of [page, other]) expect(await textOf(tab)).not.toMatch(A_NAME);
  await page.reload();
  await signIn(page);
  await page.getByRole('button', { name: 'Open your names' }).waitFor();
  await expectAccessible(page, 'names-closed');
  await page.getByRole('button', { name: 'Open your names' }).click();
  await expectAccessible(page, 'names-open');
  await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
  await page.getByRole('cell', { name: 'Sales part-time' }).waitFor();
  await page.getByRole('button', { name: 'Remove them from this browser' }).click();
  await expectAccessible(page, 'names-remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove them' }).click();
  await page.getByRole('cell', { name: 'Sales part-time' }).waitFor({ state: 'detached' });
  await page.context().close();
});

it('carries names to another browser in a file, and asks what is right where both know a person', async () => {
  const { page } = await visitor(employer.signer);
  await signIn(page);
  await page.getByText(WRITTEN).first().waitFor();
  await keepNames(page);
  await page.getByRole('button', { name: 'Save them to a file' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('A passphrase').check();
  await dialog.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await dialog.getByLabel('Passphrase, once more').fill(PASSPHRASE);
  await expectAccessible(page, 'the form for a passphrase');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ]);
  const file = join(world.folder, download.suggestedFilename());
  await download.saveAs(file);
  expect(readFileSync(file).toString('latin1')).not.toMatch(IN_BYTES);
  await page.context().close();

  const { page: elsewhere } = await visitor(employer.signer);
  await signIn(elsewhere);
  await elsewhere.getByText(WRITTEN).first().waitFor();
  await elsewhere
    .getByRole('button', { name: /^Edit the name of/ })
    .first()
    .click();
  await elsewhere.getByLabel('Name', { exact: true }).fill('Someone Else');
  await elsewhere.getByRole('button', { name: 'Save', exact: true }).click();
  await elsewhere.getByLabel('Read names from a file').setInputFiles(file);
  await elsewhere.getByLabel('Passphrase').fill('not the passphrase');
  await elsewhere.getByRole('button', { name: 'Read', exact: true }).click();
  await elsewhere.getByText('This passphrase does not open the names.').waitFor();
  await expectAccessible(elsewhere, 'names-wrong-passphrase');
  await elsewhere.getByLabel('Passphrase').fill(PASSPHRASE);
  await elsewhere.getByRole('button', { name: 'Read', exact: true }).click();
  const questions = elsewhere.getByRole('dialog', { name: 'What is right?' });
  await questions.getByText('1 entry of the file says something else').waitFor();
  await expectAccessible(elsewhere, 'questions about names');
  await questions.getByRole('button', { name: 'Take all from the file' }).click();
  await elsewhere.getByText(`${RECIPIENTS} names for ${RECIPIENTS} entries, in this tab only.`).waitFor();
  // The question is closed before the names are there.
  await expect.poll(() => textOf(elsewhere)).not.toContain('Someone Else');
  await elsewhere.context().close();
});

it('opens 80,000 names within a second, and answers meanwhile', async () => {
  const many = join(world.folder, 'many.csv');
  const addresses = Array.from({ length: MANY }, (_, place) => `Address${String(place).padStart(37, '0')}`);
  const lines = [recipient(), ...addresses].map(
    (address, place) => `Ada Example ${place},Department ${place % 20},${address}`,
  );
  writeFileSync(many, ['name,label,recipient', ...lines].join('\n'));
  const { page } = await visitor(employer.signer);
  await signIn(page);
  await page.getByText(WRITTEN).first().waitFor();
  const reading = await tasksOf(page, async () => {
    await page.getByLabel('Read names from a file').setInputFiles(many);
    await page.getByText('1 name for').waitFor();
  });
  const keeping = await tasksOf(page, async () => {
    await page.getByRole('button', { name: 'Keep them in this browser' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
    await page.getByText('kept in this browser, encrypted.').waitFor();
  });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page);
  await page.getByRole('button', { name: 'Open your names' }).click();
  const opening = await tasksOf(page, async () => {
    await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
    await page.getByText('1 name for').waitFor();
  });
  for (const { longest } of [reading, keeping, opening]) expect(longest).toBeLessThan(LONGEST_TASK_MS);
  expect(opening.all).toBeLessThan(1_000);
  await page.context().close();
});

it('shows a stranger’s wallet nothing', async () => {
  const { page, bodies } = await visitor(await generateKeyPairSigner(), 'desktop', 'mine');
  await signIn(page);
  await page.getByText('This wallet owns no vault with a schedule that is registered here.').waitFor();
  await expectAccessible(page, 'a stranger’s view');
  await page.goto(`${world.apiUrl}/#/mine/${employer.schedule}`);
  await page.getByText(/^The list was not opened/).waitFor();
  expect(await textOf(page)).not.toContain(WRITTEN);
  for (const body of bodies) expect(body).not.toContain(recipient());
  await page.context().close();
});

it('says on the schedule’s own page that a change waits for the approver, until they have agreed', async () => {
  const { vault, schedule, signer } = employer;
  const approver = await generateKeyPairSigner();
  await world.fund(approver.address);
  const payees = await variedPayees(3, AMOUNT);
  const { root, total: amount } = prepareList(payees);
  const mine = { employer: signer, payer: signer, vault };
  const instructions = [
    await getSetApprovalInstructionAsync({ ...mine, approver: approver.address, limit: 0n, dailyLimit: 0n }),
    await getUpdateRecipientsInstructionAsync({
      ...mine,
      schedule,
      root,
      amount,
      recipients: payees.length,
      holds: 0,
      held: [],
    }),
  ];
  const page = await visitors.visit(world.apiUrl, { place: `schedules/${schedule}` });
  await page.getByText('Windows left').waitFor();
  expect(await page.getByText('waits for the vault’s approver').count()).toBe(0);

  await sendToBase(world.ledgers, instructions, signer);
  const waits = page.getByText('A change waits for the vault’s approver.');
  await waits.waitFor();
  await page
    .getByText(
      /^It brings a list of 3 recipients for [\d,.]+ USDC each time, in place of \d+ recipients for [\d,.]+ USDC\. What was approved before goes on/,
    )
    .waitFor();
  await expectAccessible(page, 'a change that waits');

  const { data } = await fetchSchedule(world.ledgers.base, schedule);
  const agreement = await approveScheduleInstructions({ approver, address: schedule, schedule: data });
  await sendToBase(world.ledgers, agreement, approver);
  await waits.waitFor({ state: 'detached' });
  await page.getByText('The list of the current root is not registered here.').waitFor();
  await expectAccessible(page, 'schedule-list-missing');
  await page.context().close();

  const { page: own } = await visitor(signer);
  await signIn(own);
  await own.getByText('The list of the current root is not registered here.').waitFor();
  await expectAccessible(own, 'payroll-list-missing');
  await own.context().close();
});

it('asked nobody else for anything, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
