import { closeSchedule } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { carryOutChange } from '../../ledgerChange.ts';
import { SCHEDULE } from '../../options.ts';
import { changing, openSchedule, type ScheduleChangeOptions } from './parts.ts';

/** payout schedule close */
export function addClose(schedule: Command): void {
  changing(schedule.command('close').argument(...SCHEDULE))
    .description('Remove a schedule that has ended from the ledger; its rent comes back')
    .action(close);
}

async function close(address: Address, options: ScheduleChangeOptions): Promise<void> {
  const own = await openSchedule(address, options);
  await carryOutChange({ signer: own.employer, ledgers: own.ledgers }, options, await closeSchedule(own));
}
