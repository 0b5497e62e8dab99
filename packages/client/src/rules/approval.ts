import type { Address, Instruction, TransactionSigner } from '@solana/kit';
import type { Deployment } from '../accounts/addresses.ts';
import {
  type Approval,
  getApproveScheduleInstructionAsync,
  type Schedule,
  ScheduleStatus,
  type Vault,
} from '../generated/index.ts';
import type { RecipientList } from '../merkle/list.ts';
import { allDates } from './calendar.ts';

/** How long the approver can agree to what is proposed, in seconds. */
export const PROPOSAL_TTL = 30n * 86_400n;
/** Names the policy's removal where an approver stands else. */
export const NO_APPROVER = '11111111111111111111111111111111' as Address;

/** Names the daily limit of a policy that has none. */
export const NO_DAILY_LIMIT = 2n ** 64n - 1n;
const DAY = 86_400n;

/** What an employer withdraws or newly promises, in base units. */
export type Spending = {
  /** Of an execution, or the withdrawal. */
  readonly amount: bigint;
  /** Of all executions, or the withdrawal. */
  readonly sum: bigint;
};

type Limits = Pick<Vault, 'approval' | 'approvalLimit' | 'dailyLimit' | 'spentDay' | 'spentAlone'>;

/** What was withdrawn and newly promised without the approver in the UTC day of `now` (unix seconds), base units. */
export function spentAlone(vault: Pick<Limits, 'spentDay' | 'spentAlone'>, now: bigint): bigint {
  return BigInt(vault.spentDay) === now / DAY ? vault.spentAlone : 0n;
}

/** Whether a withdrawal or a new promise needs the approver of a vault. `now`: unix seconds. */
export function needsApproval(vault: Limits, { amount, sum }: Spending, now: bigint): boolean {
  if (vault.approval === 0) return false;
  return amount > vault.approvalLimit || spentAlone(vault, now) + sum > vault.dailyLimit;
}

/** What waits for the approver of a schedule, as it will stand. Times in unix seconds, amounts in base units. */
export type Proposal = {
  /** A schedule that never began, or a change of one that goes on. */
  readonly kind: 'schedule' | 'change';
  readonly root: Uint8Array;
  /** Whether another list is to be paid than at present. */
  readonly isNewList: boolean;
  readonly amount: bigint;
  readonly recipients: number;
  /** Indexes of recipients of another list who are held back in it. */
  readonly held: readonly number[];
  /** All that are left then, the open one included. */
  readonly executions: number;
  /** Of these, not promised yet. */
  readonly executionsAdded: number;
  readonly proposedAt: bigint;
  /** The last time at which the approver can agree. */
  readonly expiresAt: bigint;
};

/** What waits for the approver of a schedule; undefined: nothing. */
export function proposalOf(schedule: Schedule): Proposal | undefined {
  const { proposedAt, heldCount, proposedHeldCount } = schedule;
  if (proposedAt === 0n) return undefined;
  const hasList = schedule.proposedRecipients !== 0;
  const kind = schedule.status === ScheduleStatus.Awaiting ? 'schedule' : 'change';
  return {
    kind,
    root: new Uint8Array(hasList ? schedule.proposedRoot : schedule.root),
    isNewList: hasList || kind === 'schedule',
    amount: hasList ? schedule.proposedAmount : schedule.amount,
    recipients: hasList ? schedule.proposedRecipients : schedule.recipients,
    held: schedule.held.slice(heldCount, heldCount + proposedHeldCount),
    executions: schedule.executionsLeft + schedule.proposedExecutions,
    executionsAdded: schedule.proposedExecutions,
    proposedAt,
    expiresAt: proposedAt + PROPOSAL_TTL,
  };
}

/** Whether a list is the one that a proposal promises: root, total and number. */
export function isProposed(proposal: Pick<Proposal, 'root' | 'amount' | 'recipients'>, list: RecipientList): boolean {
  const hasRoot = proposal.root.every((byte, at) => byte === list.root[at]);
  return hasRoot && list.total === proposal.amount && list.recipients.length === proposal.recipients;
}

/** A change of an approval policy that waits; `approver` undefined: the policy is to go. */
export type PolicyChange = {
  readonly approver: Address | undefined;
  /** Base units. */
  readonly limit: bigint;
  /** Base units of a UTC day. */
  readonly dailyLimit: bigint;
  /** Unix seconds from which the employer alone may make it. */
  readonly at: bigint;
};

/** The change of a policy that waits; undefined: none. */
export function policyChangeOf(approval: Approval): PolicyChange | undefined {
  const { nextApprover, nextLimit: limit, nextDailyLimit: dailyLimit, changeAt } = approval;
  if (changeAt === 0n) return undefined;
  return { approver: nextApprover === NO_APPROVER ? undefined : nextApprover, limit, dailyLimit, at: changeAt };
}

/** Options of `approveScheduleInstructions`. */
export type ApproveScheduleOptions = Deployment & {
  readonly approver: TransactionSigner;
  readonly address: Address;
  /** As the approver has seen it: its terms are named, and refused by the ledger if others stand there meanwhile. */
  readonly schedule: Schedule;
};

/** Agrees to what waits of a schedule. Throws a `RangeError` if nothing does. */
export async function approveScheduleInstructions(input: ApproveScheduleOptions): Promise<Instruction[]> {
  const { approver, address, schedule, programAddress } = input;
  const proposal = proposalOf(schedule);
  if (proposal === undefined) throw new RangeError(`Nothing waits for approval of ${address}.`);
  const { root, amount, recipients, held, executions } = proposal;
  // Windows that open or are settled meanwhile don't change this sum.
  const windows = schedule.window + BigInt(executions);
  const { vault, unit, every, day, nextExecution, batchTimeout, missed, kept } = schedule;
  const dates = allDates(schedule);
  const calendar = { unit, every, day, nextExecution, dates };
  const terms = { root, amount, recipients, windows, ...calendar, batchTimeout, missed, kept, held: [...held] };
  return [
    await getApproveScheduleInstructionAsync(
      { approver, vault, schedule: address, ...terms },
      programAddress === undefined ? {} : { programAddress },
    ),
  ];
}
