import { type OwnSchedule, ownSchedule } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { type BookOptions, withBook } from '../../employer/book.ts';
import { WrongUsage } from '../../failure.ts';
import { type CommandSession, openEmployer } from '../../ledgerChange.ts';
import { type AskOptions, type CommonOptions, withAsking, withCommon } from '../../options.ts';
import { print, say } from '../../output.ts';
import { type LedgerOptions, withSending } from '../../rpc.ts';

/** What every command of an employer about a schedule takes. */
export type ScheduleOptions = CommonOptions & LedgerOptions & BookOptions;
/** And what one takes that changes something. */
export type ScheduleChangeOptions = ScheduleOptions & AskOptions;

/** What a command takes that may need the approver. */
export type ProposalOptions = { readonly proposal?: string };

/** Adds `--proposal`. */
export const withProposal = (command: Command): Command =>
  command.option('--proposal <file>', 'above your limit: write the list there, for your approver');

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

/** A schedule of the employer whose key is used. */
export type OpenSchedule = OwnSchedule & CommandSession;

/** Reads a schedule of the employer whose key is used. Throws `Failure` schedule-unknown, vault-missing or not-yours. */
export async function openSchedule(address: Address, options: ScheduleOptions): Promise<OpenSchedule> {
  const session = await openEmployer(options);
  return { ...(await ownSchedule(session, address)), employer: session.employer };
}
