import { type RawBuilder, sql } from 'kysely';
import type { RunKey, Stage } from '../../domain/run.ts';
import { ENGINE_SCHEMA } from '../db/engineTables.ts';
import type { Db } from '../schema.ts';

/** The engine's task that runs a window. */
export const RUN_TASK = 'run';
/**
 * What a run's job says; `stage`: the one that it goes on with, null: the first; `failures`: how often in a row it has come back because
 * something of the run could not be recorded.
 */
export type RunJob = {
  readonly schedule: string;
  readonly window: string;
  readonly stage: Stage | null;
  readonly failures: number;
};

/** Times that the engine may begin a job: as often as its column can count. */
const MAX_ATTEMPTS = 32_767;

const jobs = sql.id(ENGINE_SCHEMA, 'jobs');
const addJobs = sql.id(ENGINE_SCHEMA, 'add_jobs');
const jobSpec = sql.id(ENGINE_SCHEMA, 'job_spec');
const unlock = sql.id(ENGINE_SCHEMA, 'force_unlock_workers');

type EnqueueOptions = { readonly delayMs?: number; readonly stage?: string; readonly failures?: number };

/** The key of a row's job, as `runIdOf` has it. */
const jobKey = sql`schedule || ':' || window_number`;

/**
 * Puts the runs of a relation with `schedule` and `window_number` in line: one row, to be read together with what is asked for. A run that
 * is in line stays there once; one that is at work gets a further job, so that nothing that changed meanwhile is missed. `stage`: the column
 * that says where each goes on.
 */
export const enqueued = (
  runs: string,
  { delayMs = 0, stage, failures = 0 }: EnqueueOptions = {},
): RawBuilder<unknown> => sql`
  select count(*) from ${addJobs}(array(
    select (
      ${RUN_TASK}, json_build_object(
        'schedule', schedule, 'window', window_number::text, 'stage', ${stage === undefined ? sql`null` : sql.id(stage)},
        'failures', ${failures}::integer
      ), null,
      now() + ${delayMs}::integer * interval '1 millisecond', ${MAX_ATTEMPTS}::integer, ${jobKey}, null, null
    )::${jobSpec} from ${sql.table(runs)}
  ))`;

/** Puts a run in line, for any process; `delayMs` in milliseconds, `failures` as its job says. */
export async function enqueueRun(
  database: Db,
  { schedule, window }: RunKey,
  again: { readonly delayMs: number; readonly failures: number },
): Promise<void> {
  await sql`with run as (select ${schedule}::text as schedule, ${window.toString()}::bigint as window_number)
    ${enqueued('run', again)}`.execute(database);
}

/** Puts runs in line that are recorded as in line or at work and have no job, and returns them. None should be found. */
export async function enqueueLostRuns(database: Db): Promise<RunKey[]> {
  const { rows } = await sql<{ schedule: string; window_number: string }>`
    with lost as (
      select schedule, window_number from execution_runs
      where finished_at is null and state in ('queued', 'running') and not exists (select from ${jobs} where key = ${jobKey})
    ), enqueued as (${enqueued('lost')})
    select schedule, window_number from lost, enqueued`.execute(database);
  return rows.map(({ schedule, window_number }) => ({ schedule, window: BigInt(window_number) }));
}

/** Of these runs, by their ids, those that have no job. */
export async function findWithoutJob(database: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select run.id from unnest(${ids}::text[]) as run (id) where not exists (select from ${jobs} where key = run.id)`.execute(
    database,
  );
  return rows.map(({ id }) => id);
}

/** Who has jobs at work without a lease: whoever took it died before it could put the work back in line. */
export async function findStrandedExecutors(database: Db): Promise<string[]> {
  const { rows } = await sql<{ locked_by: string }>`
    select distinct locked_by from ${jobs} where locked_by is not null
      and not exists (select from instance_leases where executor = locked_by)`.execute(database);
  return rows.map(({ locked_by }) => locked_by);
}

/** Puts the jobs that these processes have at work back in line, for anybody; returns how many. */
export async function returnJobs(database: Db, executors: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*)::integer from ${jobs} where locked_by = any(${executors}::text[])) as count,
      ${unlock}(${executors}::text[])`.execute(database);
  return rows[0]?.count ?? 0;
}
