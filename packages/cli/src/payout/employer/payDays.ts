import type { Terms } from '@payouts/employer';
import { type PayDaysText, payDaysOf, payDayText } from '@payouts/employer/payDays';
import type { Command } from 'commander';
import { asUsage, type TermsOptions } from './terms.ts';

/** Which days are paid on, as it is written on the command line. */
export type PayDayOptions = Omit<PayDaysText, keyof TermsOptions>;

/** Adds the options by which pay days become dates that the employer signs. */
export const withPayDays = (command: Command): Command =>
  command
    .option('--zone <name>', 'time zone of the pay days, such as Europe/Berlin or America/New_York')
    .option('--at <time>', 'time of day in that zone, such as 09:00')
    .option(
      '--holidays <place>',
      'country, and state if wanted, whose public holidays are no pay days: DE, DE-BY, US-CA',
    )
    .option(
      '--if-closed <when>',
      'pay on the business day before or after instead of a weekend or holiday, or keep the day',
    );

/** When a schedule of so many windows is paid: a rule, or dates. `now` in unix seconds. Throws `WrongUsage`. */
export const askedPayDays = (options: TermsOptions & PayDayOptions, windows: number, now: number): Promise<Terms> =>
  asUsage(() => payDaysOf(options, windows, { now }));

/** Pay days in words, in their zone: 12 at most unless all are asked for. */
export function payDayLines(dates: readonly bigint[], zone = 'UTC', most = 12): string[] {
  const lines = dates.slice(0, most).map((date) => `  ${payDayText(date, zone)}`);
  return [`Pay days (${zone}):`, ...lines, ...(dates.length > most ? [`  … and ${dates.length - most} more`] : [])];
}
