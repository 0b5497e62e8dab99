import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Defaults, defaultsFile, readDefaults, SAVED, shownDefault, writeDefaults } from '../defaults.ts';
import { Failure } from '../failure.ts';
import { addressOption, withJson } from '../options.ts';
import { columns, printResult } from '../output.ts';

type UseOptions = Defaults & { readonly clear?: true | keyof Defaults; readonly json?: true };

/** payout use */
export function addUse(program: Command): void {
  withJson(program.command('use'))
    .description('Save what your commands have in common, or show it; options and PAYOUT_… come before it')
    .option('--api <url>', "the coordinator's address", urlsOption)
    .option('--rpc <url>', 'RPC of the base ledger, or several by commas', urlsOption)
    .option('--layer <url>', 'the execution layer that your instructions are sent to directly', urlsOption)
    .option('--token <mint>', "the token's mint", addressOption)
    .option('--keypair <signer>', 'your keypair: the path of its file, never what it says; usb://ledger')
    .option('--schedule <address>', 'the schedule that commands are about which name none', addressOption)
    .option('--book <folder>', 'where your lists are kept')
    .addOption(new Option('--clear [name]', 'forget one of these, or all').choices(SAVED))
    .action(use);
}

function urlsOption(text: string): string {
  const isUrl = (part: string) => URL.canParse(part.trim()) && /^https?:/.test(part.trim());
  if (text.split(',').every(isUrl)) return text;
  throw new InvalidArgumentError('It is not an address such as https://payouts.example.com.');
}

async function use({ clear, json, ...options }: UseOptions): Promise<void> {
  const given = SAVED.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]));
  const former = clear === true ? {} : await readDefaults();
  const kept = Object.entries(former).filter(([name]) => name !== clear);
  const saved: Defaults = { ...Object.fromEntries(kept), ...(await asKept(Object.fromEntries(given))) };
  if (clear !== undefined || given.length > 0) await writeDefaults(saved);
  const file = defaultsFile();
  const rows = SAVED.flatMap((name) => {
    const value = saved[name];
    return value === undefined ? [] : [[`--${name}`, shownDefault(name, value)]];
  });
  const lines = rows.length === 0 ? ['Nothing is saved.'] : [...columns(rows), `Saved in ${file}.`];
  printResult(json === undefined ? {} : { json }, { file, defaults: saved }, ...lines);
}

/** Paths in full, since commands are given in any folder. Throws `Failure` keypair-missing. */
async function asKept({ keypair, book, ...others }: Defaults): Promise<Defaults> {
  const folder = book === undefined ? {} : { book: resolve(book) };
  if (keypair === undefined) return { ...others, ...folder };
  // What stands behind a scheme or is typed in is no file.
  if (/^([a-z]+:|-$|ASK$)/i.test(keypair)) return { ...others, ...folder, keypair };
  const file = resolve(keypair);
  await access(file).catch((cause: unknown) => {
    throw new Failure('keypair-missing', `There is no keypair at ${file}: name the path of yours.`, { cause });
  });
  return { ...others, ...folder, keypair: file };
}
