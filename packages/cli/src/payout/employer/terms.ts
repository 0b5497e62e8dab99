import { Failure, TERMS_INVALID, type TermsText } from '@payouts/employer';
import type { Command } from 'commander';
import { WrongUsage } from '../failure.ts';

/** When and how often, as it is written on the command line. */
export type TermsOptions = TermsText & { readonly timeout: string };

/** Adds the options that say when a schedule is paid. */
export function withTerms(command: Command): Command {
  return command
    .option('--every <interval>', 'how often: 30s, 15m, 6h, 1d, 2w or 1mo', '1mo')
    .option('--on <day>', 'for months: 1 to 31, last or last-business-day (default: the day of the first)')
    .option('--first <time>', 'first payout: now, or UTC such as 2026-12-31 or 2026-12-31T14:00', 'now')
    .option('--timeout <duration>', 'after which unpaid amounts of a window go back to the vault: 10m, 1h', '1h');
}

/** Terms, whose faults are those of a command line: `WrongUsage` names the options. */
export async function asUsage<T>(asked: () => Promise<T>): Promise<T> {
  try {
    return await asked();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== TERMS_INVALID) throw error;
    throw new WrongUsage(
      `${error.message} See --every, --on and --first, and for dates --zone, --at, --holidays and --if-closed.`,
    );
  }
}
