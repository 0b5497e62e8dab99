import { type StatusChangeName, statusChange } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { carryOutChange } from '../../ledgerChange.ts';
import { SCHEDULE } from '../../options.ts';
import { changing, openSchedule, type ScheduleChangeOptions } from './parts.ts';

const SUMMARIES: Readonly<Record<StatusChangeName, string>> = {
  pause: 'Open no further windows for now',
  resume: 'Go on with a paused schedule',
  cancel: 'End a schedule for good and free its reserve',
};

/** payout schedule pause|resume|cancel */
export function addStatus(schedule: Command): void {
  for (const [name, summary] of Object.entries(SUMMARIES) as [StatusChangeName, string][]) {
    changing(schedule.command(name).argument(...SCHEDULE))
      .description(summary)
      .action((address: Address, options: ScheduleChangeOptions) => put(name, address, options));
  }
}

async function put(name: StatusChangeName, address: Address, options: ScheduleChangeOptions): Promise<void> {
  const own = await openSchedule(address, options);
  await carryOutChange({ signer: own.employer, ledgers: own.ledgers }, options, statusChange(name, own));
}
