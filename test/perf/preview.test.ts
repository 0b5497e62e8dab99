import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { deposit } from '@payouts/cli';
import { addressFromBytes, isOnCurve } from '@payouts/client';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { picture, Visitors } from '@payouts/testing/browser/browser';
import { tasksOf } from '@payouts/testing/browser/tasks';
import { giveWallet, signIn } from '@payouts/testing/browser/wallet';
import { machineSpeed } from '@payouts/testing/machineSpeed';
import { nameToken } from '@payouts/testing/token';
import { type Employer, HOUR, inSeconds, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workbookOf } from '../../packages/payroll/test/workbooks.ts';

/** Lines of a payroll, and what its preview may take: milliseconds until it is there and of the longest task, and megabytes of the tab. */
const LINES = 80_000;
const MOST_MS = 5_000;
const MOST_TASK_MS = 100;
const MOST_MB = 500;
const PATIENCE_MS = 60_000;

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const HEAD = ['Employee', 'Department', 'Wallet', 'Net pay'];
const DEPARTMENTS = ['Engineering', 'Sales', 'Office', 'Support'];

type Line = { readonly name: string; readonly department: string; readonly wallet: Address; readonly cents: number };

let world: World;
let visitors: Visitors;
let employer: Employer;
let lines: readonly Line[];

beforeAll(async () => {
  [world, visitors] = await Promise.all([World.shared(), Visitors.open()]);
  lines = people(LINES);
  const payees = lines.map(({ wallet, cents }) => ({ recipient: wallet, amount: (BigInt(cents) * UNIT) / 100n }));
  // Nothing is paid meanwhile.
  const terms = { firstExecution: inSeconds(24 * HOUR) };
  employer = await world.begin(payees, terms, { BROWSER_RPC_URL: world.urls.baseRpcUrl });
  // What a raise takes is there as well.
  const { signer, mint, list } = employer;
  await deposit(world.ledgers, signer, mint, list.total);
  await nameToken(world, employer.mint, 'USDC');
  await world.register(employer);
});
afterAll(() => visitors?.close());

/** People with addresses that are on the curve, as wallets' are. */
function people(count: number, from = 0): Line[] {
  const found: Line[] = [];
  for (let number = from; found.length < count; ) {
    const bytes = new Uint8Array(randomBytes(32));
    if (!isOnCurve(bytes)) continue;
    const department = DEPARTMENTS[number % DEPARTMENTS.length] as string;
    found.push({
      name: `Person ${number}`,
      department,
      wallet: addressFromBytes(bytes),
      cents: 10_000 + (number % 900) * 100 + 25,
    });
    number += 1;
  }
  return found;
}

const cellsOf = ({ name, department, wallet, cents }: Line) => [name, department, wallet, (cents / 100).toFixed(2)];

/** A payroll as CSV, or as a workbook whose amounts are numbers. */
async function payroll(file: string, of: readonly Line[]): Promise<string> {
  const path = join(world.folder, file);
  if (file.endsWith('.csv')) writeFileSync(path, [HEAD, ...of.map(cellsOf)].map((cells) => cells.join(',')).join('\n'));
  else {
    const rows = of.map((line) => [...cellsOf(line).slice(0, 3), { number: String(line.cents / 100), style: 1 }]);
    writeFileSync(path, await workbookOf({ sheets: [{ rows: [HEAD, ...rows] }], formats: ['0.00'] }));
  }
  return path;
}

/** A tab of the employer's at a place of the page. */
async function tabAt(place: string): Promise<Page> {
  const page = await visitors.visit(world.apiUrl, {
    place,
    ledgers: [world.urls.baseRpcUrl],
    before: async (fresh) => {
      await giveWallet(fresh, employer.signer);
    },
  });
  await signIn(page);
  return page;
}

const HOLDS_FILE = `document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'held', hidden: true }))`;
/** Drops the file that is held, and waits until every text is there and drawn. A task of the page that is longer than 50 ms is told of. */
const DROP = `async ({ texts, patience }) => {
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: 'longtask' });
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(document.querySelector('#held').files[0]);
  const began = performance.now();
  const passed = () => performance.now() - began;
  document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  const missing = () => texts.filter((text) => !document.querySelector('main').textContent.includes(text));
  while (missing().length > 0 && passed() < patience) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise(requestAnimationFrame);
  const took = passed();
  // What was drawn last is told of afterwards.
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { took, longest: Math.max(0, ...tasks), missing: missing() };
}`;

type Drop = { readonly took: number; readonly longest: number; readonly missing: readonly string[] };

/**
 * Drops a file onto a view, expects what it shows within what it may take, and prints what it took. Of the clock's time that is left out in
 * which others on the machine had the processor that a thread of the tab could have used, and by which the machine was slower than an ordinary
 * one; of its tasks, what the processor was at work on them.
 */
