/** What the base ledger says about a schedule, as far as the coordinator decides by it. Times in unix seconds. */
export type ScheduleState = {
  readonly status: ScheduleStatusName;
  readonly phase: 'idle' | 'open';
  /** Number of the open window, else of the next. */
  readonly window: bigint;
  /** When the next window may open. */
  readonly dueAt: bigint;
  readonly executionsLeft: number;
  /** Windows that it keeps reserved without an end; 0: it has one. */
  readonly kept: number;
};

export const SCHEDULE_STATUSES = ['active', 'paused', 'cancelled', 'completed', 'awaiting'] as const;
export type ScheduleStatusName = (typeof SCHEDULE_STATUSES)[number];

/** What waits for the approver of a schedule, as it would stand then: public on the ledger. Times in unix seconds. */
export type ScheduleProposal = {
  /** A schedule that never began, or a change of one that goes on as it is. */
  readonly kind: 'schedule' | 'change';
  /** Hexadecimal. */
  readonly root: string;
  /** Whether another list would be paid than at present. */
  readonly isNewList: boolean;
  readonly recipients: number;
  /** Base units, decimal. */
  readonly amountPerExecution: string;
  readonly executionsLeft: number;
  /** Of these, not promised yet. */
  readonly executionsAdded: number;
  readonly proposedAt: number;
  /** The last time at which the approver can agree. */
  readonly expiresAt: number;
};

/** Whether windows are to come: without an end they are, paid for or not. */
export const isToGoOn = ({ executionsLeft, kept }: Pick<ScheduleState, 'executionsLeft' | 'kept'>): boolean =>
  executionsLeft > 0 || kept > 0;

/**
 * The window that needs a run now, if any: the open one, whatever the schedule's status, or the next one when its time has come.
 * `now` is the base ledger's clock in unix seconds.
 */
export function dueWindow(terms: ScheduleState, now: bigint): bigint | undefined {
  if (terms.phase === 'open') return terms.window;
  if (terms.status !== 'active' || !isToGoOn(terms)) return undefined;
  return now >= terms.dueAt ? terms.window : undefined;
}

/** When an open window may be committed with recipients unpaid, in unix seconds of the ledger's clock. */
export function batchDeadline(batch: { readonly openedAt: bigint; readonly batchTimeout: number }): bigint {
  return batch.openedAt + BigInt(batch.batchTimeout);
}
