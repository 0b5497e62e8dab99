import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages, root } from './clone.ts';
import { type Block, blocksOf, exchangesOf, noteIn } from './markdown.ts';
import { checkCommands, checkSyntax } from './options.ts';
import { play } from './play.ts';
import { Shell } from './shell.ts';
import { Stage } from './stage.ts';

const blocks = new Map(pages.map((page) => [page, blocksOf(page, readFileSync(join(root, page), 'utf8'))]));
const isRun = (block: Block) => noteIn(block, 'not run') === undefined && noteIn(block, 'run by') === undefined;

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.set();
}, 400_000);
afterAll(() => stage?.strike());

describe.each(pages.toSorted().filter((page) => blocks.get(page)?.length))('%s', (page) => {
  const all = blocks.get(page) ?? [];
  let shell: Shell;
  beforeAll(() => {
    shell = new Shell(stage.folder, stage.clone, stage.envOf(page));
  });
  afterAll(() => shell?.close());

  for (const block of all.filter((each) => !isRun(each))) {
    it(`line ${block.line}: its commands exist`, async () => {
      const file = noteIn(block, 'run by')?.file;
      if (file !== undefined) expect(existsSync(join(root, file)), `${page}:${block.line}: ${file}`).toBe(true);
      const { language, code } = block;
      const written =
        language === 'console'
          ? exchangesOf(code)
              .map(({ command }) => command)
              .join('\n')
          : code;
      checkSyntax(written);
      await checkCommands(written);
    });
  }
  for (const block of all.filter(isRun)) {
    it(`line ${block.line}: runs`, () => play(shell, (who) => stage.homeOf(who), page, block), 320_000);
  }
});
