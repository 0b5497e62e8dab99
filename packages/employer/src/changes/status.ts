import {
  getCancelScheduleInstruction,
  getPauseScheduleInstruction,
  getResumeScheduleInstruction,
  reservedWindows,
  SchedulePhase,
  ScheduleStatus,
  unopenedWindows,
} from '@payouts/client';
import { withName } from '../amounts.ts';
import { dueText } from '../dueText.ts';
import { Failure } from '../failure.ts';
import { type OwnSchedule, STATUS_NAMES } from '../session.ts';
import { atOnce, type PlannedChange } from './change.ts';

/** What an employer can put a schedule into. */
export type StatusChangeName = 'pause' | 'resume' | 'cancel';

type StatusChange = {
  readonly from: readonly ScheduleStatus[];
  readonly done: string;
  effectOf(own: OwnSchedule): string;
  readonly instruction:
    | typeof getPauseScheduleInstruction
    | typeof getResumeScheduleInstruction
    | typeof getCancelScheduleInstruction;
};

const openText = ({ schedule }: OwnSchedule) =>
  schedule.phase === SchedulePhase.Open ? ` Window ${schedule.window} is open and is paid to its end.` : '';

const CHANGES: Readonly<Record<StatusChangeName, StatusChange>> = {
  pause: {
    from: [ScheduleStatus.Active],
    done: 'Paused.',
    effectOf: (own) => `No window is opened until you resume it; its reserve stays.${openText(own)}`,
    instruction: getPauseScheduleInstruction,
  },
  resume: {
    from: [ScheduleStatus.Paused],
    done: 'Goes on.',
    effectOf: ({ schedule, timeText }) => `Goes on with window ${schedule.window}, due ${dueText(schedule, timeText)}.`,
    instruction: getResumeScheduleInstruction,
  },
  cancel: {
    from: [ScheduleStatus.Active, ScheduleStatus.Paused, ScheduleStatus.Awaiting],
    done: 'Cancelled.',
    effectOf: (own) => {
      const { schedule, token } = own;
      const who = schedule.kept > 0 ? 'no further window is' : `${unopenedWindows(schedule)} windows are not`;
      const freed = schedule.amount * BigInt(reservedWindows(schedule));
      return `Ends it for good: ${who} paid, and ${withName(freed, token)} are available again.${openText(own)}`;
    },
    instruction: getCancelScheduleInstruction,
  },
};

/** What can be done to a schedule in its status. */
export const statusChangesOf = ({ status }: OwnSchedule['schedule']): readonly StatusChangeName[] =>
  (Object.keys(CHANGES) as StatusChangeName[]).filter((name) => CHANGES[name].from.includes(status));

/** Pauses, resumes or cancels a schedule. Throws `Failure` wrong-status. */
export function statusChange(name: StatusChangeName, own: OwnSchedule): PlannedChange {
  const { employer, vault, address, schedule } = own;
  const { from, done, effectOf, instruction } = CHANGES[name];
  if (!from.includes(schedule.status)) {
    throw new Failure('wrong-status', `The schedule is ${STATUS_NAMES[schedule.status]}: there is nothing to ${name}.`);
  }
  return {
    effects: [effectOf(own)],
    plan: { schedule: address, change: name },
    steps: atOnce(instruction({ employer, vault: vault.address, schedule: address })),
    done,
    result: { schedule: address },
  };
}
