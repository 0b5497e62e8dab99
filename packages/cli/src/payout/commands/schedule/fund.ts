import { getFundScheduleInstructionAsync, sendToBase } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { withName } from '../../amounts.ts';
import { isWanted } from '../../confirm.ts';
import { Failure, WrongUsage } from '../../failure.ts';
import { SCHEDULE } from '../../options.ts';
import { print, printJson, wrapped } from '../../output.ts';
import { changing, ownSchedule, type ScheduleChangeOptions } from './parts.ts';

/** payout schedule fund */
export function addFund(schedule: Command): void {
  changing(schedule.command('fund').argument(...SCHEDULE))
    .description('Promise more windows and reserve the money for them')
    .requiredOption('--executions <count>', 'how many more')
    .action(fund);
}

async function fund(address: Address, options: ScheduleChangeOptions & { readonly executions: string }): Promise<void> {
  if (!/^[1-9]\d{0,8}$/.test(options.executions)) throw new WrongUsage('--executions takes a number of windows.');
  const executions = Number(options.executions);
  const { employer, ledgers, token, vault, schedule } = await ownSchedule(address, options);
  const more = schedule.amount * BigInt(executions);
  if (more > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(more - vault.available, token)}; what is available covers ${vault.available / schedule.amount} windows.`,
    );
  }
  const what = [
    `Promises ${executions} more windows: ${schedule.executionsLeft + executions} in all.`,
    ...wrapped(`Reserves ${withName(more, token)} of the ${withName(vault.available, token)} available.`),
  ];
  if (!(await isWanted(what, options, { schedule: address, executions, reserves: more }))) return;
  const instruction = await getFundScheduleInstructionAsync({
    employer,
    vault: vault.address,
    schedule: address,
    executions,
  });
  const signature = await sendToBase(ledgers, [instruction], employer);
  if (options.json) return printJson({ schedule: address, signature });
  print('Promised.');
}
