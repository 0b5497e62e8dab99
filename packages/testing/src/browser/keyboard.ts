// A page as it is used by its keys alone: what these don't reach, or where the focus comes and is not plainly seen, fails the test.
import type { Download, ElementHandle, JSHandle, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Keys after which a control counts as out of the keyboard's reach. */
const MOST_KEYS = 100;

/** Where the focus is, seen from the wanted control; `gone`: the page has replaced that one meanwhile. */
type Focus = {
  readonly at: 'here' | 'group' | 'before' | 'after' | 'gone';
  /** What is wrong with how the focus is shown; empty: nothing. */
  readonly wrong: string;
};
type Look = (wanted: unknown) => Focus;

type IsBack = (opener: unknown) => boolean;

const IS_BACK = `(opener) => {
  const back = opener.isConnected ? opener : document.querySelector('main');
  return document.activeElement === back;
}`;

/**
 * Looks at the focus. A control that is drawn by its label, or by what stands beside it, is shown by that. The middle of what shows it has to
 * be on top, and outlined.
 */
const LOOK = `(wanted) => {
  const focused = document.activeElement;
  const styleOf = (each) => getComputedStyle(each);
  const isDrawn = (each) => {
    const { width, height } = each.getBoundingClientRect();
    return width > 1 && height > 1 && styleOf(each).visibility === 'visible' && styleOf(each).opacity !== '0';
  };
  const isOutlined = (each) => {
    const { outlineStyle, outlineWidth, outlineColor } = styleOf(each);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && !/^rgba.*, 0\\)$/.test(outlineColor);
  };
  const isOnTop = (each) => {
    const { left, right, top, bottom } = each.getClientRects()[0];
    const middle = (from, to, most) => (Math.max(from, 0) + Math.min(to, most)) / 2;
    const hit = document.elementFromPoint(middle(left, right, innerWidth), middle(top, bottom, innerHeight));
    return hit !== null && each.contains(hit);
  };
  const wrongOf = () => {
    if (focused === document.body || focused.tabIndex < 0) return '';
    const name = focused.outerHTML.slice(0, 200);
    const shown = [focused, ...(focused.labels ?? []), focused.nextElementSibling]
      .find((each) => each && isDrawn(each) && isOutlined(each));
    if (shown === undefined) return 'Nothing shows that this has the focus: ' + name;
    return isOnTop(shown) ? '' : 'This has the focus, and is not in view: ' + name;
  };
  const placeOf = () => {
    if (!wanted.isConnected) return 'gone';
    if (focused === wanted) return 'here';
    if (wanted.type === 'radio' && focused.type === 'radio' && focused.name === wanted.name) return 'group';
    const isBehind = wanted.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING;
    return isBehind ? 'after' : 'before';
  };
  return { at: placeOf(), wrong: wrongOf() };
}`;

/** Presses a button or a link. */
export async function press(control: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await goTo(control);
  await control.page().keyboard.press(key);
}

/** Milliseconds that something may take. */
type Wait = { readonly timeout?: number };

/** Waits until the focus has come back from a dialog. */
export type ComeBack = () => Promise<void>;

/**
 * Remembers what is about to open a dialog: there the focus comes back to, or to the view where that is gone. It is never lost. `wait` is how long
 * it may take; else as long as everything may.
 */
export async function remember(opener: Locator, wait: Wait = {}): Promise<ComeBack> {
  const page = opener.page();
  const [remembered, isBack] = await Promise.all([enabled(opener), page.evaluateHandle(IS_BACK)]);
  const look = () => page.evaluate(([is, to]) => is(to), [isBack as JSHandle<IsBack>, remembered] as const);
  return () => expect.poll(look, { message: 'the focus is back', ...wait }).toBe(true);
}

/** Presses what opens a dialog, which takes the focus. */
export async function open(opener: Locator, dialog: Locator, wait: Wait = {}): Promise<ComeBack> {
  const comeBack = await remember(opener, wait);
  await press(opener);
  await dialog.waitFor();
  const hasFocus = () =>
    dialog.evaluate((each: { matches(selector: string): boolean }) => each.matches(':focus-within'));
  await expect.poll(hasFocus, { message: 'the dialog has the focus', ...wait }).toBe(true);
  return comeBack;
}

/** Writes into a field, instead of what it has. */
export async function write(field: Locator, text: string): Promise<void> {
  const { keyboard } = field.page();
  await goTo(field);
  await keyboard.press('Control+A');
  await keyboard.type(text);
}

/** Chooses one of several by the arrows. */
export async function choose(radio: Locator): Promise<void> {
  await goTo(radio, 'ArrowDown');
  expect(await radio.isChecked()).toBe(true);
}

/** Gives a file where one is asked for. */
export async function give(input: Locator, file: string): Promise<void> {
  const [chooser] = await Promise.all([input.page().waitForEvent('filechooser'), press(input)]);
  await chooser.setFiles(file);
}

/** Presses what hands out a file. */
export async function take(button: Locator): Promise<Download> {
  const [handedOut] = await Promise.all([button.page().waitForEvent('download'), press(button)]);
  return handedOut;
}

/** Has a page that is about to load complain of mice and fingers. */
export async function refusePointers(page: Page): Promise<void> {
  await page.addInitScript("addEventListener('pointerdown', () => console.error('A pointer was used.'), true)");
}

async function goTo(control: Locator, withinGroup = 'Tab'): Promise<void> {
  const page = control.page();
  let wanted = await enabled(control);
  const look = (await page.evaluateHandle(LOOK)) as JSHandle<Look>;
  for (let keys = 0; keys < MOST_KEYS; keys++) {
    const { at, wrong } = await page.evaluate(([see, what]) => see(what), [look, wanted] as const);
    if (wrong !== '') throw new Error(wrong);
    if (at === 'here') return;
    if (at === 'gone') wanted = await enabled(control);
    await page.keyboard.press(at === 'after' ? 'Shift+Tab' : at === 'group' ? withinGroup : 'Tab');
  }
  throw new Error(`The keyboard does not reach ${control}.`);
}

/** A control once it is there and can be used. */
async function enabled(control: Locator): Promise<ElementHandle> {
  const found = (await control.elementHandle()) as ElementHandle;
  await found.waitForElementState('enabled');
  return found;
}
