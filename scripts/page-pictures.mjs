// npm run page:pictures: goes through the dashboard in a real browser and keeps the pictures that the documents use.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from './page.mjs';
import { provideServices } from './services.mjs';
import { fail, install, root, run } from './setup.mjs';

/** Of all that a test run shows. */
const USED = [
  'first-visit',
  'overview-light-desktop',
  'overview-dark-desktop',
  'overview-light-phone',
  'overview-exhausted',
  'run-settled',
  'run-held',
  'run-exhausted',
  'runs-10000',
  'my-payrolls',
];

install();
const sentence = buildPage();
if (sentence !== undefined) fail(sentence);
for (const missing of provideServices(['chromium'])) console.error(`✖ ${missing}`);
const shown = mkdtempSync(join(tmpdir(), 'payouts-pictures-'));
const vitest = join(root, 'node_modules', '.bin', 'vitest');
const code = run(vitest, ['run', 'test/browser'], { PAYOUTS_TEST_PICTURES: shown });
const kept = join(root, 'docs', 'images');
mkdirSync(kept, { recursive: true });
for (const name of USED) {
  if (existsSync(join(shown, `${name}.png`))) copyFileSync(join(shown, `${name}.png`), join(kept, `${name}.png`));
}
rmSync(shown, { recursive: true });
process.exit(code);
