import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { recordJudged } from '../record.ts';
import { type Colours, expectToFit, picture, SIZES } from './browser.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What depends on theme and screen: all else is judged once. */
const OF_LOOKS = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];

/** The titles that are shown: those of an open dialog if there is one, for it covers all else. One a line. */
const TITLES = `(() => {
  const shown = document.querySelector('dialog[open]') ?? document.body;
  return [...shown.querySelectorAll('h1, h2, h3, legend, .notice > strong, .empty > p')]
    .filter((each) => each.checkVisibility())
    .map((each) => each.textContent.replaceAll(/\\s+/g, ' ').trim())
    .join('\\n');
})()`;
const COLOURS_NOW = "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'";

/**
 * Fails the test with everything that axe finds wrong for people with disabilities, and with what is wider than the screen: on a desktop and
 * on a phone, in both themes. Keeps a picture of each if pictures are wanted, and notes which titles were shown.
 */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  const own = { screen: page.viewportSize(), colours: (await page.evaluate(COLOURS_NOW)) as Colours };
  // By the debugger, which the page's own policy does not stop.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(source);
  await expectNothingWrong(page, what, RULES);
  recordJudged((await page.evaluate(TITLES)) as string);
  for (const colours of [own.colours, own.colours === 'light' ? 'dark' : 'light'] as const) {
    await page.emulateMedia({ colorScheme: colours });
    for (const screen of ['desktop', 'phone'] as const) {
      await page.setViewportSize(SIZES[screen]);
      const look = `${what}, ${colours}, on a ${screen}`;
      const isJudged = colours === own.colours && own.screen?.width === SIZES[screen].width;
      if (!isJudged) await expectNothingWrong(page, look, OF_LOOKS);
      await expectToFit(page);
      await picture(page, `${what}-${colours}-${screen}`.replaceAll(/\W+/g, '-').toLowerCase());
    }
  }
  await page.emulateMedia({ colorScheme: own.colours });
  if (own.screen !== null) await page.setViewportSize(own.screen);
  // Where the reader left it, as they would see it: a smaller screen has scrolled.
  await page.evaluate("document.activeElement?.scrollIntoView({ block: 'nearest' })");
}

async function expectNothingWrong(page: Page, what: string, rules: readonly string[]): Promise<void> {
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  )) as AxeResults;
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
  expect(found, what).toEqual([]);
}
