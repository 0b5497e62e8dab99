import { type Schedule, SchedulePhase, scheduleFees } from '@payouts/client';

/**
 * Lamports that are still to be prepaid once so many windows and recipients are promised and wait for the approver; `amount`: the largest
 * list's, base units. As the ledger counts: the open window's new wallets were paid when it opened.
 */
export function feesDue(
  schedule: Schedule,
  promised: { readonly windows: number; readonly recipients: number; readonly amount: bigint },
): bigint {
  const isOpen = schedule.phase === SchedulePhase.Open;
  const due = scheduleFees(schedule, { ...promised, opened: isOpen ? 1 : 0 }) - schedule.prepaid;
  return due > 0n ? due : 0n;
}

/** The larger of two amounts, base units. */
export function larger(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}
