import { mkdir, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isSameBytes } from '@payouts/client';
import { Failure, listFileName, listFrom, listText, type NamedList } from '@payouts/employer';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { type Command, Option } from 'commander';
import { replaceFile } from '../replaceFile.ts';

/** What a command takes that reads or writes the employer's lists. */
export type BookOptions = { readonly book?: string };

/** Adds `--book`. */
export function withBook(command: Command): Command {
  return command.addOption(
    new Option('--book <folder>', 'where your lists are kept (default: ~/.payouts/lists)').env('PAYOUT_BOOK'),
  );
}

const folderOf = ({ book }: BookOptions) => resolve(book ?? join(homedir(), '.payouts', 'lists'));

/**
 * The employer's own copy of a list. Without its order and salts nobody could pay it or prove a payment, so it is kept before
 * its root is promised on the ledger. The file's name has public things alone.
 *
 * @returns the file, which its owner alone may read
 */
export async function keepList(options: BookOptions, schedule: Address, list: NamedList): Promise<string> {
  const folder = folderOf(options);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, listFileName(schedule, list.root));
  await replaceFile(file, listText(schedule, list));
  return file;
}

/** The kept list of a schedule's root; undefined if there is none. Throws `Failure` list-unreadable. */
export async function keptList(
  options: BookOptions,
  schedule: Address,
  root: Uint8Array,
): Promise<NamedList | undefined> {
  const folder = folderOf(options);
  const name = listFileName(schedule, root);
  if (!(await readdir(folder).catch((): string[] => [])).includes(name)) return undefined;
  const list = await readListFile(join(folder, name));
  return isSameBytes(list.root, root) ? list : undefined;
}

/** Schedules whose list in the book has this root. */
export async function schedulesWith(options: BookOptions, root: ReadonlyUint8Array): Promise<string[]> {
  const ending = listFileName('' as Address, root);
  const names = await readdir(folderOf(options)).catch((): string[] => []);
  return names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
}

/** A list from a file as `keepList` writes it. Throws `Failure` list-unreadable. */
export const readListFile = async (file: string): Promise<NamedList> => listFrom(await listFileText(file), file);

/** What a file of lists has. Throws `Failure` list-unreadable. */
export const listFileText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: Error) => {
    throw new Failure('list-unreadable', `The list in ${file} can't be read: ${cause.message}`, { cause });
  });

/** The folder of a kept list, as a shell takes it. */
export function folderText(file: string): string {
  const folder = dirname(file);
  return folder.startsWith(`${homedir()}/`) ? `~${folder.slice(homedir().length)}` : folder;
}
