import { sendToBase } from '@payouts/client';
import {
  approveProposal,
  changedTogether,
  checkApprover,
  type ListComparison,
  type OpenProposal,
  type ProposedLists,
  proposalRows,
  proposedChanges,
  rejectProposal,
  waitingOf,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import { isWanted } from '../../confirm.ts';
import { listLines, readProposal, UNSEEN } from '../../employer/proposals.ts';
import { WrongUsage } from '../../failure.ts';
import { type CommandSession, carryOutChange, openEmployer } from '../../ledgerChange.ts';
import { SCHEDULES } from '../../options.ts';
import { bold, columns, printResult, tell, wrapped } from '../../output.ts';
import { changing, type ScheduleChangeOptions } from './parts.ts';
import { registered } from './promise.ts';

type ApproveOptions = ScheduleChangeOptions & { readonly list?: string; readonly withoutList?: true };

/** payout schedule approve|reject */
export function addApprove(schedule: Command): void {
  changing(schedule.command('approve').argument(...SCHEDULES))
    .description('As the approver: look at what waits, and agree to it')
    .option('--list <file>', 'what the employer wrote with --proposal')
    .option('--without-list', 'agree to a list that you have not seen')
    .action(approve);
  changing(schedule.command('reject').argument(...SCHEDULES))
    .description('Refuse what waits for approval, or take it back')
    .action(reject);
}

/** What waits, with the lists that the approver was given and what they change. */
type Seen = {
  readonly waiting: OpenProposal;
  readonly lists: ProposedLists | undefined;
  readonly comparison: ListComparison | undefined;
};

async function approve(addresses: readonly Address[], options: ApproveOptions): Promise<void> {
  if ((options.list === undefined) === (options.withoutList === undefined)) {
    throw new WrongUsage('Name the proposal with --list FILE; say --without-list to agree to what you have not seen.');
  }
  const session = await openEmployer(options);
  const all = await Promise.all(addresses.map((address) => seen(session, address, options)));
  const changes = await Promise.all(all.map(({ waiting }) => approveProposal(waiting)));
  const { plan, steps, done, result } = changedTogether(session.employer, changes);
  const compared = all.map(({ comparison }) => comparison?.changes);
  const shown = { changes: compared.length === 1 ? compared[0] : compared };
  const what = all.flatMap((each, place) => [...(place === 0 ? [] : ['']), ...proposalLines(each)]);
  if (!(await isWanted(what, options, { ...plan, ...shown }))) return;
  const signature = await sendToBase(session.ledgers, steps.flat(2), session.employer);
  tell('On the ledger.');
  for (const { waiting, lists } of all) {
    if (lists === undefined) continue;
    await registered(options, addresses.join(','), () => registerSchedule(options.api, waiting.address, lists.list));
  }
  printResult(options, { ...result, signature, ...shown }, done);
}

/** Reads what waits of a schedule, and looks at it. Throws what `waitingOf`, `checkApprover` and `readProposal` throw. */
async function seen(session: CommandSession, address: Address, { list }: ApproveOptions): Promise<Seen> {
  const waiting = await waitingOf(session, address);
  checkApprover(waiting);
  const lists = list === undefined ? undefined : await readProposal(list, waiting);
  return { waiting, lists, comparison: lists && proposedChanges(waiting, lists) };
}

async function reject(addresses: readonly Address[], options: ScheduleChangeOptions): Promise<void> {
  const session = await openEmployer(options);
  const waiting = await Promise.all(addresses.map((address) => waitingOf(session, address)));
  const change = changedTogether(session.employer, await Promise.all(waiting.map(rejectProposal)));
  await carryOutChange({ ...session, signer: session.employer }, options, change);
}

/** What the approver is asked to agree to. Private: it names recipients whose amounts change. */
function proposalLines({ waiting, lists, comparison }: Seen): string[] {
  const { address, proposal } = waiting;
  const text = [
    bold(proposal.kind === 'schedule' ? `A new schedule, ${address}` : `A change of ${address}`),
    '',
    ...columns(proposalRows(waiting)).map((row) => `  ${row}`),
    '',
  ];
  return [...text, ...(lists === undefined ? wrapped(UNSEEN) : listLines({ ...waiting, lists, comparison }))];
}
