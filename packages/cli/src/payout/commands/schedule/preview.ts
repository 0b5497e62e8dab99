import { compared, findVault, previewOf, readToken, summaryOf } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { withBook } from '../../employer/book.ts';
import { presentList } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { previewLines } from '../../employer/preview.ts';
import { WrongUsage } from '../../failure.ts';
import { loadKeypair } from '../../keypair.ts';
import { addressOption, withCommon } from '../../options.ts';
import { bold, print, printJson } from '../../output.ts';
import { baseLedger, withLedger } from '../../rpc.ts';
import { openSchedule, type ScheduleOptions } from './parts.ts';

type PreviewOptions = ScheduleOptions & PayrollOptions & { readonly token?: Address; readonly schedule?: Address };

/** payout schedule preview */
export function addPreview(schedule: Command): void {
  withPayroll(withBook(withLedger(withCommon(schedule.command('preview <payroll>')))))
    .description('Show what a payroll file costs and changes; nothing is sent')
    .option('--token <mint>', "the token's mint, for a new schedule", addressOption)
    .option('--schedule <address>', 'the schedule whose list it would replace', addressOption)
    .action(preview);
}

async function preview(file: string, options: PreviewOptions): Promise<void> {
  const { payroll, token, present, ...input } = await inputOf(file, options);
  const comparison = present && compared(present, payroll.lines);
  const found = await previewOf(input.ledgers, summaryOf(payroll), { ...input, comparison });
  if (options.json) {
    const { lines, total, columns, doubts } = payroll;
    const { rent, covered } = found;
    return printJson({
      token: token.mint,
      recipients: lines.length,
      total,
      columns,
      doubts,
      changes: comparison?.changes,
      rent,
      covered,
    });
  }
  print(bold(`${file} in ${token.name}`));
  print();
  for (const line of previewLines(found, payroll, token)) print(line);
}

async function inputOf(file: string, options: PreviewOptions) {
  if (options.schedule !== undefined) {
    const own = await openSchedule(options.schedule, options);
    const { ledgers, token, vault, address, schedule, employer } = own;
    const payroll = await payrollOf(file, token, options);
    const present = (await presentList(options, address, schedule, employer))?.recipients;
    return { payroll, token, ledgers, vault, schedule: address, present };
  }
  if (options.token === undefined)
    throw new WrongUsage('Pass --token for a new schedule, or --schedule for a new list.');
  const ledgers = await baseLedger(options);
  const token = await readToken(ledgers, options.token);
  const payroll = await payrollOf(file, token, options);
  const employer = await loadKeypair(options.keypair).catch(() => undefined);
  return { payroll, token, ledgers, vault: employer && (await findVault(ledgers, employer.address, token)) };
}
