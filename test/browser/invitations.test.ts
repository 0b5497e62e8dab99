import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendAs } from '@payouts/cli';
import { acceptInvitation, openLink, type PublicPost, readInvitationLink, systemTime } from '@payouts/client';
import { invite } from '@payouts/employer';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { Visitors } from '@payouts/testing/browser/browser';
import { giveWallet, signIn, type TestWallet } from '@payouts/testing/browser/wallet';
import { nameToken } from '@payouts/testing/token';
import { freshWallet, keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

const UNIT = 1_000_000n;
const [ADA, BJORN, CHIARA] = ['Ada Example', 'Björn Sample', 'Chiara Prova'] as const;

let world: World;
let visitors: Visitors;
let employer: Employer;
/** Somebody who is paid today, and the wallet that she wants to be paid at. */
let chiara: KeyPairSigner;
let next: KeyPairSigner;
let office: Page;
let officeWallet: TestWallet;
/** All that the employer's browser asked for. */
const asked: string[] = [];
let links: ReadonlyMap<string, string>;
let ben: { readonly address: Address; readonly check: string };

beforeAll(async () => {
  [world, visitors] = await Promise.all([World.shared(), Visitors.open()]);
  await world.startCoordinator({ BROWSER_RPC_URL: world.urls.baseRpcUrl });
  const [first, ...others] = await variedPayees(2, 100n * UNIT);
  if (first === undefined) throw new Error('There is nobody to pay.');
  chiara = keyOf(first);
  next = await generateKeyPairSigner();
  employer = await world.employer([first, ...others]);
  await nameToken(world, employer.mint, 'USDC');
  await world.registerAndSettle(employer);
  office = await visitors.visit(world.apiUrl, {
    place: 'mine/invitations',
    ledgers: [world.urls.baseRpcUrl],
    before: async (fresh) => {
      officeWallet = await giveWallet(fresh, employer.signer);
      fresh.on('request', (request) => asked.push(request.url()));
    },
  });
  await signIn(office);
});
afterAll(() => visitors?.close());

const press = (name: string, on = office) => on.getByRole('button', { name, exact: true }).click();
/** Waits for a text; fails the test with what the page says if it does not come. */
async function says(text: string | RegExp, on = office): Promise<void> {
  await on
    .getByText(text)
    .first()
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`no ${text}, but: ${await on.locator('main').textContent()}`, { cause });
    });
}

/** Agrees to what a dialog says that it does. */
async function agree(name: string, effect: string | RegExp, done: string): Promise<void> {
  const dialog = office.getByRole('dialog', { name });
  await dialog.getByText(effect).first().waitFor();
  await expectAccessible(office, `invitations ${name}`);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.getByText(done).first().waitFor();
  await expectAccessible(office, `invitations ${done}`);
}

const close = () => office.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();

