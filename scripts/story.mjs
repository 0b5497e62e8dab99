// npm run story: the employer's story in a real terminal, recorded for the documents: docs/images/payout.cast and payout.svg.
import { mkdirSync } from 'node:fs';
import { provideServices } from './services.mjs';
import { fail, install, root, run } from './setup.mjs';

install();
const missing = provideServices(['tmux']);
if (missing.length > 0) fail(missing.join('\n'));
const folder = `${root}/docs/images`;
mkdirSync(folder, { recursive: true });
process.exit(run('npx', ['vitest', 'run', 'test/e2e/terminal-story.test.ts'], { STORY_FOLDER: folder }));
