import {
  getUpdateRecipientsInstructionAsync,
  reservedWindows,
  type Schedule,
  SchedulePhase,
  ScheduleStatus,
  unopenedWindows,
} from '@payouts/client';
import { withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { approverFor } from '../policy.ts';
import { feeSentences, type ListComparison, type PayrollSummary, previewOf } from '../preview.ts';
import type { OwnSchedule } from '../session.ts';
import type { ListPlan } from './create.ts';
import { feesDue, larger } from './fees.ts';
import { type HeldOver, heldSentences } from './heldOver.ts';
import { MOST_HELD } from './hold.ts';
import { waitsSentences, windowsText } from './promise.ts';

/** Lamports that are still to be prepaid for a list of so many recipients: as the ledger counts, which keeps the fees of the current one until its window has used them. */
function feesOf(schedule: Schedule, { recipients, total }: PayrollSummary, isLater: boolean): bigint {
  const { phase, prepaidRecipients: unused, windowRecipients, executionsLeft, proposedExecutions } = schedule;
  const kept = isLater ? unused : phase === SchedulePhase.Open ? Math.min(unused, windowRecipients) : 0;
  const windows = executionsLeft + (isLater ? proposedExecutions : 0);
  const amount = isLater ? larger(schedule.amount, total) : total;
  return feesDue(schedule, { windows, recipients: recipients + kept, amount });
}

/** From when on a list is paid. Who leaves finds nothing else that says so. */
function startSentence({ phase, window }: Schedule, isLater: boolean): string {
  const next = phase === SchedulePhase.Open ? window + 1n : window;
  const start = isLater
    ? 'Once approved: the list is paid from the next window on'
    : `The list is paid from window ${next} on`;
  return `${start}; who is not in it gets nothing from then on.`;
}

/** Windows that are reserved with another list: all that are promised; without an end, those to keep as far as the vault covers them. */
function reservedAfter({ schedule, vault }: OwnSchedule, { total }: PayrollSummary): bigint {
  const unopened = unopenedWindows(schedule);
  if (schedule.kept === 0) return BigInt(unopened);
  const wanted = BigInt(Math.min(schedule.kept, unopened));
  const covered = (vault.available + schedule.amount * BigInt(reservedWindows(schedule))) / total;
  return covered < wanted ? covered : wanted;
}

/** What is said where a schedule without an end has less than it keeps. */
function keptSentences({ kept }: Schedule, windows: bigint): string[] {
  if (BigInt(kept) <= windows) return [];
  return [
    `It keeps ${windowsText(kept)} reserved as far as your vault covers them: deposit for those that are missing.`,
  ];
}

const tooManyProposed = (): Failure =>
  new Failure(
    'too-many-held',
    `A schedule holds back ${MOST_HELD} at most, in the current list and in one that waits together. Leave who is held back out of the next list.`,
  );

/** Another list for a schedule, from the next window on; `comparison`: with the current one, where it is at hand; `held`: who is held back. Throws `Failure` available-short; what it promises, too-many-held. */
export async function updateListPlan(
  own: OwnSchedule,
  summary: PayrollSummary,
  comparison: ListComparison | undefined,
  held: HeldOver,
): Promise<ListPlan> {
  const { employer, ledgers, token, vault, address, schedule } = own;
  const preview = await previewOf(ledgers, summary, { vault, schedule: address, comparison });
  const isOpen = schedule.phase === SchedulePhase.Open;
  const windows = reservedAfter(own, summary);
  const more = summary.total * windows - schedule.amount * BigInt(reservedWindows(schedule));
  if (more > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(more - vault.available, token)}. Deposit them first.`,
    );
  }
  const spending = { amount: summary.total, sum: summary.total * BigInt(unopenedWindows(schedule)) };
  const approver = await approverFor(ledgers, vault, spending, { time: ledgers.time, schedule });
  const isLater = approver !== undefined && schedule.status !== ScheduleStatus.Awaiting;
  const reserves = more >= 0n ? `Reserves ${withName(more, token)} more` : `Frees ${withName(-more, token)}`;
  return {
    address,
    preview,
    effects: [
      startSentence(schedule, isLater),
      ...(isOpen ? [`Window ${schedule.window} is open and is paid by the current list.`] : []),
      ...heldSentences(held, schedule.heldCount),
      `${isLater ? 'Once approved: ' : ''}${reserves} for the ${windows} windows that are ${schedule.kept > 0 ? 'reserved then' : 'promised'}.`,
      ...keptSentences(schedule, windows),
      ...feeSentences(schedule, feesOf(schedule, summary, isLater), token),
      ...waitsSentences(approver),
    ],
    plan: {
      schedule: address,
      recipients: summary.recipients,
      total: summary.total,
      reserves: more,
      heldBack: held.staying.length,
    },
    lamports: 0n,
    approver,
    instructionsFor: async ({ root, total: amount, recipients: { length: recipients } }, places) => {
      // Places of a list that is proposed stand behind those of the one in force.
      if (isLater && schedule.heldCount + places.length > MOST_HELD) throw tooManyProposed();
      return [
        await getUpdateRecipientsInstructionAsync({
          employer,
          payer: employer,
          vault: vault.address,
          schedule: address,
          root,
          amount,
          recipients,
          // If somebody is held back or released meanwhile, the ledger refuses it.
          holds: schedule.holds,
          held: [...places],
        }),
      ];
    },
  };
}
