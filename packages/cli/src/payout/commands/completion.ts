import { Argument, type Command } from 'commander';
import { bashScript, zshScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { placesOf } from '../completion/tree.ts';
import { print } from '../output.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** payout completion */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print what completes this command in your shell: eval "$(payout completion bash)"')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell](program.name(), placesOf(program)).trimEnd()));
}
