import { createRequire } from 'node:module';
import { ApiFailed, DoneBefore, type Time } from '@payouts/client';
import { Command, CommanderError } from 'commander';
import { commandLine } from './commandLine.ts';
import { COMMANDS } from './commands/index.ts';
import {
  applyDefaults,
  type Defaults,
  dropReplaced,
  readDefaults,
  type UsedDefault,
  usedDefaults,
} from './defaults.ts';
import { addExamples } from './examples.ts';
import { EndedWith, Failure, WRONG_USAGE_CODE, WrongUsage } from './failure.ts';
import { defaultPlace } from './keypair.ts';
import type { AskOptions } from './options.ts';
import { settleEarlier } from './outbox.ts';
import { printResult, tell, tellFailure } from './output.ts';
import { baseLedger, isSending, type LedgerOptions } from './rpc.ts';
import { Proposed, proposedJson, proposedText } from './treasury.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

const DONE_BEFORE = 'That was this command: it is done, and nothing is sent again.';

const packageOf = () => createRequire(import.meta.url)('../../package.json') as { readonly version: string };

type ProgramOptions = { readonly json?: boolean; readonly defaults?: Defaults };

/** The command line, without anything done yet. Commands added to it throw `Failure` or `WrongUsage`. */
export function payoutProgram({ json = false, defaults = {} }: ProgramOptions = {}): Command {
  const refuse = (text: string): void => {
    const message = text.replace(/^error: /, '').trimEnd();
    if (json) tell(JSON.stringify({ error: { code: WRONG_USAGE_CODE, message } }));
    else tellFailure(message);
  };
  const program = new Command('payout')
    .version(packageOf().version)
    .description('Recurring payouts on Solana without publishing who gets what')
    .helpCommand(false)
    .enablePositionalOptions()
    .configureOutput({ outputError: refuse })
    .exitOverride();
  for (const [group, commands] of COMMANDS) {
    program.commandsGroup(group);
    for (const add of commands) add(program);
  }
  addExamples(program);
  applyDefaults(program, defaults);
  return program;
}

/** Gives a command the time and its line, a hash; one that sends asks about what former ones have sent first. */
async function prepare(command: Command, time: Time, defaults: Defaults): Promise<void> {
  dropReplaced(command);
  sayDefaults(command, defaults);
  const line = await commandLine(command, await defaultPlace());
  command.setOptionValue('time', time).setOptionValue('line', line);
  const options = command.opts<LedgerOptions & AskOptions>();
  if (!isSending(options) || options.dryRun) return;
  const done = await settleEarlier(await baseLedger(options), line);
  // What has noted something goes on with that.
  if (done?.about === undefined && done !== undefined) throw done;
  command.setOptionValue('doneBefore', done);
}

/** Says what of the saved defaults decides what a command is about, and of one that changes something also where. */
function sayDefaults(command: Command, defaults: Defaults): void {
  const { json } = command.opts<AskOptions>();
  const isChange = command.options.some(({ long }) => long === '--yes');
  const said = usedDefaults(command, defaults).filter(({ name }) => isChange || ['token', 'schedule'].includes(name));
  if (json || said.length === 0) return;
  for (const line of ['Saved by payout use:', ...said.map(({ text }) => `  ${text}`)]) tell(line);
}

/** Runs one command by this time, which it finds among its options. Returns the exit code: 0 done, 1 failed, 2 wrong usage; an operator's command has its own. */
export async function runPayout(words: readonly string[], time: Time): Promise<number> {
  const json = words.includes('--json');
  let used: readonly UsedDefault[] = [];
  try {
    // It can mend what can't be read.
    const defaults = words[0] === 'use' ? {} : await readDefaults();
    await payoutProgram({ json, defaults })
      .hook('preAction', (_, command) => {
        used = usedDefaults(command, defaults);
        return prepare(command, time, defaults);
      })
      .parseAsync(words, { from: 'user' });
    return DONE;
  } catch (error) {
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    if (error instanceof EndedWith) return error.exitCode;
    if (error instanceof Proposed) {
      printResult({ ...(json && { json }) }, proposedJson(error), ...proposedText(error));
      return DONE;
    }
    if (error instanceof DoneBefore) {
      printResult({ ...(json && { json }) }, { signature: error.signature, isRepeat: true }, DONE_BEFORE);
      return DONE;
    }
    const { code, message } = withDefaults(describedFailure(error), used);
    if (json) tell(JSON.stringify({ error: { code, message } }));
    else tellFailure(message);
    return error instanceof WrongUsage ? WRONG_USAGE : FAILED;
  }
}

/** A failure that asks about an option says so if its value was saved. */
function withDefaults(failure: Described, used: readonly UsedDefault[]): Described {
  const { code, message } = failure;
  const asked = used.filter(({ name }) => message.includes(`--${name}`)).map(({ text }) => text);
  return asked.length === 0 ? failure : { code, message: `${message} payout use has saved ${asked.join(', ')}.` };
}

type Described = { readonly code: string; readonly message: string };

function describedFailure(error: unknown): Described {
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
