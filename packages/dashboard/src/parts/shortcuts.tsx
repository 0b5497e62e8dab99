import { Dialog } from '@payouts/pages/parts/Dialog';
import { switchTheme } from '@payouts/pages/parts/theme';
import { go, href } from '@payouts/pages/router';
import { storeChoice, storedChoice } from '@payouts/pages/storage';
import { signal } from '@preact/signals';

const isShown = signal(false);
/** Whoever speaks to their computer may not want single keys to act. */
const isOn = signal(storedChoice('shortcuts') !== 'off');

export const showShortcuts = (): void => {
  isShown.value = true;
};

const close = (): void => {
  isShown.value = false;
};

function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}

const press = (name: string): void => document.querySelector<HTMLElement>(`main [data-key="${name}"]`)?.click();

type Shortcut = { readonly keys: string; readonly does: string; readonly act: () => void };

const SHORTCUTS: readonly Shortcut[] = [
  { keys: 'g o', does: 'Overview', act: () => go(href('')) },
  { keys: 'g r', does: 'Runs', act: () => go(href('runs')) },
  { keys: 'g m', does: 'My payrolls', act: () => go(href('mine')) },
  { keys: 'g c', does: 'Reconcile', act: () => go(href('reconcile')) },
  { keys: '/', does: 'Look up a schedule', act: () => document.querySelector<HTMLElement>('[data-search]')?.focus() },
  { keys: 'j', does: 'Next row', act: () => focusRow(1) },
  { keys: 'k', does: 'Row before', act: () => focusRow(-1) },
  { keys: 'n', does: 'Next page of a list', act: () => press('next') },
  { keys: 'p', does: 'Page before', act: () => press('previous') },
  { keys: 't', does: 'Switch light and dark', act: switchTheme },
  { keys: '?', does: 'These shortcuts', act: showShortcuts },
];

/** Begins to listen for keys; returns what ends it. */
export function listenForKeys(): () => void {
  let before = '';
  const listen = (event: KeyboardEvent) => {
    const isTyping = (event.target as HTMLElement).closest('input, textarea, select, dialog') !== null;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !isOn.value) return;
    const found = SHORTCUTS.find(({ keys }) => keys === `${before} ${event.key}` || keys === event.key);
    before = event.key;
    if (found === undefined) return;
    event.preventDefault();
    before = '';
    found.act();
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}

export function ShortcutHelp() {
  const choose = (event: Event) => {
    isOn.value = (event.currentTarget as HTMLInputElement).checked;
    storeChoice('shortcuts', isOn.value ? 'on' : 'off');
  };
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isShown.value} onClose={close}>
      <dl class="shortcuts">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key, place) => (
                <>
                  {place > 0 && <span class="faint"> then </span>}
                  <kbd>{key}</kbd>
                </>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={isOn.value} onChange={choose} /> Shortcuts of single keys are on
      </label>
      <p class="faint">Everything is reached by Tab and Enter, too.</p>
    </Dialog>
  );
}
