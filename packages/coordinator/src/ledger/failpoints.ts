import type { SendMoment } from '@payouts/client';
import type { Stage } from '../domain/run.ts';

/** Named moments of a stage between any two of which a process may die; `after-checkpoint`: how it ended is recorded. */
export const MOMENTS = ['before-send', 'after-send', 'after-landing', 'after-checkpoint'] as const satisfies readonly (
  | SendMoment
  | 'after-checkpoint'
)[];
export type Point = `${Stage}:${(typeof MOMENTS)[number]}`;

/**
 * Told that a run (`SCHEDULE:WINDOW`) has come to a point; the run goes on when it resolves. Tests hold and kill a process there;
 * the service has none.
 */
export type Failpoint = (point: Point, run: string) => Promise<void>;

/** Tells of the moments of sending a transaction that does the work of stages for these runs. */
export function sending(
  failpoint: Failpoint | undefined,
  stages: Stage | readonly Stage[],
  runs: readonly string[],
): { readonly failpoint?: (moment: SendMoment) => Promise<void> } {
  if (failpoint === undefined) return {};
  return {
    async failpoint(moment) {
      for (const stage of [stages].flat()) await Promise.all(runs.map((run) => failpoint(`${stage}:${moment}`, run)));
    },
  };
}
