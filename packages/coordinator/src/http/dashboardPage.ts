import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../platform/log/log.ts';

/** Where the page's own package has what its build made, in this repository and beside an installed package alike. */
const BUILT = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

/** The folder of the dashboard's page, if it is wanted and there. */
export function findPage({ dashboard }: { readonly dashboard: boolean }, log: Logger): string | undefined {
  if (!dashboard) return undefined;
  if (existsSync(join(BUILT, 'index.html'))) return BUILT;
  log.warn({ setting: 'DASHBOARD' }, 'the page of the dashboard is not built here: there is nothing at / but the API');
  return undefined;
}
