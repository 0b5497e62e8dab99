import {
  allDates,
  approveScheduleInstructions,
  calendarFromLedger,
  describeCalendar,
  fetchMaybeVault,
  getRejectScheduleInstructionAsync,
  levelOf,
  millisOf,
  NO_DATE,
  type Proposal,
  proposalOf,
  type Schedule,
  timeOfDate,
} from '@payouts/client';
import { changesText } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { hexOf } from '../hex.ts';
import { findPolicy } from '../policy.ts';
import { compared, comparisonSentences, type ListComparison } from '../preview.ts';
import type { ProposedLists, ProposedTerms } from '../proposals.ts';
import { type EmployerSession, readSchedule } from '../session.ts';
import { readToken, type TokenInfo } from '../token.ts';
import { atOnce, type PlannedChange } from './change.ts';
import { recipientsText, windowsText } from './promise.ts';

/** What waits of a schedule; `signer` may be its approver or its employer. */
export type OpenProposal = Omit<EmployerSession, 'employer'> & {
  readonly signer: EmployerSession['employer'];
  readonly token: TokenInfo;
  readonly address: Address;
  readonly schedule: Schedule;
  readonly employer: Address;
  readonly approver: Address | undefined;
  readonly proposal: Proposal;
};

/** Reads what waits. Throws `Failure` schedule-unknown, nothing-proposed, token-unknown or vault-missing. */
export async function waitingOf(session: EmployerSession, address: Address): Promise<OpenProposal> {
  const { employer: signer, ledgers, timeText } = session;
  const schedule = await readSchedule(ledgers, address);
  const proposal = proposalOf(schedule);
  if (proposal === undefined) {
    throw new Failure('nothing-proposed', `Nothing waits for approval of ${address}.`);
  }
  const token = await readToken(ledgers, schedule.mint);
  const vault = await fetchMaybeVault(ledgers.base, schedule.vault, levelOf(ledgers));
  if (!vault.exists) throw new Failure('vault-missing', `The vault ${schedule.vault} is not on this ledger.`);
  const policy = await findPolicy(ledgers, { address: schedule.vault, vault: vault.data });
  const { employer } = vault.data;
  return { signer, ledgers, timeText, token, address, schedule, employer, approver: policy?.approver, proposal };
}

/** What is proposed, as names and values. */
export function proposalRows(waiting: OpenProposal): readonly (readonly [string, string])[] {
  const { token, schedule, employer, proposal, timeText } = waiting;
  const isNew = proposal.kind === 'schedule';
  const until = `${withName(schedule.amount, token)} to ${recipientsText(schedule.recipients)}`;
  const more = proposal.executionsAdded > 0 ? `, ${proposal.executionsAdded} of them more` : '';
  return [
    ['prepared by', employer],
    ['each window', `${withName(proposal.amount, token)} to ${recipientsText(proposal.recipients)}`],
    ...(proposal.held.length === 0 ? [] : [['held back', recipientsText(proposal.held.length)] as const]),
    ...(isNew ? [] : [['until now', until] as const]),
    ['windows', `${proposal.executions}${more}`],
    ...(schedule.kept === 0 ? [] : [['end', endText(schedule.kept)] as const]),
    ['in all', withName(proposal.amount * BigInt(proposal.executions), token)],
    ['paid', describeCalendar(calendarFromLedger(schedule), schedule.nextExecution)],
    [
      isNew ? 'first' : 'next',
      schedule.nextExecution === NO_DATE ? 'none yet' : timeText(millisOf(schedule.nextExecution)),
    ],
    ...datesToApprove(schedule).map((date, place) => [place === 0 ? 'on' : '', timeText(millisOf(date))] as const),
  ];
}

/** What it means for an approver that there is no end. */
const endText = (kept: number): string =>
  `none: it goes on as windows are added, and keeps ${windowsText(kept)} reserved`;

/** All dates of a schedule, those that wait as well: unix seconds. */
const datesToApprove = (schedule: Schedule): bigint[] => allDates(schedule).map(timeOfDate);

