import type { Time } from '@payouts/client';
import { Recent } from '../../platform/recent.ts';
import {
  countFinishedRuns,
  countRegistered,
  countUnfinishedRuns,
  type RunCounts,
  type ScheduleCounts,
} from '../../store/queries/overview.ts';
import type { Db } from '../../store/schema.ts';

/** Counts that several routes show; what costs as much as all that is recorded is read from time to time. */
export class DashboardCounts {
  readonly #database: Db;
  readonly #finished: Recent<RunCounts>;
  readonly #registered: Recent<ScheduleCounts>;

  constructor(database: Db, time: Pick<Time, 'monotonic'>) {
    this.#database = database;
    this.#finished = new Recent(() => countFinishedRuns(database), time);
    this.#registered = new Recent(() => countRegistered(database), time);
  }

  /** All runs by state. */
  async runs(): Promise<RunCounts> {
    const [unfinished, finished] = await Promise.all([countUnfinishedRuns(this.#database), this.#finished.get()]);
    return { ...unfinished, ...finished };
  }

  schedules(): Promise<ScheduleCounts> {
    return this.#registered.get();
  }
}
