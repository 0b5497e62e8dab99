import {
  approveScheduleInstructions,
  calendarFromLedger,
  describeCalendar,
  fetchMaybeVault,
  getRejectScheduleInstructionAsync,
  millisOf,
  type Proposal,
  proposalOf,
  type Schedule,
  sendToBase,
} from '@payouts/client';
import { changesText, compareLists, type ListChanges } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import { withName } from '../../amounts.ts';
import { isWanted } from '../../confirm.ts';
import { findPolicy } from '../../employer/policy.ts';
import { changeLines } from '../../employer/preview.ts';
import { type ProposedLists, readProposal } from '../../employer/proposals.ts';
import { Failure, WrongUsage } from '../../failure.ts';
import { carryOut, type LedgerSession, openLedger } from '../../ledgerChange.ts';
import { SCHEDULE } from '../../options.ts';
import { bold, columns, printResult, tell, wrapped } from '../../output.ts';
import { levelOf } from '../../rpc.ts';
import { timeText } from '../../timeText.ts';
import { readToken, type TokenInfo } from '../../token.ts';
import { registered } from './create.ts';
import { changing, readSchedule, type ScheduleChangeOptions } from './parts.ts';

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

/** What waits of a schedule, for whoever signs. */
type Waiting = LedgerSession & {
  readonly token: TokenInfo;
  readonly schedule: Schedule;
  readonly employer: Address;
  readonly approver: Address | undefined;
  readonly proposal: Proposal;
};

/** Throws `Failure` schedule-unknown or nothing-proposed. */
async function waitingOf(address: Address, options: ScheduleChangeOptions): Promise<Waiting> {
  const { signer, ledgers } = await openLedger(options);
  const schedule = await readSchedule(ledgers, address);
  const proposal = proposalOf(schedule);
  if (proposal === undefined) {
    throw new Failure('nothing-proposed', `Nothing waits for approval of ${address}.`);
  }
  const token = await readToken(ledgers, schedule.mint);
  const vault = await fetchMaybeVault(ledgers.base, schedule.vault, levelOf(ledgers));
  if (!vault.exists) throw new Failure('vault-missing', `The vault ${schedule.vault} is not on this ledger.`);
  const policy = await findPolicy(ledgers, { address: schedule.vault, vault: vault.data });
  return { signer, ledgers, token, schedule, employer: vault.data.employer, approver: policy?.approver, proposal };
}

async function approve(address: Address, options: ApproveOptions): Promise<void> {
  if ((options.list === undefined) === (options.withoutList === undefined)) {
    throw new WrongUsage('Name the proposal with --list FILE; say --without-list to agree to what you have not seen.');
  }
  const waiting = await waitingOf(address, options);
  const { signer, ledgers, schedule, proposal, approver } = waiting;
  if (signer.address !== approver) {
    throw new Failure(
      'not-approver',
      `${approver === undefined ? 'The vault has no approver any more' : `${approver} approves here`}, and your key is ${signer.address}. Is --keypair the right one?`,
    );
  }
  if (options.time.now() >= millisOf(proposal.expiresAt + 1n)) {
    throw new Failure('proposal-expired', 'It was proposed more than 30 days ago: the employer must propose it again.');
  }
  const lists = options.list === undefined ? undefined : await readProposal(options.list, schedule, proposal);
  const before = proposal.kind === 'schedule' ? [] : lists?.present?.recipients;
  const changes = lists && before && compareLists(before, lists.list.recipients);
  const plan = { schedule: address, ...seenOf(proposal), changes };
  if (!(await isWanted(proposalLines(address, waiting, { names: lists?.names, changes }), options, plan))) return;
  // What was seen is named: anything else that stands there meanwhile is refused by the ledger.
  const instructions = await approveScheduleInstructions({ approver: signer, address, schedule });
  const signature = await sendToBase(ledgers, instructions, signer);
  tell('On the ledger.');
  if (lists !== undefined) await registered(options, address, () => registerSchedule(options.api, address, lists.list));
  printResult(options, { schedule: address, signature, ...seenOf(proposal), changes }, 'Approved.');
}

async function reject(address: Address, options: ScheduleChangeOptions): Promise<void> {
  const waiting = await waitingOf(address, options);
  const { signer, schedule, employer, approver, proposal } = waiting;
  if (signer.address !== approver && signer.address !== employer) {
    throw new Failure('not-approver', `Neither the approver nor the employer has your key, ${signer.address}.`);
  }
  const what = wrapped(
    proposal.kind === 'schedule'
      ? `Cancels ${address}, which never began; what it reserves is available again.`
      : `Drops the change that waits; ${address} goes on as it was approved.`,
  );
  await carryOut(waiting, options, {
    what,
    plan: { schedule: address, ...seenOf(proposal) },
    instruction: await getRejectScheduleInstructionAsync({ signer, vault: schedule.vault, schedule: address }),
    done: 'Rejected.',
    result: { schedule: address },
  });
}

const seenOf = ({ kind, root, amount, recipients, executions, expiresAt }: Proposal) => ({
  kind,
  root: Buffer.from(root).toString('hex'),
  amount,
  recipients,
  executions,
  expiresAt: millisOf(expiresAt),
});

/** What the approver is asked to agree to. Private: it names recipients whose amounts change. */
function proposalLines(
  address: Address,
  waiting: Waiting,
  { names, changes }: { readonly names: ProposedLists['names'] | undefined; readonly changes: ListChanges | undefined },
): string[] {
  const { token, schedule, employer, proposal } = waiting;
  const isNew = proposal.kind === 'schedule';
  const rows = [
    ['prepared by', employer],
    ['each window', `${withName(proposal.amount, token)} to ${proposal.recipients} recipients`],
    ...(isNew ? [] : [['until now', `${withName(schedule.amount, token)} to ${schedule.recipients} recipients`]]),
    [
      'windows',
      `${proposal.executions}${proposal.executionsAdded > 0 ? `, ${proposal.executionsAdded} of them more` : ''}`,
    ],
    ['in all', withName(proposal.amount * BigInt(proposal.executions), token)],
    ['paid', describeCalendar(calendarFromLedger(schedule), schedule.nextExecution)],
    [isNew ? 'first' : 'next', timeText(millisOf(schedule.nextExecution))],
  ];
  const text = [
    bold(isNew ? `A new schedule, ${address}` : `A change of ${address}`),
    '',
    ...columns(rows).map((row) => `  ${row}`),
    '',
  ];
  if (names === undefined)
    return [...text, ...wrapped('You have not seen whom it pays: any list could stand behind its root.')];
  text.push('The file is the list that waits: it rebuilds its root on the ledger.');
  if (changes === undefined) return [...text, ...wrapped('The current list is not in it, so nothing can be compared.')];
  const against = isNew ? 'Everybody is new' : 'Against the current list';
  return [...text, '', `${against}: ${changesText(changes)}.`, ...changeLines(changes, token, names)];
}
