import { getCloseScheduleInstructionAsync, SchedulePhase, ScheduleStatus } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { carryOut } from '../../ledgerChange.ts';
import { SCHEDULE } from '../../options.ts';
import { wrapped } from '../../output.ts';
import { readConfig } from '../governance/parts.ts';
import { changing, ownSchedule, type ScheduleChangeOptions, STATUS_NAMES } from './parts.ts';

/** payout schedule close */
export function addClose(schedule: Command): void {
  changing(schedule.command('close').argument(...SCHEDULE))
    .description('Remove a schedule that has ended from the ledger; its rent comes back')
    .action(close);
}

async function close(address: Address, options: ScheduleChangeOptions): Promise<void> {
  const { employer, ledgers, vault, schedule } = await ownSchedule(address, options);
  const hasEnded = schedule.status === ScheduleStatus.Cancelled || schedule.status === ScheduleStatus.Completed;
  if (!hasEnded) {
    const ends = `it ends with its last window, or by payout schedule cancel ${address}`;
    throw new Failure('wrong-status', `The schedule is ${STATUS_NAMES[schedule.status]}: ${ends}`);
  }
  if (schedule.phase === SchedulePhase.Open) {
    throw new Failure('window-open', `Window ${schedule.window} is open and is paid to its end. Close it then.`);
  }
  const { executionAuthority } = await readConfig(ledgers);
  await carryOut({ signer: employer, ledgers }, options, {
    what: wrapped(
      `Removes ${address} from the ledger, for good; the rent of its accounts and unused fees come back. Private balances, payslips and the ledger's history stay.`,
    ),
    plan: { schedule: address, change: 'close' },
    instruction: await getCloseScheduleInstructionAsync({
      employer,
      vault: vault.address,
      schedule: address,
      authority: executionAuthority,
    }),
    done: 'Closed.',
    result: { schedule: address },
  });
}
