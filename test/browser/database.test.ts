import { join } from 'node:path';
import { readExecutions, readOrCreateKey } from '@payouts/cli';
import { systemTime } from '@payouts/client';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { seeHeading, Visitors } from '@payouts/testing/browser/browser';
import { FOUR_WEEKS, monthlyEmployer } from '@payouts/testing/browser/monthly';
import { payout } from '@payouts/testing/payout';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { type Employer, World } from '@payouts/testing/world';
import type { KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 5;

let world: World;
let postgres: Postgres;
let databaseUrl: string;
let visitors: Visitors;
let operator: KeyPairSigner;
let employer: Employer;
const operatorFile = () => join(world.folder, 'operator.json');

beforeAll(async () => {
  [world, postgres, visitors] = await Promise.all([World.start(), startPostgres(systemTime), Visitors.open()]);
  databaseUrl = await postgres.createDatabase();
  operator = await readOrCreateKey(operatorFile());
  await world.startCoordinator({
    DATABASE_URL: databaseUrl,
    PAYLOAD_KEY: world.payloadKey,
    OPERATORS: operator.address,
    // Healed by the operator, before the service does it by itself.
    RECONCILE_INTERVAL_SECONDS: '3600',
  });
  employer = await monthlyEmployer(world, RECIPIENTS, 1_731_846_257n);
});
afterAll(() => visitors?.close());

it('signs in an operator whose key is a file, by a command, and heals what differs from the ledgers', async () => {
  const page = await visitors.visit(world.apiUrl, { place: 'reconcile' });
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  const command = (await dialog.getByText(/^payout sign-in /).textContent()) ?? '';
  const paste = async (text: string) => {
    await dialog.getByLabel('What the command printed').fill(text);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
  };
  await paste('what?');
  await dialog.getByText('This is not a delegation. Paste the whole line that the command printed.').waitFor();
  await expectAccessible(page, 'signing in by a command');

  const [name, ...words] = command.replace('FILE', operatorFile()).split(' ');
  expect(name).toBe('payout');
  const { code, out, err } = await payout({}, ...words);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(operator.address) });
  await paste(out);
  await page.getByText('Operator', { exact: true }).waitFor();

  await postgres.rows(databaseUrl, 'delete from execution_runs');
  await postgres.rows(databaseUrl, 'delete from reconciled_schedules');
  expect(await readExecutions(world.apiUrl, employer.schedule)).toEqual([]);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('1 difference left.').waitFor();
  const row = page.getByRole('table', { name: 'Differences' }).getByRole('row').nth(1);
  expect(await row.textContent()).toBe(`run-missing${employer.schedule}:0! left`);
  await expectAccessible(page, 'a difference');

  await page.getByRole('button', { name: 'Heal what can be healed' }).click();
  await page.getByText('1 difference healed.').waitFor();
  expect(await row.textContent()).toContain('✓ healed');
  await expectAccessible(page, 'reconcile-healed');
  await page.goto(`${world.apiUrl}/#/runs/${employer.schedule}/0`);
  await page.getByText('Settled.').waitFor();
  await page.getByText(/^Recorded from the base ledger’s history/).waitFor();
  await expectAccessible(page, 'run-recorded-again');
  await page.getByText(`${RECIPIENTS} of ${RECIPIENTS}`).waitFor();
  await page.context().close();
});

it('says that the database is away, keeps what it has read, and goes on by itself when it is back', async () => {
  const page = await visitors.visit(world.apiUrl, { place: `schedules/${employer.schedule}` });
  const past = page.getByRole('link', { name: `Window 0 of ${employer.schedule}` });
  await past.waitFor();
  await postgres.stop('immediate');
  const trouble = page.getByText('The database does not answer; try again in a moment.');
  await trouble.first().waitFor();
  await page
    .getByText(/a part that it needs does not answer: \/api\/health says which/)
    .first()
    .waitFor();
  // An answer of health is good for half a second; the page may have asked for something else first.
  await expect.poll(async () => (await fetch(`${world.apiUrl}/api/health`)).status, { timeout: 60_000 }).toBe(503);
  // What was read last is still there, and the coordinator itself is.
  expect(await past.isVisible()).toBe(true);
  expect(await page.getByText('Disconnected').count()).toBe(0);
  await expectAccessible(page, 'a database that is away');
  // Whoever comes now is told the same.
  const late = await visitors.visit(world.apiUrl, { place: `runs/${employer.schedule}/0` });
  await seeHeading(late, 'Window 0');
  await late.getByText('The database does not answer; try again in a moment.').waitFor();

  await world.localnet.admin.advanceClock(FOUR_WEEKS);
  await postgres.start();
  await late.getByText('Settled.').waitFor();
  // Nobody reloads anything, and the window that fell due meanwhile is paid.
  await page.getByRole('link', { name: `Window 1 of ${employer.schedule}` }).click({ timeout: 90_000 });
  await page.getByText('Settled.').waitFor({ timeout: 90_000 });
  await page.getByText(`${RECIPIENTS} of ${RECIPIENTS}`).waitFor();
  await trouble.first().waitFor({ state: 'detached' });
  for (const each of [page, late]) await each.context().close();
  await world.checkMoneyRules(employer);
});

it('asked nobody else for anything, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
