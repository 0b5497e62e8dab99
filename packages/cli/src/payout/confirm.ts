import { createInterface } from 'node:readline/promises';
import { Failure, WrongUsage } from './failure.ts';
import type { AskOptions } from './options.ts';
import { printJson, tell } from './output.ts';

/**
 * Shows what will happen and asks for it; false: it was only to be shown, `plan` to programs. Throws `Failure` not-confirmed, or
 * `WrongUsage` where nobody can be asked.
 */
export async function isWanted(what: readonly string[], options: AskOptions, plan: object): Promise<boolean> {
  for (const line of what) tell(line);
  if (options.dryRun) {
    tell('Nothing has been changed: this was a dry run.');
    if (options.json) printJson({ dryRun: true, ...plan });
    return false;
  }
  if (options.yes) return true;
  if (!process.stdin.isTTY) throw new WrongUsage('Not an interactive terminal; pass --yes to confirm.');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D end the question without an answer, which is a no.
  const ended = new Promise<string>((resolve) => asking.once('close', () => resolve('')));
  const answer = await Promise.race([asking.question('Continue? [y/N] '), ended]);
  asking.close();
  if (/^y(es)?$/i.test(answer.trim())) return true;
  throw new Failure('not-confirmed', 'Nothing has been changed.');
}
