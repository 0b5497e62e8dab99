import { sendToBase } from '@payouts/client';
import {
  approveProposal,
  checkApprover,
  type ListComparison,
  type OpenProposal,
  type ProposedLists,
  proposalRows,
  proposalSentences,
  proposedChanges,
  rejectProposal,
  waitingOf,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import { isWanted } from '../../confirm.ts';
import { changeLines } from '../../employer/preview.ts';
import { readProposal } from '../../employer/proposals.ts';
import { WrongUsage } from '../../failure.ts';
import { carryOutChange, openEmployer } from '../../ledgerChange.ts';
import { SCHEDULE } from '../../options.ts';
import { bold, columns, printResult, tell, wrapped } from '../../output.ts';
import { registered } from './create.ts';
import { changing, type ScheduleChangeOptions } from './parts.ts';

type ApproveOptions = ScheduleChangeOptions & { readonly list?: string; readonly withoutList?: true };

/** payout schedule approve|reject */
export function addApprove(schedule: Command): void {
  changing(schedule.command('approve').argument(...SCHEDULE))
    .description('As the approver: look at what waits, and agree to it')
    .option('--list <file>', 'what the employer wrote with --proposal')
    .option('--without-list', 'agree to a list that you have not seen')
    .action(approve);
  changing(schedule.command('reject').argument(...SCHEDULE))
    .description('Refuse what waits for approval, or take it back')
    .action(reject);
}

async function approve(address: Address, options: ApproveOptions): Promise<void> {
  if ((options.list === undefined) === (options.withoutList === undefined)) {
    throw new WrongUsage('Name the proposal with --list FILE; say --without-list to agree to what you have not seen.');
  }
  const waiting = await waitingOf(await openEmployer(options), address);
  checkApprover(waiting);
  const { signer, ledgers, schedule, proposal } = waiting;
  const lists = options.list === undefined ? undefined : await readProposal(options.list, schedule, proposal);
  const comparison = lists && proposedChanges(waiting, lists);
  const { plan, steps, done, result } = await approveProposal(waiting);
  const changes = comparison?.changes;
  if (!(await isWanted(proposalLines(waiting, lists, comparison), options, { ...plan, changes }))) return;
  const signature = await sendToBase(ledgers, steps.flat(2), signer);
  tell('On the ledger.');
  if (lists !== undefined) await registered(options, address, () => registerSchedule(options.api, address, lists.list));
  printResult(options, { ...result, signature, changes }, done);
}

async function reject(address: Address, options: ScheduleChangeOptions): Promise<void> {
  const session = await openEmployer(options);
  const waiting = await waitingOf(session, address);
  await carryOutChange({ ...session, signer: session.employer }, options, await rejectProposal(waiting));
}

/** What the approver is asked to agree to. Private: it names recipients whose amounts change. */
function proposalLines(
  waiting: OpenProposal,
  lists: ProposedLists | undefined,
  comparison: ListComparison | undefined,
): string[] {
  const { token, address, proposal } = waiting;
  const text = [
    bold(proposal.kind === 'schedule' ? `A new schedule, ${address}` : `A change of ${address}`),
    '',
    ...columns(proposalRows(waiting)).map((row) => `  ${row}`),
    '',
  ];
  if (lists === undefined)
    return [...text, ...wrapped('You have not seen whom it pays: any list could stand behind its root.')];
  for (const sentence of proposalSentences(waiting, comparison)) text.push(...wrapped(sentence), '');
  return comparison === undefined ? text : [...text, ...changeLines(comparison.changes, token, lists.names)];
}
