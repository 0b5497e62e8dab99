import { writeFileSync } from 'node:fs';
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
import { expectToFit, picture, type Screen, Visitors } from '@payouts/testing/browser/browser';
import { giveWallet, signIn } from '@payouts/testing/browser/wallet';
import { nameToken } from '@payouts/testing/token';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 12;
/** A number that stands nowhere else. */
const AMOUNT = 4_321_987_000n;
const WRITTEN = '4,321.987';
const NAMES = ['Ada Example', 'Björn Sample', 'Chiara Prova', 'Dmitri Obrazets', 'Esi Nhwɛso', 'Farid Namuna'];

let world: World;
let visitors: Visitors;
let employer: Employer;
let payroll: string;

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
});
afterAll(() => visitors?.close());

/** What the page holds in its text, and what it keeps beyond this tab. */
const textOf = (page: Page): Promise<string> => page.evaluate('document.documentElement.outerHTML') as Promise<string>;
const keptBy = (page: Page): Promise<string> =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])') as Promise<string>;
const recipient = (): string => employer.list.recipients[0]?.recipient as string;

async function visitor(wallet: KeyPairSigner, screen: Screen = 'desktop') {
  const bodies: string[] = [];
  const sent: string[] = [];
  const page = await visitors.visit(world.apiUrl, {
    place: 'mine',
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
  await page.getByLabel('Open your payroll CSV for names').setInputFiles(payroll);
  await page.getByText(`${RECIPIENTS} names for ${RECIPIENTS} entries.`).waitFor();
  await table.getByText('Ada Example 0').waitFor();
  await expectAccessible(page, 'an employer’s list');
  await expectToFit(page);
  await picture(page, 'my-payrolls');
  await page.getByLabel('Find a name, address or amount').fill('chiara');
  await table.getByText('Ada Example 0').waitFor({ state: 'detached' });
  expect(await table.getByRole('row').count()).toBe(RECIPIENTS / NAMES.length + 1);

  // Whatever stands between this tab and the coordinator reads neither, and the names went nowhere.
  for (const body of [...bodies, ...sent]) {
    for (const secret of [recipient(), String(employer.list.recipients[0]?.amount), 'Ada Example']) {
      expect(body).not.toContain(secret);
    }
  }
  expect(sent.some((line) => line.includes('/recipients'))).toBe(true);

  // A session ends with a reload, and nothing of it is left.
  expect(await keptBy(page)).not.toMatch(new RegExp(`${recipient()}|${WRITTEN}|Ada`));
  await page.reload();
  await page.getByText('Sign in with the wallet that owns your vault.').waitFor();
  expect(await textOf(page)).not.toMatch(new RegExp(`${recipient()}|${WRITTEN}|Ada`));
  await page.context().close();
});

it('forgets names and amounts when the employer signs out', async () => {
  const { page } = await visitor(employer.signer);
  await signIn(page);
  await page.getByText(WRITTEN).first().waitFor();
  await page.getByLabel('Open your payroll CSV for names').setInputFiles(payroll);
  await page.getByText('Ada Example 0').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Sign in with the wallet that owns your vault.').waitFor();
  expect(await textOf(page)).not.toMatch(new RegExp(`${recipient()}|${WRITTEN}|Ada`));
  await page.context().close();
});

it('shows a stranger’s wallet nothing', async () => {
  const { page, bodies } = await visitor(await generateKeyPairSigner());
  await signIn(page);
  await page.getByText('This wallet owns no vault with a schedule that is registered here.').waitFor();
  await expectAccessible(page, 'a stranger’s view');
  await page.goto(`${world.apiUrl}/#/mine?schedule=${employer.schedule}`);
  await page.getByText('This wallet owns no vault with a schedule that is registered here.').waitFor();
  expect(await textOf(page)).not.toContain(WRITTEN);
  for (const body of bodies) expect(body).not.toContain(recipient());
  await page.context().close();
});

it('is read on a phone', async () => {
  const { page } = await visitor(employer.signer, 'phone');
  await signIn(page);
  await page.getByText(WRITTEN).first().waitFor();
  await expectAccessible(page, 'an employer’s list on a phone');
  await expectToFit(page);
  await picture(page, 'my-payrolls-phone');
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
    await getUpdateRecipientsInstructionAsync({ ...mine, schedule, root, amount, recipients: payees.length }),
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
  await expectToFit(page);
  await picture(page, 'change-waits');

  const { data } = await fetchSchedule(world.ledgers.base, schedule);
  const agreement = await approveScheduleInstructions({ approver, address: schedule, schedule: data });
  await sendToBase(world.ledgers, agreement, approver);
  await waits.waitFor({ state: 'detached' });
  await page.getByText('The list of the current root is not registered here.').waitFor();
  await page.context().close();
});

it('asked nobody else for anything, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
