import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import { isWanted } from '../../confirm.ts';
import { keptList, readListFile } from '../../employer/book.ts';
import { Failure, WrongUsage } from '../../failure.ts';
import { SCHEDULES } from '../../options.ts';
import { printResult, wrapped } from '../../output.ts';
import { changing, openSchedule, type ScheduleChangeOptions } from './parts.ts';

/** payout schedule register */
export function addRegister(schedule: Command): void {
  changing(schedule.command('register').argument(...SCHEDULES))
    .description('Give the coordinator your copy of the list again')
    .option('--list <file>', 'the copy (default: the one in your book)')
    .action(register);
}

type RegisterOptions = ScheduleChangeOptions & { readonly list?: string };

async function register(addresses: readonly Address[], options: RegisterOptions): Promise<void> {
  if (addresses.length > 1 && options.list !== undefined)
    throw new WrongUsage('--list is the copy of one schedule: name one.');
  for (const address of addresses) await registerOne(address, options);
}

async function registerOne(address: Address, options: RegisterOptions): Promise<void> {
  const { schedule } = await openSchedule(address, options);
  const list =
    options.list === undefined
      ? await keptList(options, address, new Uint8Array(schedule.root))
      : await readListFile(options.list);
  if (list === undefined) {
    throw new Failure(
      'list-missing',
      'Your book has no copy of the list that the ledger promises. Name one with --list FILE.',
    );
  }
  const what = wrapped(`Gives the coordinator at ${options.api} the list that the ledger promises.`);
  if (!(await isWanted(what, options, { schedule: address, recipients: list.recipients.length }))) return;
  const isNew = await registerSchedule(options.api, address, list);
  printResult(options, { schedule: address, isNew }, isNew ? 'Registered.' : 'The coordinator had it already.');
}
