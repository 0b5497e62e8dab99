import { calendarFromLedger, datesToLedger, proposalOf, type Schedule } from '@payouts/client';
import type { ScheduleProposal } from '../domain/schedule.ts';
import type { ObservedSchedule } from '../store/queries/schedules.ts';
import { rootText, termsOf } from './accounts.ts';

/** A reading of a schedule on the base ledger as the store keeps it; `at` in unix milliseconds. */
export function observedSchedule(address: string, schedule: Schedule, slot: bigint, at: number): ObservedSchedule {
  const { status, phase, window, dueAt, executionsLeft, kept } = termsOf(schedule);
  const { unit, every, day = 0, dates } = calendarFromLedger(schedule);
  return {
    address,
    vault: schedule.vault,
    mint: schedule.mint,
    root: rootText(schedule),
    root_version: schedule.rootVersion,
    status,
    phase,
    window_number: window.toString(),
    next_execution: dueAt.toString(),
    executions_left: executionsLeft,
    kept,
    kept_reserved: schedule.keptReserved,
    recipients: schedule.recipients,
    amount: schedule.amount.toString(),
    unit,
    every,
    day,
    dates: dates === undefined ? null : datesToLedger(dates),
    batch_timeout: schedule.batchTimeout,
    proposal: seenProposal(schedule),
    seen_slot: slot.toString(),
    seen_at: at,
  };
}

function seenProposal(schedule: Schedule): ScheduleProposal | null {
  const proposal = proposalOf(schedule);
  if (proposal === undefined) return null;
  const { kind, root, isNewList, recipients, amount, executions, executionsAdded, proposedAt, expiresAt } = proposal;
  return {
    kind,
    root: Buffer.from(root).toString('hex'),
    isNewList,
    recipients,
    amountPerExecution: amount.toString(),
    executionsLeft: executions,
    executionsAdded,
    proposedAt: Number(proposedAt),
    expiresAt: Number(expiresAt),
  };
}
