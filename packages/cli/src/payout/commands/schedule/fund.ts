import { sendToBase } from '@payouts/client';
import { fundSchedule } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { isWanted } from '../../confirm.ts';
import { presentList } from '../../employer/lists.ts';
import { writeProposal } from '../../employer/proposals.ts';
import { SCHEDULE } from '../../options.ts';
import { print, printJson, sentenceLines } from '../../output.ts';
import {
  changing,
  openSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  windowsOf,
  withProposal,
} from './parts.ts';

/** payout schedule fund */
export function addFund(schedule: Command): void {
  withProposal(changing(schedule.command('fund').argument(...SCHEDULE)))
    .description('Add windows and reserve the money for them')
    .requiredOption('--executions <count>', 'how many more')
    .action(fund);
}

type FundOptions = ScheduleChangeOptions & ProposalOptions & { readonly executions: string };

async function fund(address: Address, options: FundOptions): Promise<void> {
  const executions = windowsOf(options.executions);
  const own = await openSchedule(address, options);
  const { employer, ledgers, schedule } = own;
  const { effects, plan, steps, approver, done } = await fundSchedule(own, executions);
  const what = sentenceLines(effects);
  if (!(await isWanted(what, options, plan))) return;
  const signature = await sendToBase(ledgers, steps.flat(2), employer);
  if (options.proposal !== undefined) {
    const present = await presentList(options, address, schedule, employer);
    if (present !== undefined)
      await writeProposal(options.proposal, address, { list: present, present, names: new Map() });
  }
  if (options.json) return printJson({ schedule: address, signature, approver });
  if (approver !== undefined) return tellApprover(approver, address, options);
  print(done);
}
