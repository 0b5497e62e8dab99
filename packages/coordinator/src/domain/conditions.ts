/**
 * What lasts, is told once when it begins, and can begin anew once it is over.
 * - `funding.low`: a schedule's money covers fewer than FUNDING_LOW_WINDOWS further windows, or than it keeps without an end
 * - `window.late`: a window has been due for WINDOW_LATE_SECONDS and did not open, or is not settled as long after its payment deadline
 * - `withdrawal.stuck`: a token's withdrawals have not been paid for WITHDRAWAL_STUCK_SECONDS. For operators only: an employer could tell who withdraws
 */
export const CONDITIONS = ['funding.low', 'window.late', 'withdrawal.stuck'] as const;
export type ConditionKind = (typeof CONDITIONS)[number];

/** Those of a schedule, which are public like all that they follow from. */
export const SCHEDULE_CONDITIONS = ['funding.low', 'window.late'] as const satisfies readonly ConditionKind[];
