import { Visitors } from '@payouts/testing/browser/browser';
import { choose, give, open, press, refusePointers, write } from '@payouts/testing/browser/keyboard';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

/* What goes through the month by keyboard has to fail where a page can't be used so: each mistake is made here once. */

/** For what does not come: longer than what comes takes. */
const AWHILE = { timeout: 3_000 };
const STYLE = '<style>:focus-visible { outline: 2px solid red } main { height: 300px; overflow: auto }</style>';
let visitors: Visitors;
let page: Page;

beforeAll(async () => {
  visitors = await Visitors.open();
  page = await visitors.visit('data:text/html,<title>test</title>', { isFirst: true, before: refusePointers });
});
afterAll(() => visitors?.close());

const show = (main: string) => page.setContent(`${STYLE}<main tabindex="-1"><a href="#">first</a> ${main}</main>`);
const button = () => page.getByRole('button', { name: 'wanted' });

it('reaches what a keyboard reaches: buttons, fields, one of several, files', async () => {
  await show(`
    <input aria-label="field"> <input type="file" aria-label="file">
    <label><input type="radio" name="one" checked>this</label> <label><input type="radio" name="one">that</label>
    <button onclick="this.textContent = 'pressed'">wanted</button>`);
  await press(button());
  await page.getByText('pressed').waitFor();
  await write(page.getByLabel('field'), 'written');
  await choose(page.getByLabel('that'));
  await give(page.getByLabel('file'), new URL(import.meta.url).pathname);
  expect(await page.getByLabel('field').inputValue()).toBe('written');
  expect(await page.getByLabel('file').inputValue()).toContain('keyboard.test.ts');
});

it.each([
  ['is out of its reach', '<button tabindex="-1">wanted</button>', /does not reach/],
  ['is not shown to have the focus', '<button style="outline: none">wanted</button>', /^Nothing shows/],
  [
    'does not show it on the way',
    '<button style="outline: none">other</button><button>wanted</button>',
    /^Nothing shows/,
  ],
  [
    'is behind something',
    '<button>wanted</button><p style="position: fixed; inset: 0; background: red">',
    /is not in view/,
  ],
])('fails where a control %s', async (_, main, why) => {
  await show(main);
  await expect(press(button())).rejects.toThrow(why);
});

it('fails where the focus does not go into a dialog, or is lost behind it', async () => {
  await show(
    '<button onclick="document.querySelector(`dialog`).show(); this.focus()">wanted</button><dialog><b>x</b></dialog>',
  );
  await expect(open(button(), page.getByRole('dialog'), AWHILE)).rejects.toThrow('the dialog has the focus');

  await show(
    '<button onclick="document.querySelector(`dialog`).showModal(); this.remove()">wanted</button><dialog><a href="#">x</a></dialog>',
  );
  const comeBack = await open(button(), page.getByRole('dialog'), AWHILE);
  await page.keyboard.press('Escape');
  await expect(comeBack()).rejects.toThrow('the focus is back');
});

it('complains of a pointer', async () => {
  expect(visitors.complaints).toEqual([]);
  await page.goto('data:text/html,<button>wanted</button>');
  await button().click();
  expect(visitors.complaints).toEqual(['console: A pointer was used.']);
});
