import { expectAccessible } from '@payouts/testing/browser/axe';
import { picture, Visitors } from '@payouts/testing/browser/browser';
import { FOUR_WEEKS, monthlyEmployer } from '@payouts/testing/browser/monthly';
import { giveWallet, signIn } from '@payouts/testing/browser/wallet';
import { rowsOf } from '@payouts/testing/services';
import { type Employer, until, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 6;
const AMOUNT = 2_119_370_463n;
const MANY = 10_000;
const PAGE = 50;

let world: World;
let databaseUrl: string;
let visitors: Visitors;
let operator: KeyPairSigner;
let employer: Employer;
let settings: Record<string, string>;

beforeAll(async () => {
  [world, visitors, operator] = await Promise.all([World.start(), Visitors.open(), generateKeyPairSigner()]);
  databaseUrl = await world.createDatabase();
  settings = {
    DATABASE_URL: databaseUrl,
    PAYLOAD_KEY: world.payloadKey,
    STAGE_RETRY_MS: '100',
    OPERATORS: operator.address,
  };
  await world.startCoordinator({ ...settings, STAGE_PATIENCE_MS: '1' });
  employer = await monthlyEmployer(world, RECIPIENTS, AMOUNT);
});
afterAll(() => visitors?.close());

it('shows strangers nothing of all schedules, and lets them look up one', async () => {
  const stranger = await generateKeyPairSigner();
  const page = await visitors.visit(world.apiUrl, {
    before: async (fresh) => {
      await giveWallet(fresh, stranger);
    },
  });
  await page.getByText('This coordinator shows its overview to its operators only.').waitFor();
  await expectAccessible(page, 'a closed overview');
  await signIn(page);
  await page.getByText('This coordinator shows its overview to its operators only.').waitFor();
  await page.goto(`${world.apiUrl}/#/reconcile`);
  await page.getByText('The wallet that is signed in is no operator’s.').waitFor();
  await expectAccessible(page, 'reconcile-no-operator');
  await page.goto(`${world.apiUrl}/#/schedules/${employer.schedule}`);
  await page.getByRole('link', { name: `Window 0 of ${employer.schedule}` }).waitFor();
  await page.context().close();
});

it('lets an operator see why a run is exhausted, resume it, and watch it being settled', async () => {
  await world.localnet.killLayer();
  await world.localnet.admin.advanceClock(FOUR_WEEKS);
  const texts: string[] = [];
  const page = await visitors.visit(world.apiUrl, {
    before: async (fresh) => {
      const asked = await giveWallet(fresh, operator);
      fresh.on('close', () => texts.push(...asked.texts));
    },
  });
  await signIn(page);
  await page.getByRole('heading', { name: 'Not everybody is being paid.' }).waitFor();
  await page.getByText('1 window has stopped and needs an operator.').waitFor({ timeout: 90_000 });
  await expectAccessible(page, 'an overview with an exhausted run');
  await picture(page, 'overview-exhausted');
  await page.getByRole('link', { name: /Needs attention/ }).click();
  await page.getByRole('link', { name: `Window 1 of ${employer.schedule}` }).click();
  await page.getByText('The execution layer does not answer.').first().waitFor();
  await page.getByText(/Check LAYER_RPC_URL/).waitFor();
  await expectAccessible(page, 'an exhausted run');
  await picture(page, 'run-exhausted');

  await page.goto(`${world.apiUrl}/#/reconcile`);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('The execution layer did not answer.').waitFor();
  await expectAccessible(page, 'reconcile-no-layer');
  await page.goBack();

  await world.localnet.restartLayer();
  const resume = page.getByRole('button', { name: 'Resume this run' });
  await resume.click();
  await page.getByText('Resumed. It goes on where the ledgers stand.').waitFor();
  await until(async () => {
    try {
      await page.getByText('Settled.').waitFor({ timeout: 10_000 });
      return true;
    } catch {
      // The layer may not have been ready yet, which ends the patience of this service again.
      await resume.click({ timeout: 1_000 }).catch(() => {});
      return false;
    }
  }, 'the run to be settled');
  await page.getByText(`${RECIPIENTS} of ${RECIPIENTS}`).waitFor();
  await expectAccessible(page, 'run-resumed');
  await page.context().close();
  expect(texts).toHaveLength(1);
  expect(texts[0]).toMatch(/^payouts sign-in\norigin: http:\/\/127\.0\.0\.1:\d+\n/);
  expect(new Set(await world.privateBalances(employer)).size).toBe(RECIPIENTS);
  await world.checkMoneyRules(employer);
});

it('lets an operator compare the database with the ledgers', async () => {
  const page = await visitors.visit(world.apiUrl, {
    place: 'reconcile',
    before: async (fresh) => {
      await giveWallet(fresh, operator);
    },
  });
  await signIn(page);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText(/1 schedule, 1 vault and 1 token compared\./).waitFor();
  await expectAccessible(page, 'reconcile');
  await world.localnet.admin.setHabits({ listsAccounts: false });
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText("The base ledger's node does not list a program's accounts.").waitFor();
  await expectAccessible(page, 'reconcile-no-list');
  await world.localnet.admin.setHabits({});
  await page.context().close();
});

it('pages through 10,000 runs, by state, forth and back, without being slow', async () => {
  // One each minute, until now.
  const from = Math.floor(Date.now() / 1_000) - MANY * 60;
  await rowsOf(
    databaseUrl,
    `insert into execution_runs (schedule, window_number, state, stage, claims_paid, claims_total, paid_amount, created_at, started_at, finished_at, due_at)
     select '${employer.schedule}', 1000 + n, case when n % 100 = 0 then 'cancelled' else 'settled' end, 'commit', 6, 6, '12600000015',
       ${from}000 + n * 60000, ${from}000 + n * 60000, ${from}000 + n * 60000 + 2000, ${from} + n * 60
     from generate_series(1, ${MANY}) as n`,
  );
  const page = await visitors.visit(world.apiUrl, {
    place: 'runs',
    before: async (fresh) => {
      await giveWallet(fresh, operator);
    },
  });
  await signIn(page);
  await until(async () => ((await page.getByText(/Settled 9,9\d\d/).count()) > 0 ? true : undefined), 'the counts');
  const rows = page.getByRole('table').getByRole('row');
  await until(async () => ((await rows.count()) === PAGE + 1 ? true : undefined), 'a page of runs');
  await expectAccessible(page, '10,000 runs');
  await picture(page, 'runs-10000', false);

  const seen = new Set<string>();
  const firstOf = () => page.locator('main tbody [data-row]').first().getAttribute('href');
  const took: number[] = [];
  for (let number = 0; number < 20; number++) {
    const before = await firstOf();
    for (const link of await page.locator('main tbody [data-row]').all())
      seen.add((await link.getAttribute('href')) ?? '');
    const begun = performance.now();
    await page.keyboard.press('n');
    await until(async () => ((await firstOf()) !== before ? true : undefined), 'the next page', 30_000, 10);
    took.push(performance.now() - begun);
  }
  // No run is on two pages.
  expect(seen.size).toBe(20 * PAGE);
  took.sort((one, other) => one - other);
  console.log(
    `      a page of ${PAGE} of ${MANY} runs: ${Math.round(took[10] as number)} ms, the second slowest ${Math.round(took.at(-2) as number)} ms`,
  );
  // Some of them may be, on a machine that is busy with other things.
  expect(took[10]).toBeLessThan(2_000);

  const here = await firstOf();
  const address = page.url();
  await page.keyboard.press('p');
  await until(async () => ((await firstOf()) !== here ? true : undefined), 'the page before');
  // A page has an address of its own.
  expect(address).toContain('cursor=');
  await page.goto(address);
  await until(async () => ((await firstOf()) === here ? true : undefined), 'the same page again');
  await page.getByRole('link', { name: /^Cancelled/ }).click();
  await until(
    async () =>
      (await page.getByRole('table').getByText('Settled', { exact: true }).count()) === 0 ? true : undefined,
    'the filter',
  );
  expect(page.url()).toContain('state=cancelled');
  await page.context().close();
});

it('asked nobody else for anything, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
