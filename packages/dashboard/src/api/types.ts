import type { Overview, Recipients, Runs, ScheduleRun, Stage } from '@payouts/coordinator/api';

export type {
  Executions,
  Overview,
  Recipients,
  RunDetail,
  RunState,
  Runs,
  Schedule,
  Series,
  Stage,
} from '@payouts/coordinator/api';

/** What the page calls parts of the answers. Amounts are decimal strings of base units; times unix milliseconds. */
export type ListedRun = Runs['runs'][number];
export type Attempt = ScheduleRun['attempts'][number];
export type NextDue = Overview['nextDue'][number];
export type Funding = Overview['funding'][number];
export type Entry = Recipients['recipients'][number];
/** Runs by state; a state that has none may be left out. */
export type CountsByState = Runs['counts'];

export const STAGES = ['delegate', 'claim', 'commit'] as const satisfies readonly Stage[];

export const RANGES = ['1h', '24h', '7d'] as const;
export type Range = (typeof RANGES)[number];
