import { fetchVault, getVaultEncoder } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { expectAccessible } from '@payouts/testing/browser/axe';
import { expectToFit, picture, SIZES, seeHeading, Visitors } from '@payouts/testing/browser/browser';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import { nameToken } from '@payouts/testing/token';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, inSeconds, until, World } from '@payouts/testing/world';
import { lamports } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 24;
const AMOUNT = 1_258_413_097n;
/** Money for half a year: nothing runs short soon. */
const TERMS = { calendar: { unit: 'weeks', every: 4, day: 0 }, executions: 6 } as const;
/** Rent of the program's small accounts. */
const RENT = lamports(10_000_000n);
const SENDS = ['sendTransaction'];

let world: World;
let visitors: Visitors;
let layer: FaultProxy;
let port: number;
let employer: Employer;

const settings = () => ({
  DASHBOARD_PUBLIC: 'true',
  HOLD_RECHECK_MS: '500',
  LAYER_RPC_URL: layer.rpcUrl,
  // A page finds a coordinator that was started again where it was.
  PORT: String(port),
});

beforeAll(async () => {
  [world, visitors, port] = await Promise.all([World.start(), Visitors.open(), freePorts(1)]);
  const { layerRpcUrl, layerWsUrl } = world.localnet;
  layer = await FaultProxy.start({ rpcUrl: layerRpcUrl, wsUrl: layerWsUrl }, 1);
  await world.startCoordinator(settings());
});
afterAll(() => visitors?.close());

it('says on a first visit what this is, what is public and with what to begin', async () => {
  const page = await visitors.visit(world.apiUrl, { isFirst: true });
  await seeHeading(page, 'No payroll yet.');
  await seeHeading(page, 'About this page');
  for (const name of ['Public, also on the ledger', 'Private']) await seeHeading(page, name);
  await expectAccessible(page, 'first visit');
  await picture(page, 'first-visit');

  const search = page.getByRole('searchbox', { name: 'Schedule’s address' }).first();
  await search.fill('not an address');
  await search.press('Enter');
  await page.getByRole('alert').getByText('This is no address').waitFor();
  await expectAccessible(page, 'no-address');
  const unknown = world.admin.address;
  await search.fill(unknown);
  await search.press('Enter');
  await page.getByText('Check the address, or look at another coordinator.').waitFor();
  await expectAccessible(page, 'a schedule that is not here');
  await page.context().close();
});

it('shows a run live, from due to settled, with its stages on a line of time', async () => {
  // Due when the clock is turned.
  const firstExecution = inSeconds(HOUR);
  employer = await world.employer(await variedPayees(RECIPIENTS, AMOUNT), { ...TERMS, firstExecution });
  await nameToken(world, employer.mint, 'USDC');
  await world.register(employer);

  const page = await visitors.visit(world.apiUrl, { place: `schedules/${employer.schedule}` });
  await page.getByText('No window has been due yet.').waitFor();
  await expectAccessible(page, 'schedule-nothing-due');
  await page
    .getByText(/in (\d+ min|1 hr)/)
    .first()
    .waitFor();
  const overview = await visitors.visit(world.apiUrl);
  await overview.getByText('Nothing has run yet.').waitFor();
  await expectAccessible(overview, 'overview-nothing-run');
  await overview.context().close();
  // Nobody reloads anything from here on. What is sent to the layer waits there until the run was seen.
  layer.set({ faults: [{ kind: 'reorder', later: Number.MAX_SAFE_INTEGER, withinMs: 600_000 }], methods: SENDS });
  const isLive = page.getByRole('banner').getByText('Live', { exact: true });
  await isLive.waitFor();
  await world.localnet.admin.advanceClock(HOUR);
  await page.getByRole('link', { name: `Window 0 of ${employer.schedule}` }).click({ timeout: 90_000 });
  await seeHeading(page, 'Window 0');
  await page.getByText('Running.').waitFor();
  expect(await isLive.isVisible()).toBe(true);
  await expectAccessible(page, 'a run that goes on');
  layer.set();
  await page.getByText('Settled.').waitFor();
  await page.getByText(`${RECIPIENTS} of ${RECIPIENTS}`).waitFor();
  const tries = page.getByRole('region', { name: 'Attempts' });
  for (const stage of ['Delegate', 'Claim', 'Commit']) await tries.getByText(stage).first().waitFor();
  expect(await page.locator('.lanes .bar.succeeded').count()).toBeGreaterThanOrEqual(3);
  await expectAccessible(page, 'a settled run');
  await picture(page, 'run-settled');
  await page.getByRole('link', { name: 'Overview' }).click();
  await seeHeading(page, 'Everybody is being paid.');
  await page.context().close();
});

