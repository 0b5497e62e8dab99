import { type Command, Option } from 'commander';

/** What every command that speaks to a coordinator takes. */
export type CommonOptions = {
  readonly keypair?: string;
  readonly api: string;
  readonly json?: true;
};

/** What a command takes that changes something. */
export type ChangeOptions = CommonOptions & { readonly dryRun?: true; readonly yes?: true };

const DEFAULT_API = 'http://127.0.0.1:8080';

/** Adds `--json`. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document, amounts in base units');
}

/** Adds the options of a command that signs with a key and speaks to a coordinator. */
export function withCommon(command: Command): Command {
  return withJson(
    command
      .option('--keypair <file>', "your keypair (default: that of Solana's own CLI)")
      .addOption(new Option('--api <url>', "the coordinator's address").env('PAYOUT_API').default(DEFAULT_API)),
  );
}

/** Adds the options of a command that changes something. */
export function withChange(command: Command): Command {
  return withCommon(command)
    .option('--dry-run', 'show what would happen, and change nothing')
    .option('--yes', "don't ask");
}
