import { signal } from '@preact/signals';
import { storeChoice, storedChoice } from '../storage.ts';
import { Icon } from './Icon.tsx';

/** By the system, or as the reader wants it on this machine. */
export type Theme = 'system' | 'light' | 'dark';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const NAMES: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

export const theme = signal<Theme>(readChoice());
if (theme.value !== 'system') document.documentElement.dataset.theme = theme.value;

function readChoice(): Theme {
  const stored = storedChoice('theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Anything that is drawn anew when colours change. */
export const isDark = signal(looksDark());
const system = matchMedia('(prefers-color-scheme: dark)');
system.addEventListener('change', () => {
  isDark.value = looksDark();
});

function looksDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
}

export function switchTheme(): void {
  const next = NEXT[theme.value];
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  storeChoice('theme', next === 'system' ? null : next);
  theme.value = next;
  isDark.value = looksDark();
}

const SHAPES: Readonly<Record<Theme, string>> = {
  system: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8L13 13M13 3l-1.2 1.2M4.2 11.8L3 13',
  dark: 'M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z',
};

export function ThemeSwitch() {
  const words = `Colours: ${NAMES[theme.value]}. Switch to ${NAMES[NEXT[theme.value]]}`;
  return (
    <button type="button" class="icon" onClick={switchTheme} aria-label={words} title={`${words} (t)`}>
      <Icon path={SHAPES[theme.value]} class="line" />
    </button>
  );
}
