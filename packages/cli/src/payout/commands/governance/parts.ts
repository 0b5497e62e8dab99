import type { Config } from '@payouts/client';
import { readConfig } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseTokens } from '../../amounts.ts';
import { durationOf } from '../../duration.ts';
import { Failure } from '../../failure.ts';
import { loadKeypair } from '../../keypair.ts';
import { type LedgerSession, openLedger } from '../../ledgerChange.ts';
import { type AskOptions, addressOption, type KeyOptions, withAsking, withJson, withKey } from '../../options.ts';
import { printResult } from '../../output.ts';
import { type LedgerOptions, withLedger, withSending } from '../../rpc.ts';
import type { Signer } from '../../signer/signer.ts';

/** What a command of governance takes that looks only. */
export type LookOptions = LedgerOptions & Pick<KeyOptions, 'json'>;
/** And one that changes something. */
export type GovernanceOptions = KeyOptions & AskOptions & LedgerOptions;
/** And one that both keys sign. */
export type TwoKeys = GovernanceOptions & { readonly guardianKeypair: string };

/** What can be said of the whole deployment; what is left out stays as it is, or as it is by default. */
export type TermOptions = {
  readonly validator?: Address;
  readonly employers?: Admission;
  readonly tokens?: Admission;
  readonly maxRecipients?: number;
  readonly minInterval?: number;
  readonly minTimeout?: number;
  readonly maxTimeout?: number;
  readonly maxClaims?: number;
  readonly windowFee?: bigint;
  readonly recipientFee?: bigint;
  readonly openingFee?: bigint;
};

type Admission = 'any' | 'listed';
type Terms = Pick<
  Config,
  | 'maxRecipients'
  | 'minInterval'
  | 'minBatchTimeout'
  | 'maxBatchTimeout'
  | 'maxClaims'
  | 'windowFee'
  | 'recipientFee'
  | 'openingFee'
  | 'flags'
>;

export const SOL = { name: 'SOL', decimals: 9 } as const;

/** Bits of the config's flags. */
export const EMPLOYERS_LISTED = 1;
export const TOKENS_LISTED = 2;

/** Adds the options of a command that looks at the base ledger. */
export const looking = (command: Command): Command => withLedger(withJson(command));
/** Adds the options of a command that changes something there. */
export const changing = (command: Command): Command => withAsking(withKey(withSending(withJson(command))));
/** And of one that governance and guardian sign. */
export const bothSigning = (command: Command): Command =>
  changing(command).requiredOption('--guardian-keypair <file>', "the current guardian's keypair, which also signs");

const seconds =
  (option: string) =>
  (text: string): number =>
    durationOf(text, option);

/** What takes a whole number between two bounds. Throws commander's `InvalidArgumentError`. */
const countOption =
  (least: number, most: number) =>
  (text: string): number => {
    const count = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= least && count <= most) return count;
    throw new InvalidArgumentError(`It takes a number from ${least} to ${most}.`);
  };

/** Takes an amount of SOL as lamports. Throws commander's `InvalidArgumentError`. */
export function solOption(text: string): bigint {
  try {
    return parseTokens(text, SOL.decimals);
  } catch {
    throw new InvalidArgumentError('It takes SOL, such as 1 or 0.5.');
  }
}

/** Adds the options that say which layer runs windows and what schedules must keep to. The program has the last word on bounds. */
export function withTerms(command: Command, { isNew }: { readonly isNew: boolean }): Command {
  const validator = new Option('--validator <address>', "the execution layer's own key, for pools opened from now on");
  return command
    .addOption(validator.argParser(addressOption).makeOptionMandatory(isNew))
    .addOption(new Option('--employers <who>', 'who may open vaults').choices(['any', 'listed']))
    .addOption(new Option('--tokens <which>', 'which tokens get a pool').choices(['any', 'listed']))
    .option('--max-recipients <count>', 'of a schedule, at most', countOption(1, 1_048_576))
    .option('--min-interval <duration>', 'between windows, at least', seconds('--min-interval'))
    .option('--min-timeout <duration>', 'batch timeout, at least', seconds('--min-timeout'))
    .option('--max-timeout <duration>', 'batch timeout, at most', seconds('--max-timeout'))
    .option('--max-claims <count>', 'recipients of one instruction, at most', countOption(50, 1_100))
    .option('--window-fee <sol>', 'prepaid for each window of a new schedule', solOption)
    .option('--recipient-fee <sol>', 'prepaid for each recipient of a new schedule', solOption)
    .option('--opening-fee <sol>', 'prepaid for each wallet that a new schedule can have opened', solOption);
}

/** Terms as they are when the options are done. */
export function termsOf(options: TermOptions, present: Terms): Terms {
  const bit = (admission: Admission | undefined, flag: number) =>
    admission === undefined ? present.flags & flag : admission === 'listed' ? flag : 0;
  return {
    maxRecipients: options.maxRecipients ?? present.maxRecipients,
    minInterval: options.minInterval ?? present.minInterval,
    minBatchTimeout: options.minTimeout ?? present.minBatchTimeout,
    maxBatchTimeout: options.maxTimeout ?? present.maxBatchTimeout,
    maxClaims: options.maxClaims ?? present.maxClaims,
    windowFee: Number(options.windowFee ?? present.windowFee),
    recipientFee: Number(options.recipientFee ?? present.recipientFee),
    openingFee: Number(options.openingFee ?? present.openingFee),
    flags: bit(options.employers, EMPLOYERS_LISTED) | bit(options.tokens, TOKENS_LISTED),
  };
}

export type Governed = LedgerSession & { readonly config: Config };

/** What every change of the deployment begins with: whose key signs, the ledger, the config. Throws `Failure` config-missing. */
export async function withConfig(options: GovernanceOptions): Promise<Governed> {
  const session = await openLedger(options);
  return { ...session, config: await readConfig(session.ledgers) };
}

/** The same for governance alone. Throws `Failure` not-governance. */
export async function governed(options: GovernanceOptions): Promise<Governed> {
  const session = await withConfig(options);
  const { signer, config } = session;
  if (signer.address === config.governance) return session;
  throw new Failure(
    'not-governance',
    `Only governance may, whose key is ${config.governance}; yours is ${signer.address}. Is --keypair the right one?`,
  );
}

/** The same for either of the two keys. Throws `Failure` not-governance. */
export async function eitherKey(options: GovernanceOptions): Promise<Governed> {
  const session = await withConfig(options);
  const { signer, config } = session;
  if (signer.address === config.governance || signer.address === config.guardian) return session;
  throw new Failure('not-governance', `Only governance or guardian may; your key is ${signer.address}.`);
}

/** Says that all is as it was wanted. */
export const sayUnchanged = (options: GovernanceOptions): void =>
  printResult(options, { signature: null }, 'It is so already: nothing to change.');

/** The guardian's key, which signs beside governance. Throws `Failure` not-guardian. */
export async function guardianOf(file: string, config: Config): Promise<Signer> {
  const guardian = await loadKeypair(file);
  if (guardian.address === config.guardian) return guardian;
  throw new Failure(
    'not-guardian',
    `The guardian's key is ${config.guardian}; that of --guardian-keypair is ${guardian.address}.`,
  );
}
