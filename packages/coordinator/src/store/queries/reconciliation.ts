import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Differences by kind. */
export type DifferenceCounts = Readonly<Record<string, number>>;

/** A round of comparing everything, as far as it has come. */
export type Round = {
  /** What has been compared last; empty at its beginning. */
  readonly place: string;
  /** Differences that remain so far. */
  readonly found: DifferenceCounts;
};

/** Has a round begin soon, if none is under way. */
export async function requestRound(database: Db): Promise<void> {
  await sql`update reconciliation set next_at = now() where place is null`.execute(database);
}

/**
 * Takes the round that is due, or goes on with one whose process has gone: it has no lease any more, or has said nothing for too long.
 * Undefined if there is nothing to do, or another process is at it. It is `holder`'s for `holdMs` from now.
 */
export async function claimRound(database: Db, holder: string, holdMs: number): Promise<Round | undefined> {
  const { rows } = await sql<Round>`update reconciliation
    set place = coalesce(place, ''), found = case when place is null then '{}'::jsonb else found end,
      taken_by = ${holder}, taken_until = now() + ${holdMs}::int * interval '1 millisecond'
    where (taken_until < now() or not exists (select from instance_leases where executor = taken_by))
      and (place is not null or next_at <= now())
    returning place, found`.execute(database);
  return rows[0];
}

/** Keeps how far the round has come; false if it is another process's by now. */
export async function saveRound(
  database: Db,
  holder: string,
  { place, found }: Round,
  holdMs: number,
): Promise<boolean> {
  const { rows } = await sql`update reconciliation
    set place = ${place}, found = ${JSON.stringify(found)}::jsonb,
      taken_until = now() + ${holdMs}::int * interval '1 millisecond'
    where taken_by = ${holder} and taken_until >= now()
    returning is_only`.execute(database);
  return rows.length > 0;
}

/** Lets go of the round where it is; any process goes on with it. */
export async function releaseRound(database: Db, holder: string): Promise<void> {
  await sql`update reconciliation set taken_until = '-infinity' where taken_by = ${holder}`.execute(database);
}

/** Ends the round with what remains; the next one begins after `nextInMs`. */
export async function endRound(
  database: Db,
  holder: string,
  found: DifferenceCounts,
  nextInMs: number,
): Promise<boolean> {
  const { rows } = await sql`update reconciliation
    set place = null, found = '{}', remaining = ${JSON.stringify(found)}::jsonb, ended_at = now(), taken_until = '-infinity',
      next_at = now() + ${nextInMs}::int * interval '1 millisecond'
    where taken_by = ${holder} and taken_until >= now()
    returning is_only`.execute(database);
  return rows.length > 0;
}

/** What remained in the last whole round, and when that ended, in unix seconds; undefined: there was none yet. */
export async function lastRound(
  database: Db,
): Promise<{ readonly remaining: DifferenceCounts; readonly endedAt: number | undefined }> {
  const { rows } = await sql<{ remaining: DifferenceCounts; ended_at: number | null }>`
    select remaining, extract(epoch from ended_at)::double precision as ended_at from reconciliation`.execute(database);
  const [row] = rows;
  return { remaining: row?.remaining ?? {}, endedAt: row?.ended_at ?? undefined };
}