/** Asks the coordinator as somebody at another machine. */
const post: PublicPost = async <T>(path: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${world.apiUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
};

/** Answers a link with an address. */
async function answer(name: string): Promise<{ readonly address: Address; readonly check: string }> {
  const signer = await generateKeyPairSigner();
  const opened = await openLink(post, links.get(name) ?? 'no link');
  return { address: signer.address, check: await acceptInvitation(post, opened, signer) };
}

it('asks an employer to pay another wallet, by both wallets, and says what happens next', async () => {
  const page = await visitors.visit(world.apiUrl, {
    path: '/recipient/',
    screen: 'phone',
    before: async (fresh) => {
      await giveWallet(fresh, chiara);
      await giveWallet(fresh, next, 'New Wallet');
    },
  });
  await press('Test Wallet', page);
  await page.getByRole('link', { name: 'Be paid at another address' }).click();
  await says(employer.vault, page);
  await expectAccessible(page, 'recipient elsewhere');
  await press('Test Wallet', page);
  await says('This is the wallet that is paid today.', page);
  await expectAccessible(page, 'recipient elsewhere same');
  await press('Choose another wallet', page);
  await press('New Wallet', page);
  await says(next.address, page);
  await press('Ask for it', page);
  await says('Asked. Your employer sees it, and decides.', page);
  await says('Until your employer has taken it into their next list', page);
  await expectAccessible(page, 'recipient elsewhere asked');
  await press('Sign out', page);
  await press('New Wallet', page);
  await says('Nobody has paid this wallet yet, so there is nobody to ask.', page);
  await expectAccessible(page, 'recipient elsewhere nobody');
  await page.context().close();
});

it('makes a link for each name on the employer’s page, which tells them to nobody else', async () => {
  await says('Your wallet signs a text that opens them');
  await expectAccessible(office, 'invitations closed');
  await press('Open my invitations');
  await says('Nobody is invited.');
  await says(next.address);
  await expectAccessible(office, 'invitations none');
  await office.getByLabel('Names, as your payroll has them').fill(`${ADA}\n${BJORN}\n`);
  await office.getByLabel('Who you are, as they know you').fill('Example Ltd');
  await press('Make the links');
  await agree('Make the links', /Makes 2 links, good until/, 'Send each link to whom it is for');
  const made = await office.getByRole('dialog').getByRole('listitem').all();
  const pairs = made.map(
    async (one) => [await one.locator('strong').textContent(), await one.locator('code').textContent()] as const,
  );
  links = new Map((await Promise.all(pairs)) as [string, string][]);
  expect([...links.keys()]).toEqual([ADA, BJORN]);
  await close();
  const secrets = [...links.values()].map((link) => link.slice(-43));
  for (const url of asked) {
    for (const secret of [...secrets, ADA, encodeURIComponent(ADA), next.address]) expect(url).not.toContain(secret);
  }
});

it('shows what was answered, both answers of a stolen link, and takes none of them without its code', async () => {
  await answer(BJORN);
  ben = await answer(BJORN);
  // Something that nobody can have made with the link and an address's key, and an invitation by a key that is not the wallet's.
  const { token } = readInvitationLink(links.get(BJORN) ?? 'no link');
  const [mark, sealed] = ['A'.repeat(43), 'A'.repeat(80)];
  await post('/api/invitation-answers', { token, mark, sealed });
  const { signer, vault } = employer;
  const other = { key: new Uint8Array(32), send: sendAs({ apiUrl: world.apiUrl, signer, time: systemTime }) };
  const expiresAt = systemTime.now() + 3_600_000;
  await invite(other, { vault, names: ['Dora'], from: '', expiresAt, page: `${world.apiUrl}/recipient/` });
  const ada = await answer(ADA);
  // What is read again by itself is read anew by whoever comes back.
  await office.goto(`${world.apiUrl}/#/mine`);
  await office.getByRole('link', { name: 'Invitations' }).click();
  await says(`2 addresses were given: somebody else has the link. Ask ${BJORN} which code is theirs.`);
  await says('One of the answers is not proven by its address, and left out.');
  await says("One that waits here was made by another key, or changed: it doesn't open.");
  for (const shown of [ada.address, ada.check, ben.address, ben.check]) await says(shown);
  await expectAccessible(office, 'invitations answered');
  const old = await freshWallet();
  const file = join(world.folder, 'team.csv');
  writeFileSync(file, `name,recipient,amount\n${ADA},${old},1000.00\n${CHIARA},${chiara.address},100.00\n`);
  await office.getByLabel('Open a payroll').setInputFiles(file);
  await press(`Take the address of ${BJORN}`);
  const dialog = office.getByRole('dialog', { name: 'Take the address' });
  await dialog.getByLabel('The code that they have told you').fill('AAAAA-AAAAA');
  await dialog.getByRole('button', { name: 'See what it changes' }).click();
  await dialog.getByText('No address that waits has this code').waitFor();
  await expectAccessible(office, 'invitations other code');
  await dialog.getByLabel('The code that they have told you').fill(ben.check.toLowerCase());
  await dialog.getByRole('button', { name: 'See what it changes' }).click();
  await dialog.getByText(`Its code is ${ben.check}, as they have told you.`).waitFor();
  await expectAccessible(office, 'invitations take');
  await dialog.getByRole('button', { name: 'Take it into the draft' }).click();
  await press(`Take the address of ${ADA}`);
  await dialog.getByRole('button', { name: 'See what it changes' }).click();
  for (const shown of ['at another address. Now, and then:', old, ada.address]) {
    await dialog.getByText(shown).first().waitFor();
  }
  await dialog.getByRole('button', { name: 'Back' }).click();
  await office.keyboard.press('Escape');
});

it('takes addresses into a draft, which counts for nothing before what it changes was seen', async () => {
  await office.getByRole('button', { name: /^Take the new address of/ }).click();
  const dialog = office.getByRole('dialog', { name: 'Take the address' });
  await dialog.getByRole('button', { name: 'See what it changes' }).click();
  await dialog.getByText(next.address).waitFor();
  await dialog.getByRole('button', { name: 'Take it into the draft' }).click();
  await says('with 2 addresses that you have taken and not saved.');
  await expectAccessible(office, 'invitations draft');
  await press('Save the draft');
  const [saved] = await Promise.all([
    office.waitForEvent('download'),
    agree('Save it and forget them', /Forgets 2 invitations and requests/, 'Saved.'),
  ]);
  expect(saved.suggestedFilename()).toBe('team.csv');
  const draft = readFileSync(await saved.path(), 'utf8');
  expect(draft).toContain(`${BJORN},${ben.address},\n`);
  expect(draft).toContain(`${CHIARA},${next.address},100.00\n`);
  await close();
  await press(`Withdraw the invitation of ${ADA}`);
  await agree('Withdraw the invitation', 'Forgets it, with what was answered.', 'Forgotten.');
  await close();
  await says('Nobody is invited.');

  await office.goto(`${world.apiUrl}/#/mine/${employer.schedule}/change`);
  await press('Open your draft');
  await says('The amount is missing.');
  await expectAccessible(office, 'a draft without an amount');
  expect(officeWallet.transactions).toEqual([]);
});

it('asks whoever has no wallet in the browser to go where the key is', async () => {
  await press('Sign out');
  await office.goto(`${world.apiUrl}/#/mine/invitations`);
  await says('Sign in with the wallet that owns your vault.');
  await expectAccessible(office, 'invitations of a stranger');
  await signIn(office);
  await says('Your wallet signs a text that opens them');
  expect(await office.getByText(next.address).count()).toBe(0);
});
