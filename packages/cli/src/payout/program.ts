import { ApiFailed } from '@payouts/client';
import { Command, CommanderError } from 'commander';
import { COMMANDS } from './commands/index.ts';
import { Failure, WrongUsage } from './failure.ts';
import { tell, tellFailure } from './output.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** The command line, without anything done yet. Commands added to it throw `Failure` or `WrongUsage`. */
export function payoutProgram(): Command {
  const program = new Command('payout')
    .description('Recurring payouts whose recipients nobody sees: what is yours, and where it goes')
    .helpCommand(false)
    .configureOutput({ outputError: (text) => tellFailure(text.replace(/^error: /, '').trimEnd()) })
    .exitOverride();
  for (const add of COMMANDS) add(program);
  return program;
}

/** Runs one command. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runPayout(words: readonly string[]): Promise<number> {
  try {
    await payoutProgram().parseAsync(words, { from: 'user' });
    return DONE;
  } catch (error) {
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    const { code, message } = describedFailure(error);
    if (words.includes('--json')) tell(JSON.stringify({ error: { code, message } }));
    else tellFailure(message);
    return error instanceof WrongUsage ? WRONG_USAGE : FAILED;
  }
}

function describedFailure(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof Failure) return error;
  if (error instanceof ApiFailed) return { code: error.reason ?? error.code, message: error.message };
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return { code: typeof code === 'string' ? code : 'failed', message: String(message ?? error) };
}
