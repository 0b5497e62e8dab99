import { createRequire } from 'node:module';
import { ApiFailed, DoneBefore, type Time } from '@payouts/client';
import { Command, CommanderError } from 'commander';
import { commandLine } from './commandLine.ts';
import { COMMANDS } from './commands/index.ts';
import { EndedWith, Failure, WRONG_USAGE_CODE, WrongUsage } from './failure.ts';
import type { AskOptions } from './options.ts';
import { settleEarlier } from './outbox.ts';
import { printResult, tell, tellFailure } from './output.ts';
import { baseLedger, isSending, type LedgerOptions } from './rpc.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

const DONE_BEFORE = 'That was this command: it is done, and nothing is sent again.';

const packageOf = () => createRequire(import.meta.url)('../../package.json') as { readonly version: string };

/** The command line, without anything done yet. Commands added to it throw `Failure` or `WrongUsage`. */
export function payoutProgram({ json = false }: { readonly json?: boolean } = {}): Command {
  const refuse = (text: string): void => {
    const message = text.replace(/^error: /, '').trimEnd();
    if (json) tell(JSON.stringify({ error: { code: WRONG_USAGE_CODE, message } }));
    else tellFailure(message);
  };
  const program = new Command('payout')
    .version(packageOf().version)
    .description('Recurring payouts whose recipients nobody sees: what is yours, and where it goes')
    .helpCommand(false)
    .enablePositionalOptions()
    .configureOutput({ outputError: refuse })
    .exitOverride();
  for (const add of COMMANDS) add(program);
  return program;
}

/** Gives a command the time and a hash of its words; one that sends asks about what former ones have sent first. */
async function prepare(command: Command, time: Time): Promise<void> {
  const line = commandLine(command);
  command.setOptionValue('time', time).setOptionValue('line', line);
  const options = command.opts<LedgerOptions & AskOptions>();
  if (!isSending(options) || options.dryRun) return;
  const done = await settleEarlier(await baseLedger(options), line);
  // What has noted something goes on with that.
  if (done?.about === undefined && done !== undefined) throw done;
  command.setOptionValue('doneBefore', done);
}

/** Runs one command by this time, which it finds among its options. Returns the exit code: 0 done, 1 failed, 2 wrong usage; an operator's command has its own. */
export async function runPayout(words: readonly string[], time: Time): Promise<number> {
  const json = words.includes('--json');
  try {
    await payoutProgram({ json })
      .hook('preAction', (_, command) => prepare(command, time))
      .parseAsync(words, { from: 'user' });
    return DONE;
  } catch (error) {
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    if (error instanceof EndedWith) return error.exitCode;
    if (error instanceof DoneBefore) {
      printResult({ ...(json && { json }) }, { signature: error.signature, isRepeat: true }, DONE_BEFORE);
      return DONE;
    }
    const { code, message } = describedFailure(error);
    if (json) tell(JSON.stringify({ error: { code, message } }));
    else tellFailure(message);
    return error instanceof WrongUsage ? WRONG_USAGE : FAILED;
  }
}

function describedFailure(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof Failure) return error;
  if (error instanceof ApiFailed) return { code: error.reason ?? error.code, message: error.message };
  if (error instanceof TypeError && error.cause !== undefined) return unreachable(error.cause as UnreachableCause);
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return { code: typeof code === 'string' ? code : 'failed', message: String(message ?? error) };
}

type UnreachableCause = {
  readonly code?: unknown;
  readonly hostname?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
};

/** What `fetch` throws where nobody answers: of the servers that commands speak to, only the ledger's errors are not named before. */
function unreachable({ code, hostname, address, port }: UnreachableCause): Failure {
  const name = hostname ?? address;
  const where = typeof name === 'string' ? ` at ${name}${port === undefined ? '' : `:${port}`}` : '';
  const why = typeof code === 'string' ? ` (${code})` : '';
  return new Failure(
    'ledger-unavailable',
    `The ledger${where} does not answer${why}. Is it running, and is --rpc the right one?`,
  );
}
