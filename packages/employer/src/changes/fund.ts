import {
  CalendarUnit,
  datesToLedger,
  findWhitelistEntryAddress,
  getFundScheduleInstructionAsync,
  type Schedule,
  ScheduleStatus,
} from '@payouts/client';
import { withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { approverFor } from '../policy.ts';
import { feeSentences } from '../preview.ts';
import type { OwnSchedule } from '../session.ts';
import { atOnce } from './change.ts';
import { feesDue, larger } from './fees.ts';
import { type PromiseChange, waitsSentences, windowsText } from './promise.ts';

/** Lamports that are still to be prepaid for so many more windows. */
function feesOf(schedule: Schedule, executions: number): bigint {
  const { executionsLeft, proposedExecutions, prepaidRecipients, proposedRecipients } = schedule;
  return feesDue(schedule, {
    windows: executionsLeft + proposedExecutions + executions,
    recipients: prepaidRecipients + proposedRecipients,
    amount: larger(schedule.amount, schedule.proposedAmount),
  });
}

/** Promises more windows and reserves the money for them, or prepays the fees of more without an end; on `dates` (unix seconds) where its calendar is one of dates. Throws `Failure` available-short or dates-needed. */
export async function fundSchedule(
  own: OwnSchedule,
  executions: number,
  dates: readonly bigint[] = [],
): Promise<PromiseChange> {
  const { employer, ledgers, token, vault, address, schedule } = own;
  if (schedule.unit === CalendarUnit.Dates && dates.length === 0) {
    throw new Failure(
      'dates-needed',
      'The schedule is paid on dates that you name, so more windows need more dates: payout schedule fund takes them.',
    );
  }
  const more = schedule.amount * BigInt(executions);
  const isEndless = schedule.kept > 0;
  if (!isEndless && more > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(more - vault.available, token)}; what is available covers ${vault.available / schedule.amount} windows.`,
    );
  }
  const spending = { amount: schedule.amount, sum: more };
  const approver = await approverFor(ledgers, vault, spending, { time: ledgers.time, schedule });
  const isLater = approver !== undefined && schedule.status !== ScheduleStatus.Awaiting;
  const reserves = `${withName(more, token)} of the ${withName(vault.available, token)} available`;
  const mintEntry = await findWhitelistEntryAddress(schedule.mint);
  const accounts = { employer, payer: employer, mintEntry, vault: vault.address, schedule: address };
  const input = { ...accounts, executions, dates: datesToLedger(dates) };
  return {
    effects: [
      ...(isEndless
        ? [
            `Prepays the fees of ${executions} more windows: ${schedule.executionsLeft + executions} in all.`,
            `It has no end, and keeps ${windowsText(schedule.kept)} reserved as far as the vault covers them.`,
          ]
        : [
            `Promises ${executions} more windows: ${schedule.executionsLeft + executions} in all.`,
            `${isLater ? 'Once approved: reserves' : 'Reserves'} ${reserves}.`,
          ]),
      ...feeSentences(schedule, feesOf(schedule, executions), token),
      ...waitsSentences(approver),
    ],
    plan: { schedule: address, executions, ...(!isEndless && { reserves: more }) },
    steps: atOnce(await getFundScheduleInstructionAsync(input)),
    done: 'Promised.',
    result: { schedule: address },
    approver,
  };
}
