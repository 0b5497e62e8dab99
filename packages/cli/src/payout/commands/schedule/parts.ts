import { type BaseConnection, fetchMaybeSchedule, type Schedule, ScheduleStatus } from '@payouts/client';
import type { AmountStyle, Payroll } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { type Command, Option } from 'commander';
import { readPayrollFile } from '../../../payrollFile.ts';
import { progressBar } from '../../bar.ts';
import { type BookOptions, withBook } from '../../employer/book.ts';
import { type OpenVault, readVault } from '../../employer/vault.ts';
import { Failure, WrongUsage } from '../../failure.ts';
import { openLedger } from '../../ledgerChange.ts';
import { type AskOptions, type CommonOptions, withAsking, withCommon } from '../../options.ts';
import { print, say } from '../../output.ts';
import { type LedgerOptions, levelOf, withSending } from '../../rpc.ts';
import type { Signer } from '../../signer/signer.ts';
import { readToken, type TokenInfo } from '../../token.ts';

/** What every command of an employer about a schedule takes. */
export type ScheduleOptions = CommonOptions & LedgerOptions & BookOptions;
/** And what one takes that changes something. */
export type ScheduleChangeOptions = ScheduleOptions & AskOptions;

type Base = BaseConnection;

/** An employer's schedule with all that belongs to it. */
export type OwnSchedule = {
  readonly employer: Signer;
  readonly ledgers: Base;
  readonly token: TokenInfo;
  readonly vault: OpenVault;
  readonly address: Address;
  readonly schedule: Schedule;
};

/** What a status is called. */
export const STATUS_NAMES: Readonly<Record<ScheduleStatus, string>> = {
  [ScheduleStatus.Active]: 'active',
  [ScheduleStatus.Paused]: 'paused',
  [ScheduleStatus.Cancelled]: 'cancelled',
  [ScheduleStatus.Completed]: 'completed',
  [ScheduleStatus.Awaiting]: 'awaiting approval',
};

/** What a command takes that may need the approver. */
export type ProposalOptions = { readonly proposal?: string };

/** Adds `--proposal`. */
export const withProposal = (command: Command): Command =>
  command.option('--proposal <file>', 'above your limit: write the list there, for your approver');

/** What it means that something is above the limit. */
export const waitsText = (approver: Address): string =>
  `That is above your limit: it waits on the ledger until ${approver} approves it.`;

/** What `--executions` takes. Throws `WrongUsage`. */
export function windowsOf(written: string): number {
  if (!/^[1-9]\d{0,8}$/.test(written)) throw new WrongUsage('--executions takes a number of windows.');
  return Number(written);
}

/** Says what is to be done now that something waits. */
export function tellApprover(approver: Address, schedule: Address, { proposal }: ProposalOptions): void {
  print(`It waits for ${approver}, who runs`);
  print(`  payout schedule approve ${schedule} \\\n    --list ${proposal ?? 'FILE'}`);
  if (proposal === undefined)
    say('You wrote no FILE for that (--proposal): the approver would have to agree without seeing the list.');
  else say(`Give them ${proposal} on a private way: it says who is paid how much.`);
}

/** Adds the options of a command that changes a schedule. */
export const changing = (command: Command): Command => withBook(withSending(withAsking(withCommon(command))));

/** A schedule as it is final, or as the command waits for. Throws `Failure` schedule-unknown. */
export async function readSchedule(ledgers: Base, address: Address): Promise<Schedule> {
  const found = await fetchMaybeSchedule(ledgers.base, address, levelOf(ledgers));
  if (found.exists) return found.data;
  throw new Failure('schedule-unknown', `There is no schedule ${address} on this ledger. Is --rpc the right one?`);
}

/** Reads a schedule of the employer whose key is used. Throws `Failure` schedule-unknown or not-yours. */
export async function ownSchedule(address: Address, options: ScheduleOptions): Promise<OwnSchedule> {
  const { signer: employer, ledgers } = await openLedger(options);
  const schedule = await readSchedule(ledgers, address);
  const token = await readToken(ledgers, schedule.mint);
  const vault = await readVault(ledgers, employer.address, token);
  if (vault.address !== schedule.vault) {
    throw new Failure(
      'not-yours',
      `The schedule ${address} belongs to another vault than yours. Is --keypair the right one?`,
    );
  }
  return { employer, ledgers, token, vault, address, schedule };
}

/** What a command takes that reads a payroll file. */
export type PayrollOptions = { readonly decimal?: AmountStyle };

/** Adds `--decimal`. */
export const withPayroll = (command: Command): Command =>
  command.addOption(
    new Option('--decimal <sign>', 'how the file writes 1250.50, if it does not say').choices(['point', 'comma']),
  );

/** Reads a payroll file, with a bar while that takes time. Addresses that are nobody's wallet are refused. */
export async function payrollOf(
  file: string,
  token: TokenInfo,
  { decimal: style }: PayrollOptions,
  refused: ReadonlyMap<string, string> = new Map(),
): Promise<Payroll> {
  const bar = progressBar('Reading the payroll');
  try {
    return await readPayrollFile(file, {
      decimals: token.decimals,
      style,
      refused: new Map([[token.mint, "the token's mint"], ...refused]),
      onProgress: (part) => bar.at(part),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Failure('payroll-missing', `There is no file ${file}.`);
  } finally {
    bar.end();
  }
}
