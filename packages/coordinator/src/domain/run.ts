/** The stages of a run, in order. Each begins by asking the ledgers where things stand. */
export const STAGES = ['delegate', 'claim', 'commit'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * Where a run stands.
 * - `queued`: recorded, waits for a place in the engine's queue
 * - `running`: a stage is being tried
 * - `held`: an operator or the employer must fix something first; looked at again by itself from time to time
 * - `waiting`: time has to pass: some recipients can't be paid now, or a part that it needs is gone; goes on by itself
 * - `exhausted`: out of retries; an operator resumes it
 * - `failed`: can't succeed as things are; an operator looks at it
 * - `abandoned`: an operator has given it up; nothing is tried any more, unless an operator resumes it
 * - `cancelled`: the schedule was cancelled before the window opened
 * - `settled`: over, and final on the base ledger; with recipients unpaid when the batch timeout had passed
 */
export const RUN_STATES = [
  'queued',
  'running',
  'held',
  'waiting',
  'exhausted',
  'failed',
  'abandoned',
  'cancelled',
  'settled',
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** How one try of a stage ended; `interrupted`: the process went away in the middle of it. */
export const ATTEMPT_OUTCOMES = [
  'running',
  'succeeded',
  'retried',
  'held',
  'waiting',
  'failed',
  'cancelled',
  'interrupted',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** A run's identity: one for each window of a schedule, for ever. `schedule` is the schedule account's address. */
export type RunKey = { readonly schedule: string; readonly window: bigint };

/** A run's name in the log and in the engine's line. */
export const runIdOf = ({ schedule, window }: RunKey): string => `${schedule}:${window}`;

/** Why recipients of a window stayed unpaid: how many for each reason, and never who. */
export type UnpaidReasons = Readonly<Record<string, number>>;

/** States in which a run stands still until its time comes, or an operator takes it on. */
export const STOPPED_STATES = ['held', 'waiting', 'exhausted', 'failed', 'abandoned'] as const satisfies RunState[];
