import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { EndedWith, Failure } from '../failure.ts';

/** payout operator …: the coordinator's own commands, in a process of their own. */
export function addOperator(program: Command): void {
  program
    .command('operator')
    .description("An operator's commands: runs, reconcile, config check, keys, backup, restore … (operator --help)")
    .argument('[words...]', "the coordinator's command and its options")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(operate);
}

async function operate(words: readonly string[]): Promise<void> {
  // Without a command the coordinator would start.
  const asked = words.length === 0 ? ['--help'] : words;
  const child = spawn(process.execPath, [coordinatorFile(), ...asked], { stdio: 'inherit' });
  // Ctrl-C reaches it by the terminal; a signal to this process alone does not.
  const ignore = () => {};
  const pass = () => child.kill('SIGTERM');
  process.on('SIGINT', ignore).on('SIGTERM', pass);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('SIGINT', ignore).off('SIGTERM', pass);
  throw new EndedWith(code ?? 128 + constants.signals[signal as NodeJS.Signals]);
}

/** The coordinator that is installed beside this command, else beside the present folder. Throws `Failure` coordinator-missing. */
function coordinatorFile(): string {
  for (const place of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(place).resolve('@payouts/coordinator/main');
    } catch {
      // Not there; perhaps at the next place.
    }
  }
  throw new Failure(
    'coordinator-missing',
    "The coordinator is not installed here, and operators' commands are its own. Install @payouts/coordinator beside this command, or call them where it runs (in its container: the same words behind its entry point).",
  );
}
