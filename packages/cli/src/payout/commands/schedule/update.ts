import { sendToBase } from '@payouts/client';
import { compared, summaryOf, updateListPlan } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import { isWanted } from '../../confirm.ts';
import { folderText, keepList } from '../../employer/book.ts';
import { presentList, saltedList } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { previewLines } from '../../employer/preview.ts';
import { writeProposal } from '../../employer/proposals.ts';
import { SCHEDULE } from '../../options.ts';
import { bold, print, printJson, sentenceLines, tell } from '../../output.ts';
import { registered } from './create.ts';
import {
  changing,
  openSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  withProposal,
} from './parts.ts';

/** payout schedule update */
export function addUpdate(schedule: Command): void {
  withPayroll(
    withProposal(
      changing(
        schedule
          .command('update')
          .argument(...SCHEDULE)
          .argument('<payroll>', 'file of the payroll'),
      ),
    ),
  )
    .description('Replace the list, from the next window on')
    .action(update);
}

type UpdateOptions = ScheduleChangeOptions & ProposalOptions & PayrollOptions;

async function update(address: Address, file: string, options: UpdateOptions): Promise<void> {
  const own = await openSchedule(address, options);
  const { employer, ledgers, token, vault, schedule } = own;
  const payroll = await payrollOf(file, token, options, new Map([[vault.address, 'your vault']]));
  const present = await presentList(options, address, schedule, employer);
  const comparison = present && compared(present.recipients, payroll.lines);
  const planned = await updateListPlan(own, summaryOf(payroll), comparison);
  const { approver } = planned;
  const what = [
    bold(`Another list for ${address}`),
    `  from ${file}`,
    '',
    ...previewLines(planned.preview, payroll, token),
    '',
    ...sentenceLines(planned.effects),
  ];
  if (!(await isWanted(what, options, planned.plan))) return;
  const list = await saltedList(payroll.lines, token.mint, employer);
  const kept = await keepList(options, address, list);
  if (options.proposal !== undefined) {
    await writeProposal(options.proposal, address, { list, present, names: payroll.names });
  }
  const signature = await sendToBase(ledgers, await planned.instructionsFor(list), employer);
  tell('On the ledger.');
  await registered(options, address, () => registerSchedule(options.api, address, list));
  if (options.json) return printJson({ schedule: address, signature, list: kept, approver });
  if (approver !== undefined) {
    print(`Proposed and registered. Your copy of the list is in\n  ${folderText(kept)}`);
    return tellApprover(approver, address, options);
  }
  print(`Replaced and registered. Your copy of the list is in\n  ${folderText(kept)}`);
}
