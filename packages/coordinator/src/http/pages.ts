import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/specs.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Page } from './plugins/page.ts';

/** Where a page's own package has what its build made. */
const builtBy = (name: string): string =>
  join(dirname(createRequire(import.meta.url).resolve(`@payouts/${name}/package.json`)), 'dist');

/** Path of the recipients' page. */
export const RECIPIENT_PAGE = '/recipient/';

/** The pages that can be served, each with the setting that wants it. */
const PAGES = [
  { setting: 'DASHBOARD', key: 'dashboard', at: '/', name: 'dashboard', files: [] },
  {
    setting: 'RECIPIENT_PAGE',
    key: 'recipientPage',
    at: RECIPIENT_PAGE,
    name: 'recipient-page',
    files: ['redeem.html', 'manifest.webmanifest', 'worker.js', 'icon.svg'],
    asksAny: 'redeem.html',
  },
] as const;

/** The pages that are wanted and built here. */
export function findPages(settings: Pick<Settings, 'dashboard' | 'recipientPage'>, log: Logger): Page[] {
  return PAGES.filter(({ key }) => settings[key]).flatMap(({ setting, name, ...page }) => {
    const folder = builtBy(name);
    if (existsSync(join(folder, 'index.html'))) return [{ ...page, folder }];
    log.warn({ setting }, 'a page is not built here: there is nothing at its path but the API');
    return [];
  });
}
