import { getCloseScheduleInstructionAsync, SchedulePhase, ScheduleStatus } from '@payouts/client';
import { Failure } from '../failure.ts';
import { type OwnSchedule, readConfig, STATUS_NAMES } from '../session.ts';
import { atOnce, type PlannedChange } from './change.ts';

/** Whether a schedule pays nobody any more. */
export const hasEnded = ({ status }: OwnSchedule['schedule']): boolean =>
  status === ScheduleStatus.Cancelled || status === ScheduleStatus.Completed;

/** Removes a schedule that has ended from the ledger. Throws `Failure` wrong-status, window-open or config-missing. */
export async function closeSchedule({
  employer,
  ledgers,
  vault,
  address,
  schedule,
}: OwnSchedule): Promise<PlannedChange> {
  if (!hasEnded(schedule)) {
    const ends = 'it ends with its last window, or when you cancel it.';
    throw new Failure('wrong-status', `The schedule is ${STATUS_NAMES[schedule.status]}: ${ends}`);
  }
  if (schedule.phase === SchedulePhase.Open) {
    throw new Failure('window-open', `Window ${schedule.window} is open and is paid to its end. Close it then.`);
  }
  const { executionAuthority: authority } = await readConfig(ledgers);
  const effect = `Removes ${address} from the ledger, for good; the rent of its accounts and unused fees come back. Private balances, payslips and the ledger's history stay.`;
  return {
    effects: [effect],
    plan: { schedule: address, change: 'close' },
    steps: atOnce(
      await getCloseScheduleInstructionAsync({ employer, vault: vault.address, schedule: address, authority }),
    ),
    done: 'Closed.',
    result: { schedule: address },
  };
}
