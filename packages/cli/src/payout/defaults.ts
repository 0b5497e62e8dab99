import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Failure } from './failure.ts';
import { replaceFile } from './replaceFile.ts';

/** What `payout use` saves, as options name it; `schedule` also stands for the only operand of a command that takes one. */
export const SAVED = ['api', 'rpc', 'layer', 'token', 'keypair', 'schedule', 'book'] as const;
type SavedName = (typeof SAVED)[number];
export type Defaults = { readonly [Name in SavedName]?: string };

/** Where commander says that a value comes from which is less than what the environment or the command line says. */
const SOURCE = 'config';
/** Commands that take none. */
const WITHOUT: readonly string[] = ['use', 'help', 'completion', 'operator'];
/** What is left out of the saved ones where another is given instead. */
const INSTEAD: Readonly<Partial<Record<SavedName, readonly string[]>>> = {
  token: ['schedule', 'vault'],
  schedule: ['token'],
};
const OTHERS_MAY_WRITE = 0o022;

/** The file of saved defaults. */
export const defaultsFile = (): string => {
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return resolve(process.env.PAYOUT_DEFAULTS || join(folder, 'payout', 'defaults.json'));
};

/** What is saved. Throws `Failure` defaults-unreadable or defaults-unsafe. */
export async function readDefaults(): Promise<Defaults> {
  const file = defaultsFile();
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return {};
  const isOthers = process.getuid !== undefined && found.uid !== process.getuid();
  if (isOthers || (found.mode & OTHERS_MAY_WRITE) !== 0) {
    throw new Failure(
      'defaults-unsafe',
      `Others may write ${file}, so they could send your money elsewhere. Check what it says, then: chmod 600 ${file}`,
    );
  }
  try {
    const saved = Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>);
    if (saved.every(([name, value]) => SAVED.includes(name as SavedName) && typeof value === 'string')) {
      return Object.fromEntries(saved);
    }
  } catch {
    // Said below.
  }
  throw new Failure('defaults-unreadable', `${file} is not as payout use writes it: payout use --clear removes it.`);
}

/** Saves defaults in place of the former ones; none removes the file. Only their owner can read them. */
export async function writeDefaults(defaults: Defaults): Promise<void> {
  const file = defaultsFile();
  if (Object.keys(defaults).length === 0) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, `${JSON.stringify(defaults, null, 2)}\n`);
}

const isSaved = (name: string): name is SavedName => (SAVED as readonly string[]).includes(name);

/** The operand of a command that can be left out where a schedule is saved: its only one. */
const scheduleOperand = (command: Command) =>
  command.registeredArguments.length === 1 && command.registeredArguments[0]?.name() === 'schedule'
    ? command.registeredArguments[0]
    : undefined;

/** Gives a program's commands what is saved as defaults of their options, below the environment and the command line. */
export function applyDefaults(program: Command, defaults: Defaults): void {
  for (const command of program.commands.filter((each) => !WITHOUT.includes(each.name()))) {
    applyDefaults(command, defaults);
    for (const option of command.options) {
      const value = isSaved(option.attributeName()) ? defaults[option.attributeName() as SavedName] : undefined;
      if (value === undefined || option.isBoolean()) continue;
      const read = option.parseArg?.(value, undefined) ?? value;
      command.setOptionValueWithSource(option.attributeName(), read, SOURCE);
    }
    const operand = scheduleOperand(command);
    if (operand === undefined || defaults.schedule === undefined) continue;
    operand.required = false;
    operand.default(operand.parseArg?.(defaults.schedule, undefined) ?? defaults.schedule);
  }
}

/** Leaves out what is saved where another is given instead. */
export function dropReplaced(command: Command): void {
  for (const [name, others] of Object.entries(INSTEAD)) {
    const isReplaced = others.some((other) => ['cli', 'env'].includes(command.getOptionValueSource(other) ?? ''));
    if (isReplaced && command.getOptionValueSource(name) === SOURCE) {
      command.setOptionValueWithSource(name, undefined, undefined as never);
    }
  }
}

/** An address as it is shown: what stands behind its origin may be a provider's key. */
const originsOf = (value: string): string =>
  value
    .split(',')
    .map((part) => {
      if (!URL.canParse(part.trim())) return part;
      const { origin, pathname, search } = new URL(part.trim());
      return pathname === '/' && search === '' ? origin : `${origin}/…`;
    })
    .join(', ');

/** A saved value as it is shown. */
export const shownDefault = (name: string, value: string): string =>
  ['api', 'rpc', 'layer'].includes(name) ? originsOf(value) : value;

/** A saved one that a command takes, written as an option. */
export type UsedDefault = { readonly name: SavedName; readonly text: string };

/** What a command takes from the saved ones. */
export function usedDefaults(command: Command, defaults: Defaults): readonly UsedDefault[] {
  const isOperand = command.args.length === 0 && scheduleOperand(command) !== undefined;
  return SAVED.flatMap((name) => {
    const value = defaults[name];
    const isUsed = command.getOptionValueSource(name) === SOURCE || (name === 'schedule' && isOperand);
    return value === undefined || !isUsed ? [] : [{ name, text: `--${name} ${shownDefault(name, value)}` }];
  });
}
