import { getFundScheduleInstructionAsync, sendToBase } from '@payouts/client';
import type { Command } from 'commander';
import { isWanted } from '../../confirm.ts';
import { Failure, WrongUsage } from '../../failure.ts';
import { print, printJson, wrapped } from '../../output.ts';
import { tokens } from '../../token.ts';
import { changing, ownSchedule, type ScheduleChangeOptions } from './parts.ts';

/** payout schedule fund */
export function addFund(schedule: Command): void {
  changing(schedule.command('fund <schedule>'))
    .description('Promise more windows and reserve the money for them')
    .requiredOption('--executions <count>', 'how many more')
    .action(fund);
}

async function fund(written: string, options: ScheduleChangeOptions & { readonly executions: string }): Promise<void> {
  if (!/^[1-9]\d{0,8}$/.test(options.executions)) throw new WrongUsage('--executions takes a number of windows.');
  const executions = Number(options.executions);
  const { employer, ledgers, token, vault, address, schedule } = await ownSchedule(written, options);
  const more = schedule.amount * BigInt(executions);
  if (more > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${tokens(more - vault.available, token)}; what is available covers ${vault.available / schedule.amount} windows.`,
    );
  }
  const what = [
    `Promises ${executions} more windows: ${schedule.executionsLeft + executions} in all.`,
    ...wrapped(`Reserves ${tokens(more, token)} of the ${tokens(vault.available, token)} available.`),
  ];
  if (!(await isWanted(what, options))) return;
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
