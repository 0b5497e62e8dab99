import { createSchedulePlans, type ListPlan } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { type Command, Option } from 'commander';
import { durationOf } from '../../duration.ts';
import { askedPayDays, type PayDayOptions, payDayLines, withPayDays } from '../../employer/payDays.ts';
import { type PayrollOptions, payrollParts, withPayroll } from '../../employer/payroll.ts';
import { type TermsOptions, withTerms } from '../../employer/terms.ts';
import { WrongUsage } from '../../failure.ts';
import { openEmployer } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { bold, print } from '../../output.ts';
import { changing, type ProposalOptions, type ScheduleChangeOptions, windowsOf, withProposal } from './parts.ts';
import { promiseLists, type Resumable, resumed, tellMade, tellResumed } from './promise.ts';

type CreateOptions = ScheduleChangeOptions &
  ProposalOptions &
  PayrollOptions &
  TermsOptions &
  PayDayOptions &
  Resumable & {
    readonly token?: Address;
    readonly executions: string;
    readonly end: boolean;
    readonly keep?: string;
    readonly missed: string;
  };

const MISSED = ['catch-up', 'skip'];
const MOST_KEPT = 255;

/** payout schedule create */
export function addCreate(schedule: Command): void {
  withPayDays(withPayroll(withProposal(withTerms(changing(schedule.command('create <payroll>'))))))
    .description('Create a recurring payroll')
    .option('--token <mint>', "the token's mint, where the file does not name a token in each line", addressOption)
    .requiredOption(
      '--executions <count>',
      'how many windows; the money for them is reserved. Without an end: the windows whose fees are prepaid',
    )
    .option('--no-end', 'goes on until you cancel it; see --keep')
    .option('--keep <count>', 'without an end: how many windows are kept reserved, 1 to 255')
    .addOption(
      new Option('--missed <how>', 'what becomes of windows whose time passed unopened')
        .choices(MISSED)
        .default('catch-up'),
    )
    .action(createOrResume);
}

/** A new schedule; or what is left to do of one that a former command has created, and not learned of. */
async function createOrResume(file: string, options: CreateOptions): Promise<void> {
  const before = await resumed(options);
  if (before !== undefined) return tellResumed(before, options);
  const executions = windowsOf(options.executions);
  const keep = keepOf(options);
  const session = await openEmployer(options);
  const terms = await askedPayDays(options, executions, Math.floor(options.time.now() / 1_000));
  const { parts, payroll } = await payrollParts(file, session, options);
  const missed = options.missed === 'skip' ? 'skip' : 'catchUp';
  const plans = await createSchedulePlans(parts, {
    ...terms,
    ...{ executions, batchTimeout: durationOf(options.timeout, '--timeout'), missed },
    ...(keep !== undefined && { keep }),
  });
  const { dates } = terms.calendar;
  const title = `${parts.length === 1 ? 'A new schedule' : `${parts.length} new schedules, one for each token,`} from ${file}`;
  const made = await promiseLists(session, options, {
    title: [bold(title), ''],
    promises: parts.map(([{ token }, part], at) => ({
      ...{ token, payroll: part, planned: plans[at] as ListPlan },
      ...(parts.length > 1 && { heading: [bold(`In ${token.name}`), ''] }),
    })),
    doubts: payroll.doubts,
    ...(dates && { days: payDayLines(dates, options.zone) }),
    together: 'One transaction promises all of them, or none.',
  });
  if (made === undefined) return;
  for (const { address } of tellMade(made, 'Promised', options)) print(`Watch it: payout watch ${address}`);
}

/** Windows to keep reserved without an end; undefined: it has one. Throws `WrongUsage`. */
function keepOf({ end, keep }: Pick<CreateOptions, 'end' | 'keep'>): number | undefined {
  if (end && keep === undefined) return undefined;
  const count = /^[1-9]\d{0,2}$/.test(keep ?? '') ? Number(keep) : MOST_KEPT + 1;
  if (!end && count <= MOST_KEPT) return count;
  throw new WrongUsage(`--no-end and --keep go together; --keep takes 1 to ${MOST_KEPT} windows.`);
}
