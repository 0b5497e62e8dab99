import {
  findWhitelistEntryAddress,
  getFundScheduleInstructionAsync,
  ScheduleStatus,
  scheduleFees,
  sendToBase,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { withName } from '../../amounts.ts';
import { isWanted } from '../../confirm.ts';
import { presentList } from '../../employer/lists.ts';
import { approverFor } from '../../employer/policy.ts';
import { feeLines } from '../../employer/preview.ts';
import { writeProposal } from '../../employer/proposals.ts';
import { Failure } from '../../failure.ts';
import { SCHEDULE } from '../../options.ts';
import { print, printJson, wrapped } from '../../output.ts';
import {
  changing,
  ownSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  waitsText,
  windowsOf,
  withProposal,
} from './parts.ts';

/** payout schedule fund */
export function addFund(schedule: Command): void {
  withProposal(changing(schedule.command('fund').argument(...SCHEDULE)))
    .description('Promise more windows and reserve the money for them')
    .requiredOption('--executions <count>', 'how many more')
    .action(fund);
}

type FundOptions = ScheduleChangeOptions & ProposalOptions & { readonly executions: string };

async function fund(address: Address, options: FundOptions): Promise<void> {
  const executions = windowsOf(options.executions);
  const { employer, ledgers, token, vault, schedule } = await ownSchedule(address, options);
  const more = schedule.amount * BigInt(executions);
  if (more > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(more - vault.available, token)}; what is available covers ${vault.available / schedule.amount} windows.`,
    );
  }
  const approver = await approverFor(
    ledgers,
    vault,
    { amount: schedule.amount, sum: more },
    { time: options.time, schedule },
  );
  const isLater = approver !== undefined && schedule.status !== ScheduleStatus.Awaiting;
  const what = [
    `Promises ${executions} more windows: ${schedule.executionsLeft + executions} in all.`,
    ...wrapped(
      `${isLater ? 'Once approved: reserves' : 'Reserves'} ${withName(more, token)} of the ${withName(vault.available, token)} available.`,
    ),
    ...feeLines(schedule, scheduleFees(schedule, executions, 0)),
    ...(approver === undefined ? [] : wrapped(waitsText(approver))),
  ];
  if (!(await isWanted(what, options, { schedule: address, executions, reserves: more }))) return;
  const mintEntry = await findWhitelistEntryAddress(schedule.mint);
  const input = { employer, payer: employer, mintEntry, vault: vault.address, schedule: address, executions };
  const instruction = await getFundScheduleInstructionAsync(input);
  const signature = await sendToBase(ledgers, [instruction], employer);
  if (options.proposal !== undefined) {
    const present = await presentList(options, address, schedule, employer);
    if (present !== undefined)
      await writeProposal(options.proposal, address, { list: present, present, names: new Map() });
  }
  if (options.json) return printJson({ schedule: address, signature, approver });
  if (approver !== undefined) return tellApprover(approver, address, options);
  print('Promised.');
}
