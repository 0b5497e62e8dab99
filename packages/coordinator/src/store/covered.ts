import { type RawBuilder, sql } from 'kysely';

/** Windows that are promised; without an end as many as the schedule keeps. */
export const PROMISED = sql`(case when kept > 0 then kept else greatest(0, executions_left - (phase = 'open')::integer) end)`;
/** Fewer windows are covered than `few`, or than a schedule without an end keeps: written so that both are read by an index. */
export const hasFewer = (few: number): RawBuilder<boolean> =>
  sql<boolean>`(covered_windows < ${few} or covered_windows < kept)`;