async function expectDropped(page: Page, file: string, texts: readonly string[]): Promise<void> {
  await page.getByText('or drop it here.').waitFor();
  await page.evaluate(HOLDS_FILE);
  await page.locator('#held').setInputFiles(file);
  await collectGarbage(page);
  const before = await tabOf(page);
  let drop: Drop = { took: 0, longest: 0, missing: texts };
  let speed = 1;
  const { longest } = await tasksOf(page, async () => {
    const given = JSON.stringify({ texts, patience: PATIENCE_MS });
    speed = await machineSpeed(async () => {
      drop = (await page.evaluate(`(${DROP})(${given})`)) as Drop;
    });
  });
  const { waited, megabytes } = await tabOf(page);
  const waits = [...waited].map(([thread, all]) => all - (before.waited.get(thread) ?? 0));
  const own = (drop.took - Math.max(...waits)) * speed;
  const clock = {
    'by the clock': drop.took,
    'longest by the clock': drop.longest,
    'percent of an ordinary speed': 100 * speed,
  };
  const figures = { own, longest, ...clock, megabytes };
  const rounded = Object.entries(figures).map(([name, figure]) => `${name} ${Math.round(figure)}`);
  console.log(`${basename(file)}: ${rounded.join(', ')}, heap ${Math.round(await heapOf(page))}`);
  expect(drop.missing).toEqual([]);
  expect(own).toBeLessThan(MOST_MS);
  expect(longest).toBeLessThan(MOST_TASK_MS);
  expect(megabytes).toBeLessThan(MOST_MB);
}

/** What the kernel says of a process or thread; nothing of one that has ended meanwhile. */
function ofProcess(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return '';
  }
}

/**
 * What the largest tab of the browser took: megabytes, the most that it ever had for itself, as the browser's task manager counts them; and
 * milliseconds in which each of its threads could have run and had no processor.
 */
async function tabOf(
  page: Page,
): Promise<{ readonly megabytes: number; readonly waited: ReadonlyMap<string, number> }> {
  const browser = await (page.context().browser() as Browser).newBrowserCDPSession();
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const tabs = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const status = ofProcess(`${id}/status`);
      const [most = 0, shared = 0] = [/^VmHWM:\s+(\d+)/m, /^RssFile:\s+(\d+)/m].map((line) =>
        Number(line.exec(status)?.[1]),
      );
      const threads = existsSync(`/proc/${id}/task`) ? readdirSync(`/proc/${id}/task`) : [];
      const waited = threads.map((thread) => {
        const [, nanoseconds = 0] = ofProcess(`${id}/task/${thread}/schedstat`).split(' ');
        return [thread, Number(nanoseconds) / 1_000_000] as const;
      });
      return { megabytes: (most - shared) / 1_024, waited: new Map(waited) };
    });
  return tabs.reduce((largest, tab) => (tab.megabytes > largest.megabytes ? tab : largest));
}

/** Frees what the views before have left: whether that was done by then is chance, and not the drop's. */
async function collectGarbage(page: Page): Promise<void> {
  const own = await page.context().newCDPSession(page);
  await own.send('HeapProfiler.collectGarbage');
  await own.detach();
}

/** Megabytes of the page's own objects. */
async function heapOf(page: Page): Promise<number> {
  const own = await page.context().newCDPSession(page);
  await own.send('Performance.enable');
  const { metrics } = await own.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1_048_576;
}

/** Goes to the last line by the keyboard. */
async function seeLast(page: Page, region: string, last: string): Promise<void> {
  await page.getByRole('region', { name: region }).focus();
  await page.keyboard.press('End');
  await page.getByText(last).first().waitFor();
}

it.each(['january.csv', 'january.xlsx'])(
  'previews 80,000 lines that are dropped within five seconds: %s',
  async (name) => {
    const file = await payroll(name, lines);
    const page = await tabAt(`mine/new/${employer.mint}`);
    await expectDropped(page, file, ['Person 0', 'Engineering', '80,000']);
    await seeLast(page, '80,000 lines of the payroll', 'Person 79999');
    await picture(page, `large-${name.split('.')[1]}`, false);
    await page.context().close();
  },
);

it('previews what 80,000 lines change of 80,000 within five seconds, with names and labels', async () => {
  // Half of them get more, one leaves, one is new.
  const after = lines.slice(1).map((line, place) => (place % 2 === 0 ? { ...line, cents: line.cents + 10_000 } : line));
  const file = await payroll('february.csv', [...after, ...people(1, LINES)]);
  const page = await tabAt(`mine/${employer.schedule}`);
  await page.getByText('80,000 entries').first().waitFor();
  await page.getByLabel('Read names from a file').setInputFiles(await payroll('january.csv', lines));
  await page.getByText('80,000 names for 80,000 entries').waitFor();
  await page.getByRole('link', { name: 'Change the list' }).click();
  await expectDropped(page, file, [
    '40,000 raises of',
    '1 newcomer, 1 leaver',
    'Person 1',
    'Sales',
    'The list is paid from pay run 0 on',
  ]);
  // Of whoever leaves only the names that were read before know something.
  await seeLast(page, 'Changes, the largest first', 'Leaver');
  const leaver = page.getByRole('row', { name: /Leaver/ });
  expect(await leaver.textContent()).toMatch(/^Person 0Engineering.*100\.25 USDC → nothing$/);
  await picture(page, 'large-change', false);
  await page.context().close();
});
