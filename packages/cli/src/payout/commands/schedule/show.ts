import {
  type BaseConnection,
  calendarFromLedger,
  describeCalendar,
  millisOf,
  proposalOf,
  reservedWindows,
  type Schedule,
  SchedulePhase,
  ScheduleStatus,
} from '@payouts/client';
import {
  dueText,
  findPolicy,
  hexOf,
  type PlacedSchedule,
  readToken,
  readVault,
  recipientsText,
  STATUS_NAMES,
  schedulesOf,
  type TokenInfo,
  vaultsOf,
  windowsText,
  withName,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { found, publicRequest } from '../../../requests.ts';
import { withBook } from '../../employer/book.ts';
import { openEmployer } from '../../ledgerChange.ts';
import { addressOption, SCHEDULE, withCommon } from '../../options.ts';
import { bold, columns, dim, print, printJson, say } from '../../output.ts';
import { withLedger } from '../../rpc.ts';
import { timeText } from '../../timeText.ts';
import { withTreasury } from '../../treasury.ts';
import { openSchedule, type ScheduleOptions } from './parts.ts';

type Registered = {
  readonly registration: { readonly state: string };
  readonly funding: { readonly sentence: string; readonly seenAt: number } | null;
};

/** payout schedule show|list */
export function addShow(schedule: Command): void {
  withBook(withTreasury(withLedger(withCommon(schedule.command('show').argument(...SCHEDULE)))))
    .description('Show its terms, where it stands and how far its money reaches')
    .action(show);
  withBook(withTreasury(withLedger(withCommon(schedule.command('list')))))
    .description('List all schedules of your vaults, or of one')
    .option('--token <mint>', "the token's mint, for one vault", addressOption)
    .action(list);
}

const calendarText = (schedule: Schedule) => describeCalendar(calendarFromLedger(schedule), schedule.nextExecution);

async function show(address: Address, options: ScheduleOptions): Promise<void> {
  const { token, schedule, ledgers, vault } = await openSchedule(address, options);
  const approver = (await findPolicy(ledgers, vault))?.approver;
  const known = await found<Registered>(publicRequest(options.api, `/api/schedules/${address}`));
  const status = STATUS_NAMES[schedule.status];
  const registration = known?.registration.state ?? 'not registered with this coordinator';
  if (options.json) {
    const { window, amount, recipients, executionsLeft, nextExecution, batchTimeout, paidTotal } = schedule;
    const proposal = proposalOf(schedule);
    return printJson({
      schedule: address,
      status,
      proposal: proposal && {
        ...proposal,
        root: hexOf(proposal.root),
        proposedAt: millisOf(proposal.proposedAt),
        expiresAt: millisOf(proposal.expiresAt),
        approver,
      },
      isOpen: schedule.phase === SchedulePhase.Open,
      calendar: calendarFromLedger(schedule),
      window,
      amount,
      recipients,
      root: hexOf(schedule.root),
      executionsLeft,
      keeps: schedule.kept,
      reservedWindows: reservedWindows(schedule),
      nextExecution: millisOf(nextExecution),
      batchTimeout,
      paidTotal,
      registration,
    });
  }
  const isOver = (schedule.executionsLeft === 0 && schedule.kept === 0) || schedule.status === ScheduleStatus.Cancelled;
  const next =
    schedule.phase === SchedulePhase.Open
      ? `${schedule.window}, open`
      : isOver || schedule.status === ScheduleStatus.Awaiting
        ? 'none'
        : `${schedule.window}, due ${dueText(schedule, timeText)}`;
  print(bold(`Schedule ${address}`));
  print();
  const rows = [
    ['status', status],
    ['paid', calendarText(schedule)],
    ['each window', `${withName(schedule.amount, token)} to ${recipientsText(schedule.recipients)}`],
    ['window', next],
    ...windowRows(schedule),
    ['paid so far', withName(schedule.paidTotal, token)],
    ['held back', heldText(schedule.heldCount)],
    ['list', registration],
    ...waitingRows(schedule, approver, token),
  ];
  for (const line of columns(rows)) print(`  ${line}`);
  if (known?.funding) {
    const { sentence, seenAt } = known.funding;
    say(`\nYour money ${sentence} (as of ${timeText(seenAt)}).`);
  }
}

/** How many windows are left; without an end, how many are reserved and how many have their fees prepaid. */
function windowRows(schedule: Schedule): string[][] {
  const { executionsLeft, kept } = schedule;
  if (kept === 0) return [['windows left', String(executionsLeft)]];
  return [
    ['end', 'none'],
    ['reserved', `${reservedWindows(schedule)} of the ${windowsText(kept)} that it keeps`],
    ['fees prepaid', `for ${windowsText(executionsLeft)}`],
  ];
}

function heldText(count: number): string {
  if (count === 0) return 'nobody';
  return count === 1 ? '1 recipient' : `${count} recipients`;
}

const leftText = ({ kept, executionsLeft }: Schedule) => (kept === 0 ? `${executionsLeft} left` : 'no end');

/** What waits of a schedule, and for whom. */
function waitingRows(schedule: Schedule, approver: Address | undefined, token: TokenInfo): string[][] {
  const proposal = proposalOf(schedule);
  if (proposal === undefined) return [];
  const { kind, isNewList, amount, recipients, executionsAdded, expiresAt } = proposal;
  const what = [
    ...(kind === 'schedule' ? ['the schedule itself'] : []),
    ...(kind === 'change' && isNewList
      ? [`a list of ${withName(amount, token)} to ${recipientsText(recipients)}`]
      : []),
    ...(executionsAdded > 0 ? [`${executionsAdded} more windows`] : []),
  ].join(', ');
  return [
    ['waits', what],
    ['for', approver ?? 'nobody: take it back with schedule reject'],
    ['until', timeText(millisOf(expiresAt))],
  ];
}

async function list(options: ScheduleOptions & { readonly token?: Address }): Promise<void> {
  const { employer, ledgers } = await openEmployer(options);
  const mints =
    options.token === undefined ? (await vaultsOf(ledgers, employer.address)).map(({ mint }) => mint) : [options.token];
  const listed = await Promise.all(mints.map((mint) => listedOf(ledgers, employer.address, mint)));
  if (options.json) {
    return printJson(
      listed.flatMap(({ token, schedules }) =>
        schedules.map(
          ({
            address: schedule,
            schedule: { status, proposedAt, window, executionsLeft, kept, amount, nextExecution },
          }) => ({
            schedule,
            token: token.mint,
            status: STATUS_NAMES[status],
            isWaiting: proposedAt !== 0n,
            window,
            executionsLeft,
            keeps: kept,
            amount,
            nextExecution: millisOf(nextExecution),
          }),
        ),
      ),
    );
  }
  for (const each of listed) printListed(each);
}

/** A vault's schedules, and who approves there. */
type Listed = {
  readonly token: TokenInfo;
  readonly schedules: readonly PlacedSchedule[];
  readonly approver: Address | undefined;
};

async function listedOf(ledgers: BaseConnection, employer: Address, mint: Address): Promise<Listed> {
  const token = await readToken(ledgers, mint);
  const vault = await readVault(ledgers, employer, token);
  const [schedules, policy] = await Promise.all([schedulesOf(ledgers, vault), findPolicy(ledgers, vault)]);
  return { token, schedules, approver: policy?.approver };
}

function printListed({ token, schedules, approver }: Listed): void {
  if (schedules.length === 0) print(`Your vault of ${token.name} has no schedules yet.`);
  for (const { address: at, schedule } of schedules) {
    print(bold(at));
    const isOpen = schedule.phase === SchedulePhase.Open;
    const next = isOpen ? `window ${schedule.window} is open` : `next ${dueText(schedule, timeText)}`;
    const when = schedule.status === ScheduleStatus.Active ? next : STATUS_NAMES[schedule.status];
    print(`  ${withName(schedule.amount, token)} to ${schedule.recipients}, ${leftText(schedule)}, ${when}`);
    print(dim(`  ${calendarText(schedule)}`));
    if (schedule.proposedAt !== 0n) print(`  waits for ${approver ?? 'nobody any more'}`);
  }
}