it('explains a held run and says what to do, and shows that it went on by itself', async () => {
  const poor = await world.employer(await variedPayees(RECIPIENTS, AMOUNT), TERMS);
  await nameToken(world, poor.mint, 'EURC');
  const { data, programAddress } = await fetchVault(world.ledgers.base, poor.vault);
  const put = (reserved: bigint) =>
    world.localnet.admin.setAccount({
      address: poor.vault,
      lamports: RENT,
      owner: programAddress,
      data: new Uint8Array(getVaultEncoder().encode({ ...data, reserved })),
    });
  await put(1_000_000n);
  await world.register(poor);

  const page = await visitors.visit(world.apiUrl);
  await seeHeading(page, 'Not everybody is being paid.');
  await page.getByText('1 window is on hold: needs a fix.').waitFor();
  await expectAccessible(page, 'overview-held');
  await page.getByRole('link', { name: /On hold/ }).click();
  await page.getByRole('link', { name: `Window 0 of ${poor.schedule}` }).click();
  await page.getByText("The vault's reserve does not cover the window.").waitFor();
  await page.getByText('Have the employer deposit and fund the schedule; the run goes on by itself.').waitFor();
  await page
    .getByText(/short of .* EURC/)
    .first()
    .waitFor();
  await expectAccessible(page, 'a held run');
  await picture(page, 'run-held');

  const covers = (isExpected: (windows: number) => boolean) =>
    until(async () => {
      const view = await (await fetch(`${world.apiUrl}/api/schedules/${poor.schedule}`)).json();
      const { funding } = view as { funding: { windowsCovered: number } | null };
      return funding !== null && isExpected(funding.windowsCovered);
    }, 'the forecast');
  await covers((windows) => windows === 0);
  await put(data.reserved);
  await page.getByText('Settled.').waitFor();
  await covers((windows) => windows > 0);
  await page.getByRole('link', { name: 'Overview' }).click();
  await seeHeading(page, 'Everybody is being paid.');
  await page.context().close();
});

it('is read in dark and light, on a phone, and remembers what was chosen', async () => {
  const reader = await visitors.visit(world.apiUrl);
  const views: readonly (readonly [place: string, heading: string | RegExp])[] = [
    ['', 'Everybody is being paid.'],
    ['runs', 'Runs'],
    [`runs/${employer.schedule}/0`, 'Window 0'],
    [`schedules/${employer.schedule}`, /^Schedule/],
    ['mine', 'My payrolls'],
    ['reconcile', 'Reconcile'],
    ['about', /^Recurring payouts/],
    ['nowhere', 'There is no such page'],
  ];
  for (const [place, name] of views) {
    await reader.goto(`${world.apiUrl}/#/${place}`);
    await seeHeading(reader, name, { level: 1 });
    await reader
      .getByText(/^Reading /)
      .first()
      .waitFor({ state: 'detached' });
    await expectAccessible(reader, `${place.split('/')[0] || 'overview'}${place.includes('/') ? '-one' : ''}`);
    // A mark of the line of time may stand anywhere, up to its end.
    await reader.evaluate("for (const tick of document.querySelectorAll('.tick')) tick.style.left = '100%'");
    for (const screen of ['phone', 'desktop'] as const) {
      await reader.setViewportSize(SIZES[screen]);
      await expectToFit(reader);
    }
  }
  await reader.context().close();
  const page = await visitors.visit(world.apiUrl, { colours: 'light' });
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await ground();
  await page.getByRole('button', { name: /Switch to light/ }).click();
  await page.getByRole('button', { name: /Switch to dark/ }).click();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await ground()).toBe(dark);
  await page.context().close();
});

it('is used with the keyboard alone', async () => {
  const page = await visitors.visit(world.apiUrl);
  await seeHeading(page, 'Everybody is being paid.');
  const focused = () => page.evaluate('document.activeElement.textContent.trim()');
  const { keyboard } = page;
  await keyboard.press('Tab');
  expect(await focused()).toBe('Skip to content');
  await keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await keyboard.press('Tab');
  expect(await page.evaluate("document.activeElement.matches(':focus-visible')")).toBe(true);

  await keyboard.press('Escape');
  await page.locator('h1').click();
  await keyboard.press('g');
  await keyboard.press('r');
  await seeHeading(page, 'Runs', { level: 1 });
  // A new view takes the focus.
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByRole('table').waitFor();
  await keyboard.press('j');
  await keyboard.press('Enter');
  await seeHeading(page, /^Window/, { level: 1 });
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await expectAccessible(page, 'the shortcuts');
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await keyboard.press('g');
  await keyboard.press('m');
  await seeHeading(page, 'My payrolls', { level: 1 });
  await page.context().close();
});

it('says that the coordinator is gone, what to do, and goes on when it is back', async () => {
  const page = await visitors.visit(world.apiUrl);
  await seeHeading(page, 'Everybody is being paid.');
  await world.killCoordinator();
  await page.getByText('Disconnected').waitFor();
  await page.getByText('The coordinator does not answer.').first().waitFor();
  // What was read last is still there.
  expect(await page.getByRole('heading', { name: 'Everybody is being paid.' }).isVisible()).toBe(true);
  await expectAccessible(page, 'no coordinator');
  await world.startCoordinator(settings());
  await page.getByText('Disconnected').waitFor({ state: 'detached' });
  await page.getByText('The coordinator does not answer.').first().waitFor({ state: 'detached' });
  await page.context().close();
});

it('asked nobody else for anything, and no page complained', () => {
  expect(visitors.complaints).toEqual([]);
});
