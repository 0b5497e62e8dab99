import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pages, root } from '../docs/clone.ts';
import { blocksOf, exchangesOf } from '../docs/markdown.ts';
import { checkCommands } from '../docs/options.ts';

it('every command that the documents show exists, with the options that it is given', async () => {
  let checked = 0;
  const faults: string[] = [];
  for (const page of pages) {
    for (const { language, code, line } of blocksOf(page, readFileSync(join(root, page), 'utf8'))) {
      const commands = language === 'sh' ? [code] : exchangesOf(code).map(({ command }) => command);
      // What passes on its own words names no command.
      const written = commands.join('\n').replaceAll(/^.*"\$@".*$/gm, '');
      await checkCommands(written).catch((error: Error) => faults.push(`${page}:${line}: ${error.message}`));
      checked += 1;
    }
  }
  expect(faults).toEqual([]);
  expect(checked).toBeGreaterThan(20);
});
