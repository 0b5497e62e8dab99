import { type OwnSchedule, ownSchedule } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { type BookOptions, withBook } from '../../employer/book.ts';
import { WrongUsage } from '../../failure.ts';
import { type CommandSession, openEmployer } from '../../ledgerChange.ts';
import { type AskOptions, type CommonOptions, withAsking, withCommon } from '../../options.ts';
import { print, say } from '../../output.ts';
import { type LedgerOptions, withSending } from '../../rpc.ts';
import { type TreasuryOptions, withTreasury } from '../../treasury.ts';

/** What every command of an employer about a schedule takes. */
export type ScheduleOptions = CommonOptions & LedgerOptions & TreasuryOptions & BookOptions;
/** And what one takes that changes something. */
export type ScheduleChangeOptions = ScheduleOptions & AskOptions;

/** What a command takes that may need the approver. */
export type ProposalOptions = { readonly proposal?: string };

/** Adds `--proposal`. */
export const withProposal = (command: Command): Command =>
  command.option(
    '--proposal <file>',
    'write the list there for who is to agree: your approver, or members of the treasury',
  );

/** What `--executions` takes. Throws `WrongUsage`. */
export function windowsOf(written: string): number {
  if (!/^[1-9]\d{0,8}$/.test(written)) throw new WrongUsage('--executions takes a number of windows.');
  return Number(written);
}

/** Says what is to be done now that something waits: all of it is for one approver, or each for its own. */
export function tellApprover(
  waiting: readonly { readonly address: Address; readonly approver: Address | undefined }[],
  { proposal }: ProposalOptions,
): void {
  for (const approver of new Set(waiting.map((each) => each.approver as Address))) {
    const own = waiting.filter((each) => each.approver === approver).map(({ address }) => address);
    print(`It waits for ${approver}, who runs`);
    print(`  payout schedule approve ${own.join(',')} \\\n    --list ${proposal ?? 'FILE'}`);
  }
  if (proposal === undefined)
    say('You wrote no FILE for that (--proposal): the approver would have to agree without seeing the list.');
  else say(`Give them ${proposal} on a private way: it says who is paid how much.`);
}

/** Adds the options of a command that changes a schedule. */
export const changing = (command: Command): Command =>
  withBook(withTreasury(withSending(withAsking(withCommon(command)))));

/** Reads schedules of the employer whose key is used, which a command changes as one. Throws what `openSchedule` throws. */
export async function openSchedules(
  addresses: readonly Address[],
  options: ScheduleOptions,
): Promise<readonly [OpenSchedule, ...OpenSchedule[]]> {
  const session = await openEmployer(options);
  const open = async (address: Address) => ({ ...(await ownSchedule(session, address)), employer: session.employer });
  const [first, ...others] = addresses as readonly [Address, ...Address[]];
  return [await open(first), ...(await Promise.all(others.map(open)))];
}

/** A schedule of the employer whose key is used. */
export type OpenSchedule = OwnSchedule & CommandSession;

/** Reads a schedule of the employer whose key is used. Throws `Failure` schedule-unknown, vault-missing or not-yours. */
export async function openSchedule(address: Address, options: ScheduleOptions): Promise<OpenSchedule> {
  const session = await openEmployer(options);
  return { ...(await ownSchedule(session, address)), employer: session.employer };
}
