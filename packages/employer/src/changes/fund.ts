import {
  findWhitelistEntryAddress,
  getFundScheduleInstructionAsync,
  ScheduleStatus,
  scheduleFees,
} from '@payouts/client';
import { withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { approverFor } from '../policy.ts';
import { feeSentences } from '../preview.ts';
import type { OwnSchedule } from '../session.ts';
import { atOnce } from './change.ts';
import { type PromiseChange, waitsSentences } from './promise.ts';

/** Promises more windows and reserves the money for them. Throws `Failure` available-short. */
export async function fundSchedule(own: OwnSchedule, executions: number): Promise<PromiseChange> {
  const { employer, ledgers, token, vault, address, schedule } = own;
  const more = schedule.amount * BigInt(executions);
  if (more > vault.available) {
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
  const input = { employer, payer: employer, mintEntry, vault: vault.address, schedule: address, executions };
  return {
    effects: [
      `Promises ${executions} more windows: ${schedule.executionsLeft + executions} in all.`,
      `${isLater ? 'Once approved: reserves' : 'Reserves'} ${reserves}.`,
      ...feeSentences(schedule, scheduleFees(schedule, executions, 0)),
      ...waitsSentences(approver),
    ],
    plan: { schedule: address, executions, reserves: more },
    steps: atOnce(await getFundScheduleInstructionAsync(input)),
    done: 'Promised.',
    result: { schedule: address },
    approver,
  };
}
