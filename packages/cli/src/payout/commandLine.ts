import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';

/** Options that say how a command speaks and to whom, not what it does. */
const HOW: readonly string[] = [
  'json',
  'yes',
  'dryRun',
  'rpc',
  'api',
  'priorityFee',
  'maxPriorityFee',
  'commitment',
  'time',
  'line',
];

/** Options whose file a command writes: it may be there when the same command is given again. */
const WRITTEN: readonly string[] = ['proposal', 'out'];
/** Letters that a path may have. */
const LONGEST_PATH = 4_096;
/** Between the hash of the words and that of what files hold. */
const BETWEEN = '.';

const namesOf = (command: Command): string[] =>
  command.parent === null ? [] : [...namesOf(command.parent), command.name()];

/** A hash of what a file holds; nothing where the word names none. */
async function contentOf(word: string): Promise<string> {
  const found = word.length > LONGEST_PATH ? undefined : await stat(word).catch(() => undefined);
  return found?.isFile() === true ? hashOf(await readFile(word)) : '';
}

const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** The words of a command line alone, without what their files hold. */
export const wordsOf = (line: string): string | undefined => line.split(BETWEEN)[0];

/**
 * A hash of what a command's words have it do, and one of what the files hold that it reads, the key's included: both are the same for the
 * same command given again. `key`: where the key is where no word says so.
 */
export async function commandLine(command: Command, key: string): Promise<string> {
  const options = Object.entries(command.opts() as Record<string, unknown>)
    .filter(([name]) => !HOW.includes(name))
    .map(([name, value]) => [name, String(value)])
    .sort();
  // An operand that is left out is a default of its own.
  const left = command.registeredArguments.slice(command.args.length).map(({ defaultValue }) => defaultValue ?? null);
  const words = [...command.args, ...left];
  const read = options.flatMap(([name, value]) => (WRITTEN.includes(name as string) ? [] : [value]));
  const files = await Promise.all([...words, ...read, key].map((word) => contentOf(String(word))));
  return [JSON.stringify([namesOf(command), words, options]), JSON.stringify(files)].map(hashOf).join(BETWEEN);
}
