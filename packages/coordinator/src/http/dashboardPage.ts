import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Logger } from '../platform/log/log.ts';

/** Where the page's own package has what its build made. */
const BUILT = join(dirname(createRequire(import.meta.url).resolve('@payouts/dashboard/package.json')), 'dist');

/** The folder of the dashboard's page, if it is wanted and there. */
export function findPage({ dashboard }: { readonly dashboard: boolean }, log: Logger): string | undefined {
  if (!dashboard) return undefined;
  if (existsSync(join(BUILT, 'index.html'))) return BUILT;
  log.warn({ setting: 'DASHBOARD' }, 'the page of the dashboard is not built here: there is nothing at / but the API');
  return undefined;
}
