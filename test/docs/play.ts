import { stripVTControlCharacters } from 'node:util';
import { patternOf } from './expected.ts';
import { type Block, exchangesOf, HOW_TO_ANNOTATE, noteIn } from './markdown.ts';
import { ASKED, type Ran, type Shell } from './shell.ts';
import { filledIn } from './words.ts';

/** What is left to see on a terminal: a line that was written over, such as a bar's, shows what was written last. */
function asSeen(printed: string): string {
  const lines = printed.split('\n').map((line) => line.split('\u001b[1G').at(-1) ?? '');
  return stripVTControlCharacters(lines.join('\n')).replaceAll('\r', '');
}

/** Throws with the place, what was printed, and how to say that a block can't be run. */
function failed(page: string, { line, code }: Block, why: string, { printed }: Ran): never {
  throw new Error(`${page}:${line}: ${why}\n\n${code}\n\nprinted:\n${printed}\n\n${HOW_TO_ANNOTATE}`);
}

/**
 * Runs a page's block in a shell: one of commands must end well, one with output must print what the page says.
 *
 * @param homeOf what is set for somebody who types
 */
export async function play(
  shell: Shell,
  homeOf: (who: string) => Readonly<Record<string, string>>,
  page: string,
  block: Block,
): Promise<void> {
  if (/\bdocker\b/.test(block.code) && noteIn(block, 'docker checked') === undefined) {
    throw new Error(`${page}:${block.line}: say what is not run of docker here.\n${HOW_TO_ANNOTATE}`);
  }
  const env = homeOf(noteIn(block, 'as')?.who ?? 'employer');
  await (block.language === 'sh' ? playCommands : playConsole)(shell, env, page, block);
}

async function playCommands(shell: Shell, env: Readonly<Record<string, string>>, page: string, block: Block) {
  const text = noteIn(block, 'stays until')?.text;
  const code = filledIn(page, block.code);
  const ran = text === undefined ? await shell.run(code, env) : await shell.runUntil(code, text, env);
  if (ran.code !== (text === undefined ? 0 : null)) failed(page, block, `it ended with ${ran.code}`, ran);
}

async function playConsole(shell: Shell, env: Readonly<Record<string, string>>, page: string, block: Block) {
  for (const { command, printed } of exchangesOf(block.code)) {
    const answer = printed.includes(ASKED) ? 'y' : undefined;
    // A page may show how a command fails.
    const ran = await shell.run(`${filledIn(page, command)} || true`, env, answer);
    const text = asSeen(ran.printed);
    if (!patternOf(printed, noteIn(block, 'numbers vary') !== undefined).test(text)) {
      failed(page, block, `"${command}" printed something else than the page says`, ran);
    }
  }
}
