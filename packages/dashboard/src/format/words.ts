import type { Attempt, RunState, Schedule, Stage } from '../api/types.ts';

/** What each state is called here and what it means, for people who see it for the first time. */
export const STATE_WORDS: Readonly<Record<RunState, { readonly name: string; readonly meaning: string }>> = {
  queued: { name: 'Queued', meaning: 'Recorded; waiting for a free slot.' },
  running: { name: 'Running', meaning: 'In progress.' },
  held: { name: 'On hold', meaning: 'Needs a fix. Retries automatically.' },
  waiting: { name: 'Waiting', meaning: 'Continues automatically when its time has come.' },
  exhausted: { name: 'Needs attention', meaning: 'Out of retries. An operator can resume it.' },
  failed: { name: 'Failed', meaning: 'Can’t succeed as things are. An operator has to look at it.' },
  abandoned: { name: 'Abandoned', meaning: 'Given up by an operator, who may resume it.' },
  cancelled: { name: 'Cancelled', meaning: 'The schedule was cancelled before the window opened.' },
  settled: { name: 'Settled', meaning: 'Done, and final on the base ledger.' },
};

/** All of them, in the order in which they are listed. */
export const RUN_STATES = Object.keys(STATE_WORDS) as readonly RunState[];

/** States in which a run does not go on until somebody does something, the worst first. */
export const NEEDS_SOMEBODY: readonly RunState[] = ['exhausted', 'failed', 'held'];
/** States from which an operator may resume a run. */
export const RESUMABLE: readonly RunState[] = ['held', 'waiting', 'exhausted', 'failed', 'abandoned'];

export const STAGE_WORDS: Readonly<Record<Stage, { readonly name: string; readonly meaning: string }>> = {
  delegate: { name: 'Delegate', meaning: 'The window’s money moves to the pool, its batch to the execution layer.' },
  claim: { name: 'Claim', meaning: 'Each recipient’s private balance is credited, at most once.' },
  commit: { name: 'Commit', meaning: 'Counts and a hash come back; the base ledger settles.' },
};

export const outcomeText = (outcome: Attempt['outcome']): string => (outcome === 'held' ? 'on hold' : outcome);

const UNITS = { seconds: 'second', days: 'day', weeks: 'week' } as const;

/** "every 2 weeks", "every month on day 28". */
export function calendarText({ unit, every, day }: Omit<Schedule['calendar'], 'dates'>): string {
  if (unit === 'seconds' || unit === 'days' || unit === 'weeks') {
    if (unit === 'seconds' && every % 3_600 === 0) return everyText(every / 3_600, 'hour');
    if (unit === 'seconds' && every % 60 === 0) return everyText(every / 60, 'minute');
    return everyText(every, UNITS[unit]);
  }
  if (unit === 'dates') return 'on named dates';
  const months = everyText(every, 'month');
  if (unit === 'months-on-day') return `${months} on day ${day}`;
  return `${months} on the last ${unit === 'months-last-day' ? 'day' : 'business day'}`;
}

const everyText = (count: number, unit: string): string => (count === 1 ? `every ${unit}` : `every ${count} ${unit}s`);

/** A sentence about windows of the ledger, for whoever knows them as pay runs. */
export const inPayRuns = (sentence: string): string =>
  sentence.replaceAll(
    /\b(w)indow(s?)\b/gi,
    (_, first: string, plural: string) => `${first === 'W' ? 'P' : 'p'}ay run${plural}`,
  );
