import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVIDENCE_FILE, evidenceFromJson, jsonIn, verifyEvidence } from '@payouts/statements';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { type Colours, type Screen, seeHeading, Visitors } from '@payouts/testing/browser/browser';
import { giveWallet, signIn } from '@payouts/testing/browser/wallet';
import { nameToken } from '@payouts/testing/token';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 5;
const HELD = 3;
/** What a window gives back is public: of one who is held back alone, it would be their amount. */
const HELD_TOO = 4;
/** A number that stands nowhere else. */
const AMOUNT = 7_654_321_000n;
const YEAR = String(new Date().getUTCFullYear() + 1);

let world: World;
let visitors: Visitors;
let employer: Employer;
let auditor: KeyPairSigner;

beforeAll(async () => {
  [world, visitors, auditor] = await Promise.all([World.shared(), Visitors.open(), generateKeyPairSigner()]);
  employer = await world.employer(await variedPayees(RECIPIENTS, AMOUNT), { executions: 1 });
  await nameToken(world, employer.mint, 'USDC');
  for (const index of [HELD, HELD_TOO]) await world.hold(employer, index);
  await world.startCoordinator({ BROWSER_RPC_URL: world.urls.baseRpcUrl, DASHBOARD_PUBLIC: 'true' });
  await world.registerAndSettle(employer);
});
afterAll(() => visitors?.close());

async function visitor(wallet: KeyPairSigner, place: string, screen: Screen = 'desktop', colours: Colours = 'light') {
  const bodies: string[] = [];
  const page = await visitors.visit(world.apiUrl, {
    place,
    screen,
    colours,
    before: async (fresh) => {
      await giveWallet(fresh, wallet);
      fresh.on('response', async (response) => bodies.push(await response.text().catch(() => '')));
    },
  });
  await signIn(page);
  return { page, bodies };
}

/** What a button of the page gives to take along. */
async function downloaded(page: Page, button: string): Promise<{ name: string; bytes: Uint8Array }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
  const path = join(world.folder, file.suggestedFilename());
  await file.saveAs(path);
  return { name: file.suggestedFilename(), bytes: new Uint8Array(await readFile(path)) };
}

const grantDialog = (page: Page) => page.getByRole('dialog', { name: 'Grant an auditor' });

async function openGrant(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Grant an auditor' }).click();
  await grantDialog(page).getByLabel('The auditor’s address').fill(auditor.address);
  await grantDialog(page).getByLabel('Until the end of').fill(`${YEAR}-03-31`);
}

it('grants an auditor totals and named recipients from the page of a payroll, signed by the employer’s wallet', async () => {
  const { page: early } = await visitor(auditor, 'audit');
  await early.getByText('Nobody has granted this wallet anything that is active now.').waitFor();
  await expectAccessible(early, 'audit-nothing-granted');
  await early.context().close();
  const { page } = await visitor(employer.signer, `mine/${employer.schedule}`);
  await page.getByText('No auditor may read anything of this payroll.').waitFor();
  await openGrant(page);
  await expectAccessible(page, 'a grant');
  await grantDialog(page).getByLabel('The auditor’s address').fill('nobody');
  await grantDialog(page).getByRole('button', { name: 'Grant' }).click();
  await grantDialog(page).getByText('The auditor’s address is none').waitFor();
  await expectAccessible(page, 'grant-wrong');
  await grantDialog(page).getByLabel('The auditor’s address').fill(auditor.address);
  await grantDialog(page).getByRole('button', { name: 'Grant' }).click();
  await page.getByText('totals of all windows').waitFor();

  await openGrant(page);
  await grantDialog(page).getByLabel('May read').selectOption('recipients');
  const named = [0, HELD].map((index) => employer.list.recipients[index]?.recipient).join('\n');
  await grantDialog(page).getByLabel('Their addresses, one a line').fill(named);
  await grantDialog(page).getByLabel('From window').fill('0');
  await grantDialog(page).getByLabel('To window').fill('0');
  await grantDialog(page).getByRole('button', { name: 'Grant' }).click();
  await page.getByText('2 named recipients of window 0').waitFor();
  await expectAccessible(page, 'an employer’s grants');
  await page.context().close();
});