/** What a proposal changes for its recipients; undefined: its file has no current list to compare it with. */
export function proposedChanges(
  { proposal }: Pick<ProposedTerms, 'proposal'>,
  lists: ProposedLists,
): ListComparison | undefined {
  const before = proposal.kind === 'schedule' ? [] : lists.present?.recipients;
  return before && compared(before, lists.list.recipients, lists.names);
}

/** Who is held back in a list that waits, which says it by place. */
function whoIsHeld({ held }: ProposedTerms['proposal'], { list, names }: ProposedLists): string[] {
  if (held.length === 0) return [];
  const people = new Set(held.flatMap((index) => list.recipients[index]?.recipient ?? []));
  return [`Held back in it: ${[...people].map((each) => names.get(each) ?? each).join(', ')}.`];
}

/** What the lists of a proposal change, sentence by sentence. */
export function proposalSentences(
  { proposal, token }: Pick<ProposedTerms, 'proposal'> & Pick<OpenProposal, 'token'>,
  lists: ProposedLists,
  comparison: ListComparison | undefined,
): string[] {
  const seen = ['The file is the list that waits: it rebuilds its root on the ledger.', ...whoIsHeld(proposal, lists)];
  if (comparison === undefined) return [...seen, 'The current list is not in it, so nothing can be compared.'];
  if (proposal.kind === 'schedule') return [...seen, `Everybody is new: ${changesText(comparison.changes)}.`];
  return [...seen, ...comparisonSentences(comparison, token)];
}

/** Throws `Failure` not-approver, proposal-expired or holds-changed where the signer can't agree to what waits. */
export function checkApprover({ signer, approver, proposal, schedule, ledgers }: OpenProposal): void {
  if (signer.address !== approver) {
    const who = approver === undefined ? 'The vault has no approver any more' : `${approver} approves here`;
    throw new Failure('not-approver', `${who}, and your key is ${signer.address}.`);
  }
  if (ledgers.time.now() >= millisOf(proposal.expiresAt + 1n)) {
    throw new Failure('proposal-expired', 'It was proposed more than 30 days ago: the employer must propose it again.');
  }
  if (schedule.proposedRecipients > 0 && schedule.proposedHolds !== schedule.holds) {
    throw new Failure(
      'holds-changed',
      'Somebody has been held back or released since the list was proposed: the employer must propose it again.',
    );
  }
}

/** Agrees to what was seen: anything else that stands there meanwhile is refused by the ledger. Throws what `checkApprover` throws. */
export async function approveProposal(waiting: OpenProposal): Promise<PlannedChange> {
  checkApprover(waiting);
  const { signer: approver, address, schedule, proposal } = waiting;
  return {
    effects: [
      proposal.kind === 'schedule'
        ? 'The schedule begins, and its windows are paid.'
        : 'From the next window on it is paid as proposed; who is not in the list gets nothing from then on.',
    ],
    plan: { schedule: address, ...proposalJson(proposal) },
    steps: atOnce(...(await approveScheduleInstructions({ approver, address, schedule }))),
    done: 'Approved.',
    result: { schedule: address, ...proposalJson(proposal) },
  };
}

/** Refuses what waits, or takes it back. Throws `Failure` not-approver. */
export async function rejectProposal(waiting: OpenProposal): Promise<PlannedChange> {
  const { signer, address, schedule, employer, approver, proposal } = waiting;
  if (signer.address !== approver && signer.address !== employer) {
    throw new Failure('not-approver', `Neither the approver nor the employer has your key, ${signer.address}.`);
  }
  return {
    effects: [
      proposal.kind === 'schedule'
        ? `Cancels ${address}, which never began; what it reserves is available again.`
        : `Drops the change that waits; ${address} goes on as it was approved.`,
    ],
    plan: { schedule: address, ...proposalJson(proposal) },
    steps: atOnce(await getRejectScheduleInstructionAsync({ signer, vault: schedule.vault, schedule: address })),
    done: 'Rejected.',
    result: { schedule: address },
  };
}

/** A proposal for programs. */
export const proposalJson = ({ kind, root, amount, recipients, executions, expiresAt }: Proposal) => ({
  kind,
  root: hexOf(root),
  amount,
  recipients,
  executions,
  expiresAt: millisOf(expiresAt),
});
