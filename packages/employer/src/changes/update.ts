import {
  getUpdateRecipientsInstructionAsync,
  type Schedule,
  SchedulePhase,
  ScheduleStatus,
  scheduleFees,
} from '@payouts/client';
import { withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { approverFor } from '../policy.ts';
import { feeSentences, type ListComparison, type PayrollSummary, previewOf } from '../preview.ts';
import type { OwnSchedule } from '../session.ts';
import type { ListPlan } from './create.ts';
import { waitsSentences } from './promise.ts';

/** Lamports that are still to be prepaid for a list of so many recipients: as the ledger counts, which keeps the fees of the current one until its window has used them. */
function feesOf(schedule: Schedule, recipients: number, isLater: boolean): bigint {
  const { phase, prepaidRecipients: unused, windowRecipients, executionsLeft, proposedExecutions, prepaid } = schedule;
  const kept = isLater ? unused : phase === SchedulePhase.Open ? Math.min(unused, windowRecipients) : 0;
  const windows = executionsLeft + (isLater ? proposedExecutions : 0);
  const due = scheduleFees(schedule, windows, recipients + kept) - prepaid;
  return due > 0n ? due : 0n;
}

/** From when on a list is paid. Who leaves finds nothing else that says so. */
function startSentence({ phase, window }: Schedule, isLater: boolean): string {
  const next = phase === SchedulePhase.Open ? window + 1n : window;
  const start = isLater
    ? 'Once approved: the list is paid from the next window on'
    : `The list is paid from window ${next} on`;
  return `${start}; who is not in it gets nothing from then on.`;
}

/** Another list for a schedule, from the next window on; `comparison`: with the current one, where it is at hand. Throws `Failure` available-short. */
export async function updateListPlan(
  own: OwnSchedule,
  summary: PayrollSummary,
  comparison: ListComparison | undefined,
): Promise<ListPlan> {
  const { employer, ledgers, token, vault, address, schedule } = own;
  const preview = await previewOf(ledgers, summary, { vault, schedule: address, comparison });
  const isOpen = schedule.phase === SchedulePhase.Open;
  const windows = BigInt(schedule.executionsLeft - (isOpen ? 1 : 0));
  const more = (summary.total - schedule.amount) * windows;
  if (more > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(more - vault.available, token)}. Deposit them first.`,
    );
  }
  const spending = { amount: summary.total, sum: summary.total * windows };
  const approver = await approverFor(ledgers, vault, spending, { time: ledgers.time, schedule });
  const isLater = approver !== undefined && schedule.status !== ScheduleStatus.Awaiting;
  const reserves = more >= 0n ? `Reserves ${withName(more, token)} more` : `Frees ${withName(-more, token)}`;
  return {
    address,
    preview,
    effects: [
      startSentence(schedule, isLater),
      ...(isOpen ? [`Window ${schedule.window} is open and is paid by the current list.`] : []),
      `${isLater ? 'Once approved: ' : ''}${reserves} for the ${windows} windows that are promised.`,
      ...feeSentences(schedule, feesOf(schedule, summary.recipients, isLater)),
      ...waitsSentences(approver),
    ],
    plan: { schedule: address, recipients: summary.recipients, total: summary.total, reserves: more },
    approver,
    instructionsFor: async ({ root, total: amount, recipients: { length: recipients } }) => [
      await getUpdateRecipientsInstructionAsync({
        employer,
        payer: employer,
        vault: vault.address,
        schedule: address,
        root,
        amount,
        recipients,
      }),
    ],
  };
}
