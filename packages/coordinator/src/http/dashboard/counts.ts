import type { Time } from '@payouts/client';
import { Recent } from '../../platform/recent.ts';
import {
  countFinishedRuns,
  countRegistered,
  countUnfinishedRuns,
  type RunCounts,
} from '../../store/queries/overview.ts';
import type { Db } from '../../store/schema.ts';

/** Counts that several routes show; what costs as much as all that is recorded is read from time to time. */
export type DashboardCounts = ReturnType<typeof dashboardCounts>;

export function dashboardCounts(database: Db, time: Pick<Time, 'monotonic'>) {
  const finished = new Recent(() => countFinishedRuns(database), time);
  const registered = new Recent(() => countRegistered(database), time);
  return {
    /** All runs by state. */
    async runs(): Promise<RunCounts> {
      const [unfinished, ended] = await Promise.all([countUnfinishedRuns(database), finished.get()]);
      return { ...unfinished, ...ended };
    },
    schedules: () => registered.get(),
  };
}
