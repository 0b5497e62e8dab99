import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { payoutProgram } from '@payouts/cli/payout';
import { runCommand } from '@payouts/testing/command';
import type { Command } from 'commander';
import { root } from './clone.ts';

/** Refuses a block whose syntax is no shell's. */
export function checkSyntax(code: string): void {
  execFileSync('bash', ['-n'], { input: code, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Each command of a block by itself, its words apart; variables, quotes and redirections as they are written. */
export function commandsOf(code: string): string[][] {
  return code
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .split(/\n|&&|\|\|?|;/)
    .map((line) => line.trim().split(/\s+/))
    .filter(([first = '']) => first !== '');
}

const optionsIn = (words: readonly string[]): string[] =>
  words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''));

function payoutCommand(words: readonly string[]): Command {
  let command: Command = payoutProgram();
  for (const word of words) {
    const inner = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (inner === undefined) break;
    command = inner;
  }
  return command;
}

async function checkPayout(words: readonly string[]): Promise<void> {
  // What stands behind it are the coordinator's own commands.
  if (words[0] === 'operator') return checkCoordinator(words.slice(1));
  if (words[0] === '--version') return;
  const command = payoutCommand(words);
  if (command.commands.length > 0) throw new Error(`payout ${words.join(' ')}: there is no such command`);
  for (const option of optionsIn(words)) {
    if (option !== '--help' && !command.options.some(({ long }) => long === option)) {
      throw new Error(`payout ${command.name()} has no option ${option}`);
    }
  }
}

let help: ReturnType<typeof runCommand> | undefined;

async function checkCoordinator(words: readonly string[]): Promise<void> {
  help ??= runCommand({}, '--help');
  const { printed } = await help;
  const named = words
    .filter((word) => /^[a-z][a-z-]*$/.test(word))
    .slice(0, 2)
    .join(' ');
  const line = printed.split('\n').find((each) => each.trim().startsWith(named.split(' ')[0] ?? ''));
  if (named !== '' && line === undefined) throw new Error(`the coordinator has no command ${named}`);
  for (const option of optionsIn(words)) {
    if (option !== '--help' && !printed.includes(option))
      throw new Error(`no command of the coordinator has the option ${option}`);
  }
}

/** The repository's commands and the files that they run. */
const { COMMANDS } = (await import(join(root, 'scripts/run.mjs'))) as {
  COMMANDS: Readonly<Record<string, { readonly file?: string }>>;
};

/** The text of a source file and of those beside it that it imports. */
function textsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const beside = [...text.matchAll(/from '\.\/(\w+\.ts)'/g)].map(([, file = '']) => join(root, dirname(path), file));
  return [text, ...beside.map((file) => readFileSync(file, 'utf8'))];
}

/** A script's own words stand in its files: what it reads them with differs from one to the other. */
function checkScript(name: string, words: readonly string[]): void {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const script = /^node (\S+)/.exec(scripts[name] ?? '')?.[1];
  if (scripts[name] === undefined) throw new Error(`there is no script ${name}`);
  if (script === undefined) return;
  const sources = [COMMANDS[name]?.file ?? script];
  const first = words.find((word) => /^[a-z]/.test(word));
  if (first !== undefined && existsSync(join(root, name, `${first}.ts`))) sources.push(`${name}/${first}.ts`);
  const known = sources.flatMap(textsOf).join('\n');
  for (const option of optionsIn(words)) {
    const key = option.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!known.includes(option) && !new RegExp(`['"]?${option.slice(2)}['"]?:|\\b${key}\\b`).test(known)) {
      throw new Error(`npm run ${name} has no option ${option}`);
    }
  }
}

/** Checks the project's own commands in a block that is not run: that they exist and have the options given. */
export async function checkCommands(code: string): Promise<void> {
  for (const words of commandsOf(code)) {
    const from = words.findIndex((word) => word === 'payout' || word === 'npm');
    if (from < 0) continue;
    const [program, ...rest] = words.slice(from);
    if (program === 'payout') await checkPayout(rest);
    else if (rest[0] === 'run') {
      const [name = '', ...more] = rest
        .slice(1)
        .filter((word) => word !== '-s' && word !== '--silent' && word !== '--');
      if (name === 'payout') await checkPayout(more);
      else if (name === 'coordinator') await checkCoordinator(more);
      else checkScript(name, more);
    } else if (rest[0] === 'start') checkScript('start', rest.slice(1));
  }
}
