import {
  dueAt,
  getCancelScheduleInstruction,
  getPauseScheduleInstruction,
  getResumeScheduleInstruction,
  millisOf,
  SchedulePhase,
  ScheduleStatus,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { withName } from '../../amounts.ts';
import { Failure } from '../../failure.ts';
import { carryOut } from '../../ledgerChange.ts';
import { SCHEDULE } from '../../options.ts';
import { wrapped } from '../../output.ts';
import { timeText } from '../../timeText.ts';
import { changing, type OwnSchedule, ownSchedule, type ScheduleChangeOptions, STATUS_NAMES } from './parts.ts';

type Change = {
  readonly name: 'pause' | 'resume' | 'cancel';
  readonly summary: string;
  readonly from: readonly ScheduleStatus[];
  readonly done: string;
  says(own: OwnSchedule): string;
  readonly instruction:
    | typeof getPauseScheduleInstruction
    | typeof getResumeScheduleInstruction
    | typeof getCancelScheduleInstruction;
};

const openText = ({ schedule }: OwnSchedule) =>
  schedule.phase === SchedulePhase.Open ? ` Window ${schedule.window} is open and is paid to its end.` : '';

const CHANGES: readonly Change[] = [
  {
    name: 'pause',
    summary: 'Open no further windows for now',
    from: [ScheduleStatus.Active],
    done: 'Paused.',
    says: (own) => `No window is opened until you resume it; its reserve stays.${openText(own)}`,
    instruction: getPauseScheduleInstruction,
  },
  {
    name: 'resume',
    summary: 'Go on with a paused schedule',
    from: [ScheduleStatus.Paused],
    done: 'Goes on.',
    says: ({ schedule }) => `Goes on with window ${schedule.window}, due ${timeText(millisOf(dueAt(schedule)))}.`,
    instruction: getResumeScheduleInstruction,
  },
  {
    name: 'cancel',
    summary: 'End a schedule for good and free its reserve',
    from: [ScheduleStatus.Active, ScheduleStatus.Paused, ScheduleStatus.Awaiting],
    done: 'Cancelled.',
    says: (own) => {
      const { schedule, token } = own;
      const unopened = BigInt(schedule.executionsLeft - (schedule.phase === SchedulePhase.Open ? 1 : 0));
      return `Ends it for good: ${unopened} windows are not paid, and ${withName(schedule.amount * unopened, token)} are available again.${openText(own)}`;
    },
    instruction: getCancelScheduleInstruction,
  },
];

/** payout schedule pause|resume|cancel */
export function addStatus(schedule: Command): void {
  for (const change of CHANGES) {
    changing(schedule.command(change.name).argument(...SCHEDULE))
      .description(change.summary)
      .action((address: Address, options: ScheduleChangeOptions) => put(change, address, options));
  }
}

async function put(change: Change, address: Address, options: ScheduleChangeOptions): Promise<void> {
  const own = await ownSchedule(address, options);
  const { employer, ledgers, vault, schedule } = own;
  if (!change.from.includes(schedule.status)) {
    throw new Failure(
      'wrong-status',
      `The schedule is ${STATUS_NAMES[schedule.status]}: there is nothing to ${change.name}.`,
    );
  }
  await carryOut({ signer: employer, ledgers }, options, {
    what: wrapped(change.says(own)),
    plan: { schedule: address, change: change.name },
    instruction: change.instruction({ employer, vault: vault.address, schedule: address }),
    done: change.done,
    result: { schedule: address },
  });
}
