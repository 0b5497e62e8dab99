import { changedTogether, type StatusChangeName, statusChange } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { carryOutChange } from '../../ledgerChange.ts';
import { SCHEDULES } from '../../options.ts';
import { changing, openSchedules, type ScheduleChangeOptions } from './parts.ts';

const SUMMARIES: Readonly<Record<StatusChangeName, string>> = {
  pause: 'Open no further windows for now',
  resume: 'Go on with a paused schedule',
  cancel: 'End a schedule for good and free its reserve',
};

/** payout schedule pause|resume|cancel */
export function addStatus(schedule: Command): void {
  for (const [name, summary] of Object.entries(SUMMARIES) as [StatusChangeName, string][]) {
    changing(schedule.command(name).argument(...SCHEDULES))
      .description(summary)
      .action((addresses: readonly Address[], options: ScheduleChangeOptions) => put(name, addresses, options));
  }
}

async function put(
  name: StatusChangeName,
  addresses: readonly Address[],
  options: ScheduleChangeOptions,
): Promise<void> {
  const owns = await openSchedules(addresses, options);
  const [{ employer, ledgers }] = owns;
  const change = changedTogether(
    employer,
    owns.map((own) => statusChange(name, own)),
  );
  await carryOutChange({ signer: employer, ledgers }, options, change);
}
