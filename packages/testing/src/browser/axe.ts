import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { recordJudged } from '../record.ts';
import { type Colours, expectToFit, picture, type Screen, SIZES } from './browser.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What depends on colours alone: all else is the same in either theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

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
  const before = { screen: page.viewportSize(), colours: (await page.evaluate(COLOURS_NOW)) as Colours };
  // By the debugger, which the page's own policy does not stop.
  await page.evaluate(`if (typeof axe === 'undefined') { ${source} }`);
  const other = before.colours === 'light' ? 'dark' : 'light';
  for (const screen of ['desktop', 'phone'] as const) {
    await page.setViewportSize(SIZES[screen]);
    await expectNothingWrong(page, what, { screen, colours: before.colours }, RULES);
    await expectToFit(page);
    await page.emulateMedia({ colorScheme: other });
    await expectNothingWrong(page, what, { screen, colours: other }, OF_COLOURS);
    await page.emulateMedia({ colorScheme: before.colours });
  }
  recordJudged((await page.evaluate(TITLES)) as string);
  if (before.screen !== null) await page.setViewportSize(before.screen);
}

type Look = { readonly screen: Screen; readonly colours: Colours };

async function expectNothingWrong(page: Page, what: string, { screen, colours }: Look, rules: readonly string[]) {
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  )) as AxeResults;
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
  await picture(page, `${what.replaceAll(/[^\w-]+/g, '-').toLowerCase()}-${colours}-${screen}`);
  expect(found, `${what}, ${colours}, on a ${screen}`).toEqual([]);
}
