import {
  getUpdateRecipientsInstructionAsync,
  type Schedule,
  SchedulePhase,
  ScheduleStatus,
  scheduleFees,
  sendToBase,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import { withName } from '../../amounts.ts';
import { isWanted } from '../../confirm.ts';
import { folderText, keepList } from '../../employer/book.ts';
import { listOf, presentList } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { approverFor } from '../../employer/policy.ts';
import { feeLines, previewLines, previewOf } from '../../employer/preview.ts';
import { writeProposal } from '../../employer/proposals.ts';
import { Failure } from '../../failure.ts';
import { SCHEDULE } from '../../options.ts';
import { bold, print, printJson, tell, wrapped } from '../../output.ts';
import { registered } from './create.ts';
import {
  changing,
  ownSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  waitsText,
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
    .description('Promise another list, from the next window on')
    .action(update);
}

type UpdateOptions = ScheduleChangeOptions & ProposalOptions & PayrollOptions;

/** Lamports that are still to be prepaid for a list of so many recipients: as the ledger counts, which keeps the fees of the present one until its window has used them. */
function feesOf(schedule: Schedule, recipients: number, isLater: boolean): bigint {
  const { phase, prepaidRecipients: unused, windowRecipients, executionsLeft, proposedExecutions, prepaid } = schedule;
  const kept = isLater ? unused : phase === SchedulePhase.Open ? Math.min(unused, windowRecipients) : 0;
  const windows = executionsLeft + (isLater ? proposedExecutions : 0);
  const due = scheduleFees(schedule, windows, recipients + kept) - prepaid;
  return due > 0n ? due : 0n;
}

async function update(address: Address, file: string, options: UpdateOptions): Promise<void> {
  const { employer, ledgers, token, vault, schedule } = await ownSchedule(address, options);
  const payroll = await payrollOf(file, token, options, new Map([[vault.address, 'your vault']]));
  const present = await presentList(options, address, schedule, employer);
  const found = await previewOf(ledgers, payroll, { vault, schedule: address, present: present?.recipients });
  const isOpen = schedule.phase === SchedulePhase.Open;
  const windows = BigInt(schedule.executionsLeft - (isOpen ? 1 : 0));
  const more = (payroll.total - schedule.amount) * windows;
  if (more > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(more - vault.available, token)}. Deposit them first.`,
    );
  }
  const approver = await approverFor(
    ledgers,
    vault,
    { amount: payroll.total, sum: payroll.total * windows },
    { time: options.time, schedule },
  );
  const isLater = approver !== undefined && schedule.status !== ScheduleStatus.Awaiting;
  const what = [
    bold(`Another list for ${address}`),
    `  from ${file}`,
    '',
    ...previewLines(found, token),
    '',
    ...(isOpen ? [`Window ${schedule.window} is open and is paid by the current list.`] : []),
    ...wrapped(
      `${isLater ? 'Once approved: ' : ''}${more >= 0n ? `Reserves ${withName(more, token)} more` : `Frees ${withName(-more, token)}`} for the ${windows} windows that are promised.`,
    ),
    ...feeLines(schedule, feesOf(schedule, payroll.lines.length, isLater)),
    ...(approver === undefined ? [] : wrapped(waitsText(approver))),
  ];
  const plan = { schedule: address, recipients: payroll.lines.length, total: payroll.total, reserves: more };
  if (!(await isWanted(what, options, plan))) return;
  const list = await listOf(payroll.lines, token.mint, employer);
  const kept = await keepList(options, address, list);
  if (options.proposal !== undefined) {
    await writeProposal(options.proposal, address, { list, present, names: payroll.names });
  }
  const instruction = await getUpdateRecipientsInstructionAsync({
    employer,
    payer: employer,
    vault: vault.address,
    schedule: address,
    root: list.root,
    amount: list.total,
    recipients: list.recipients.length,
  });
  const signature = await sendToBase(ledgers, [instruction], employer);
  tell('On the ledger.');
  await registered(options, address, () => registerSchedule(options.api, address, list));
  if (options.json) return printJson({ schedule: address, signature, list: kept, approver });
  if (approver !== undefined) {
    print(`Proposed and registered. Your copy of the list is in\n  ${folderText(kept)}`);
    return tellApprover(approver, address, options);
  }
  print(`Replaced and registered. Your copy of the list is in\n  ${folderText(kept)}`);
}
