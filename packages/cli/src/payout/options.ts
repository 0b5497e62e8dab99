import { isAddressText, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PrivateApi } from '../requests.ts';
import { loadKeypair } from './keypair.ts';

/** What a command takes that signs with a key of its user's. */
export type KeyOptions = { readonly keypair?: string; readonly json?: true; readonly time: Time };
/** What every command that speaks to a coordinator takes. */
export type CommonOptions = KeyOptions & { readonly api: string };

/** What a command takes that asks before it changes something. */
export type AskOptions = { readonly dryRun?: true; readonly yes?: true; readonly json?: true };
/** What a recipient's command takes that changes something. */
export type ChangeOptions = CommonOptions & AskOptions & { readonly layer?: string };

const DEFAULT_API = 'http://127.0.0.1:3000';

/** Adds `--json`. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document, amounts in base units');
}

/** Adds the options of a command that signs with a key. */
export function withKey(command: Command): Command {
  return command.option(
    '--keypair <signer>',
    "your keypair: a file, -, prompt:, usb://ledger (default: that of Solana's own CLI)",
  );
}

/** Adds the options of a command that speaks to a coordinator. */
export function withApi(command: Command): Command {
  return withJson(command).addOption(
    new Option('--api <url>', "the coordinator's address").env('PAYOUT_API').default(DEFAULT_API),
  );
}

/** Adds the options of a command that signs with a key and speaks to a coordinator. */
export function withCommon(command: Command): Command {
  return withKey(withApi(command));
}

/** Adds the options of a command that asks before it changes something. */
export function withAsking(command: Command): Command {
  return command.option('--dry-run', 'show what would happen, and change nothing').option('--yes', "don't ask");
}

/** Adds the options of a recipient's command that changes something. */
export function withChange(command: Command): Command {
  return withAsking(withCommon(command)).option('--layer <url>', 'send what you sign to this execution layer directly');
}

/** The coordinator that the options name, with the key that they name. Throws `Failure`. */
export const apiOf = async ({ api, keypair, time }: CommonOptions): Promise<PrivateApi> => ({
  apiUrl: api,
  signer: await loadKeypair(keypair),
  time,
});

/** An address as an option or an operand is written. */
export function addressOption(text: string): Address {
  if (isAddressText(text)) return text;
  throw new InvalidArgumentError('It is not an address: base 58 of 32 bytes.');
}

/** A window's number as it is written. */
export function windowOption(text: string): bigint {
  if (/^(0|[1-9][0-9]{0,17})$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('It is not the number of a window.');
}

/** What a command takes that is about one schedule: for commander's `argument`. */
export const SCHEDULE = ['<schedule>', 'address of the schedule', addressOption] as const;

/** What one takes that may be about several, as one: for commander's `argument`. */
export const SCHEDULES = [
  '<schedule>',
  'address of the schedule; several with commas between them',
  schedulesOption,
] as const;

/** Addresses of schedules with commas between them. */
export function schedulesOption(text: string): readonly Address[] {
  const schedules = text.split(',').map((part) => addressOption(part.trim()));
  if (new Set(schedules).size === schedules.length) return schedules;
  throw new InvalidArgumentError('It names a schedule twice.');
}

/** What an option collects that may be given again. */
export const collected = (text: string, former: readonly string[] = []): string[] => [...former, text];