it('shows an auditor totals that are verified, and gives them as CSV and PDF that a reader opens and the command verifies', async () => {
  const { list } = employer;
  const { page, bodies } = await visitor(auditor, 'audit');
  await page.getByText('totals', { exact: true }).waitFor();
  await page.getByLabel('Also look everything up on the base ledger').check();
  await page.getByRole('button', { name: 'Make the statement' }).click();
  await seeHeading(page, /^Statement$/);
  await page.getByText('is complete: its windows add up to the ledger').waitFor();
  await expectAccessible(page, 'a statement of totals');

  const csv = await downloaded(page, 'Download CSV');
  const held = [HELD, HELD_TOO].map((index) => list.recipients[index]?.amount as bigint);
  const paid = held.reduce((left, amount) => left - amount, list.total);
  const total = new TextDecoder()
    .decode(csv.bytes)
    .split('\n')
    .find((line) => line.startsWith('total,'));
  expect(total?.split(',')).toContain(String(paid));
  const pdf = await downloaded(page, 'Download PDF');
  const { text } = await extractText(await getDocumentProxy(Uint8Array.from(pdf.bytes)), { mergePages: true });
  expect(text).toContain(`${paid} base units`);
  expect((await verifyEvidence(evidenceFromJson(jsonIn(pdf.bytes, EVIDENCE_FILE)))).sums).toMatchObject([{ paid }]);
  // Whoever is given the PDF verifies it in a browser, signed in or not.
  const reader = await visitors.visit(world.apiUrl, { place: 'audit' });
  await reader.getByLabel(/^Open the statement/).setInputFiles(join(world.folder, csv.name));
  await reader.getByText('The file is neither statement.json nor a PDF that holds it.').waitFor();
  await reader.getByLabel(/^Open the statement/).setInputFiles(join(world.folder, pdf.name));
  await seeHeading(reader, /^Statement$/);
  expect(await reader.locator('.sum').textContent()).toBe(await page.locator('.sum').textContent());
  await expectAccessible(reader, 'a statement that was verified again');
  await reader.context().close();
  await page.getByLabel('From window').fill('1');
  await page.getByRole('button', { name: 'Make the statement' }).click();
  await page.getByText('No settled window was shown.').waitFor();
  await expectAccessible(page, 'audit-no-window');
  // Names of files say nothing private, and totals nothing of anybody.
  for (const { name } of [csv, pdf]) expect(name).toMatch(/^audit-totals-\d{4}-\d\d-\d\d\.(csv|pdf)$/);
  for (const { recipient } of list.recipients) {
    for (const body of [...bodies, text]) expect(body).not.toContain(recipient);
  }
  await page.context().close();
});

it('shows named recipients, verified, on a phone and in the dark, and nothing once the employer has revoked it', async () => {
  const { list } = employer;
  const [one] = list.recipients;
  const { page, bodies } = await visitor(auditor, 'audit', 'phone', 'dark');
  await page.getByLabel('About').selectOption('recipients');
  await page.getByRole('button', { name: 'Make the statement' }).click();
  await page.getByRole('heading', { name: 'Each recipient' }).waitFor();
  await page.getByText('Not verified', { exact: true }).waitFor();
  await expectAccessible(page, 'a statement of recipients');
  const pdf = await downloaded(page, 'Download PDF');
  const { text } = await extractText(await getDocumentProxy(Uint8Array.from(pdf.bytes)), { mergePages: true });
  expect(text).toContain(one?.recipient);
  expect(text).toContain(`${one?.amount} base units`);
  // It came encrypted for this tab.
  for (const body of bodies) expect(body).not.toContain(one?.recipient);

  const own = await visitor(employer.signer, `mine/${employer.schedule}`);
  const revoke = own.page.getByRole('button', { name: 'Revoke the grant' });
  await revoke.first().waitFor();
  for (let left = await revoke.count(); left > 0; left--) {
    await revoke.first().click();
    await expect.poll(() => revoke.count()).toBe(left - 1);
  }
  await page.getByRole('button', { name: 'Make the statement' }).click();
  await page.getByText('This wallet holds no such grant any more.').waitFor();
  await expectAccessible(page, 'audit-revoked');
  expect(await page.locator('main').textContent()).not.toContain(one?.recipient);
  await own.page.context().close();
  await page.context().close();
});

it('says on the overview that nothing is left to be paid', async () => {
  const page = await visitors.visit(world.apiUrl);
  for (const text of ['No window is to come.', 'No active schedule’s vault has been read.'])
    await page.getByText(text).waitFor();
  await expectAccessible(page, 'overview-all-over');
  await page.context().close();
});

it('asked nobody but the coordinator and its ledger for anything, and no page complained', () => {
  const { origin } = new URL(world.urls.baseRpcUrl);
  expect(visitors.complaints.filter((complaint) => complaint !== `asked elsewhere: ${origin}`)).toEqual([]);
});
