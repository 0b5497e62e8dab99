import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumProgram } from '@payouts/testing/services';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { isRecording, recordAnswer } from '../record.ts';

/** A reader's screen; a `window` is as wide as documents show pictures. */
export type Screen = 'desktop' | 'window' | 'phone';
export type Colours = 'light' | 'dark';

export const SIZES = {
  desktop: { width: 1_280, height: 900 },
  window: { width: 1_000, height: 640 },
  phone: { width: 375, height: 812 },
};
/** Milliseconds within which the page shows what a test waits for; windows take longer on a busy machine. */
const PATIENCE_MS = 30_000;
/** Where pictures go; nowhere unless it is set. */
const pictures = process.env.PAYOUTS_TEST_PICTURES;

/** Visitors of a coordinator's page, in a real Chromium. */
export class Visitors {
  /** What pages complained about, and every address outside the coordinator that they asked for. */
  readonly complaints: string[] = [];

  private constructor(private readonly browser: Browser) {}

  /** Throws `ServiceMissing` when there is no Chromium. */
  static async open(): Promise<Visitors> {
    // Its sandbox needs a user of its own.
    const chromiumSandbox = process.getuid?.() !== 0;
    return new Visitors(await chromium.launch({ executablePath: chromiumProgram(), chromiumSandbox }));
  }

  /** A visitor without a past, who looks at the page of a coordinator; `place` is what stands behind the `#/`. */
  async visit(
    apiUrl: string,
    options: {
      readonly place?: string;
      /** Which of its pages; the dashboard by default. */
      readonly path?: '/' | '/recipient/';
      readonly screen?: Screen;
      readonly colours?: Colours;
      /** Whether they have read what the page is. */
      readonly isFirst?: boolean;
      /** Addresses beside the coordinator's that the page may ask. */
      readonly ledgers?: readonly string[];
      /** The address of a proxy through which all goes; none by default. */
      readonly proxy?: string;
      readonly before?: (page: Page) => Promise<void>;
    } = {},
  ): Promise<Page> {
    const { place = '', path = '/', screen = 'desktop', colours = 'light', isFirst = false, proxy, before } = options;
    const origins = [apiUrl, ...(options.ledgers ?? [])].map((url) => new URL(url).origin);
    const settings: BrowserContextOptions = {
      viewport: SIZES[screen],
      colorScheme: colours,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      // Browsers ask this machine directly unless they are told not to.
      ...(proxy !== undefined && { proxy: { server: proxy, bypass: '<-loopback>' } }),
      ...(screen === 'desktop' ? {} : { deviceScaleFactor: 2 }),
      ...(screen === 'phone' ? { hasTouch: true, isMobile: true } : {}),
    };
    const context = await this.browser.newContext(settings);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    this.#listen(page, origins);
    if (!isFirst) await page.addInitScript("localStorage.setItem('payouts.welcomed', 'yes')");
    await before?.(page);
    await page.goto(`${apiUrl}${path}#/${place}`);
    return page;
  }

  #listen(page: Page, origins: readonly string[]): void {
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // A refused request is said by the page itself, and looked at there.
      const isRefusal = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isRefusal) this.complaints.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (!['data:', 'blob:'].includes(protocol) && !origins.includes(origin))
        this.complaints.push(`asked elsewhere: ${origin}`);
    });
    if (!isRecording) return;
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url());
      const type = response.headers()['content-type'] ?? '';
      if (!pathname.startsWith('/api/') || type.startsWith('text/event-stream')) return;
      // A page that is gone takes its answers along.
      const body = await response.text().catch(() => '');
      recordAnswer(pathname, response.status(), JSON.stringify(response.headers()), body);
    });
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

/** Keeps a picture of the page and the text in it, if pictures are wanted. What was pressed last has no ring in it. */
export async function picture(page: Page, name: string, isWhole = true): Promise<void> {
  if (pictures === undefined || pictures === '') return;
  mkdirSync(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  await page.evaluate('document.activeElement?.blur()');
  await page.screenshot({ path, fullPage: isWhole, animations: 'disabled' });
  writeFileSync(join(pictures, `${name}.txt`), `${await page.evaluate('document.body.innerText.trim()')}\n`);
}

/** Waits for a heading; fails the test with what the page says if it does not come. */
export async function seeHeading(page: Page, name: string | RegExp, options: { readonly level?: number } = {}) {
  const heading = page.getByRole('heading', { name, ...options });
  try {
    await heading.waitFor();
  } catch (cause) {
    const said = await page.locator('main').textContent();
    throw new Error(`no heading ${name}, but: ${said?.slice(0, 500)}`, { cause });
  }
}

/** What stands beyond the right edge of a screen that is so wide, with how it begins. */
const BEYOND = `(width) => [...document.querySelectorAll('body *')]
  .filter((each) => each.getBoundingClientRect().right > width + 0.5)
  .map((each) => each.tagName.toLowerCase() + '.' + each.className + ': ' + (each.textContent ?? '').slice(0, 60))`;

/** Boxes whose content stands over their edge, with how it begins. */
const OVERFULL = `[...document.querySelectorAll('dialog[open] .sheet, .notice, .panel, .empty')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.className + ': ' + each.textContent.slice(0, 60))`;

/** Fails the test if the page is wider than its screen, or something than its box, with what is too wide. */
export async function expectToFit(page: Page): Promise<void> {
  expect(await page.evaluate(OVERFULL), 'boxes that are too small for what they hold').toEqual([]);
  // The screen's own width: a phone makes its window as wide as what does not fit.
  const width = page.viewportSize()?.width ?? 0;
  const over = ((await page.evaluate('document.documentElement.scrollWidth')) as number) - width;
  const beyond = over > 0 ? ((await page.evaluate(`(${BEYOND})(${width})`)) as string[]) : [];
  expect(over, `pixels by which the page is wider than its screen: ${beyond.join('\n')}`).toBeLessThanOrEqual(0);
}

/** Waits for a text in a page, or in a part of one; fails the test with what that says if it does not come. */
export async function waitForText(on: Page | Locator, text: string | RegExp): Promise<void> {
  const shown = 'goto' in on ? on.locator('main') : on;
  await on
    .getByText(text)
    .first()
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`no ${text}, but: ${await shown.textContent()}`, { cause });
    });
}
