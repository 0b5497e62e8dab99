import { type Selectable, sql } from 'kysely';
import { countRows } from '../countRows.ts';
import type { Db, RunEventsTable } from '../schema.ts';

/** A change of a run or a schedule. */
export type RunEvent = Selectable<RunEventsTable>;

/** Events that are kept, at most. */
export const KEPT_EVENTS = 100_000;

/**
 * What stands behind an id, and how far the database's transactions were when it was read: those below `doneBelow` are over and were
 * seen, those from `begunFrom` on had not written anything yet.
 */
export type EventsReading = {
  readonly events: readonly RunEvent[];
  readonly doneBelow: bigint;
  readonly begunFrom: bigint;
};

/** Reads the events behind an id, as far as they are committed: of ids in between, some may be committed later. */
export async function readEvents(database: Db, after: bigint, limit: number): Promise<EventsReading> {
  // One statement, so that all of it is of one moment.
  const { rows } = await sql<Partial<RunEvent> & { done_below: string; begun_from: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as done_below,
      pg_snapshot_xmax(pg_current_snapshot())::text as begun_from, event.*
    from (select) as one left join lateral (
      select * from run_events where id > ${String(after)}::bigint order by id limit ${limit}
    ) as event on true order by event.id`.execute(database);
  const [{ done_below, begun_from }] = rows as [(typeof rows)[number]];
  const events = rows.flatMap(({ done_below: _, begun_from: __, ...event }) =>
    event.id == null ? [] : [event as RunEvent],
  );
  return { events, doneBelow: BigInt(done_below), begunFrom: BigInt(begun_from) };
}

/** The first and the last id that are kept; 0 and 0 if none is. */
export async function findEventRange(database: Db): Promise<{ first: bigint; last: bigint }> {
  const { rows } = await sql<{ first: string | null; last: string | null }>`
    select (select id from run_events order by id limit 1) as first,
      (select id from run_events order by id desc limit 1) as last`.execute(database);
  return { first: BigInt(rows[0]?.first ?? 0), last: BigInt(rows[0]?.last ?? 0) };
}

/** Removes the oldest events, so that no more than `kept` stay. */
export async function trimEvents(database: Db, kept = KEPT_EVENTS): Promise<void> {
  await sql`delete from run_events where id <= (select max(id) - ${kept}::bigint from run_events)`.execute(database);
}

/** Removes events before a moment, in unix milliseconds. */
export async function removeEventsBefore(database: Db, before: number): Promise<void> {
  await database.deleteFrom('run_events').where('at', '<', String(before)).execute();
}

/** How many events are older than a moment, in unix milliseconds. */
export const countEventsBefore = (database: Db, before: number): Promise<number> =>
  countRows(database, 'run_events', sql`at < ${String(before)}::bigint`);
