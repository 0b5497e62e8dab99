import type { Command } from 'commander';
import { WrongUsage } from '../failure.ts';

/** payout help [command] */
export function addHelp(program: Command): void {
  program
    .command('help')
    .description('All commands by whom they are for, or what one takes: payout help schedule create')
    .argument('[command...]', 'the words of a command')
    .action((words: readonly string[]) => commandAt(program, words).outputHelp());
}

/** The command with these words. Throws `WrongUsage`. */
function commandAt(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const inner = found.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (inner === undefined) {
      throw new WrongUsage(`There is no command ${words.join(' ')}. payout help names all of them.`);
    }
    found = inner;
  }
  return found;
}
