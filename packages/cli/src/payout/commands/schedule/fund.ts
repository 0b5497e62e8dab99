import { CalendarUnit, type Schedule, sendToBase } from '@payouts/client';
import { fundSchedule } from '@payouts/employer';
import { furtherDates } from '@payouts/employer/payDays';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { isWanted } from '../../confirm.ts';
import { presentList } from '../../employer/lists.ts';
import { type PayDayOptions, payDayLines, withPayDays } from '../../employer/payDays.ts';
import { writeProposals } from '../../employer/proposals.ts';
import { asUsage } from '../../employer/terms.ts';
import { Failure } from '../../failure.ts';
import { SCHEDULE } from '../../options.ts';
import { print, printJson, sentenceLines } from '../../output.ts';
import {
  changing,
  openSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  windowsOf,
  withProposal,
} from './parts.ts';

/** payout schedule fund */
export function addFund(schedule: Command): void {
  withPayDays(withProposal(changing(schedule.command('fund').argument(...SCHEDULE))))
    .description('Add windows and reserve the money for them; without an end, prepay their fees')
    .requiredOption('--executions <count>', 'how many more')
    .option('--every <interval>', 'of a schedule by dates, as it was created: 2w, 1mo, 1y')
    .option('--on <day>', 'in the same way: days of the month, such as 1,15 or last')
    .option('--first <day>', 'in the same way: the day that the first windows were counted from')
    .action(fund);
}

type FundOptions = ScheduleChangeOptions &
  ProposalOptions &
  PayDayOptions & {
    readonly executions: string;
    readonly every?: string;
    readonly on?: string;
    readonly first?: string;
  };

/** The next dates of a schedule by dates, unix seconds; of another, none. Throws `Failure` dates-needed. */
async function nextDates(schedule: Schedule, windows: number, options: FundOptions): Promise<readonly bigint[]> {
  const { every, first } = options;
  if (schedule.unit !== CalendarUnit.Dates) return [];
  if (every === undefined || first === undefined) {
    throw new Failure(
      'dates-needed',
      'The schedule is paid on dates that you name: say the next ones as you did when you created it, by --every and --first, and --on, --zone and the others if you used them.',
    );
  }
  const now = Math.floor(options.time.now() / 1_000);
  return asUsage(() => furtherDates(schedule, { ...options, every, first }, windows, now));
}

async function fund(address: Address, options: FundOptions): Promise<void> {
  const executions = windowsOf(options.executions);
  const own = await openSchedule(address, options);
  const { employer, ledgers, schedule } = own;
  const dates = await nextDates(schedule, executions, options);
  const { effects, plan, steps, approver, done } = await fundSchedule(own, executions, dates);
  const days = dates.length === 0 ? [] : [...payDayLines(dates, options.zone), ''];
  const what = [...days, ...sentenceLines(effects)];
  if (!(await isWanted(what, options, plan))) return;
  if (options.proposal !== undefined) {
    const present = await presentList(options, address, schedule, employer);
    if (present !== undefined)
      await writeProposals(options.proposal, [[address, { list: present, present, names: present.names }]]);
  }
  const signature = await sendToBase(ledgers, steps.flat(2), employer);
  if (options.json) return printJson({ schedule: address, signature, approver });
  if (approver !== undefined) return tellApprover([{ address, approver }], options);
  print(done);
}
