import { type Insertable, type Selectable, sql } from 'kysely';
import { countRows } from '../countRows.ts';
import type { AuditorGrantsTable, Db, GrantUsesTable } from '../schema.ts';
import { deleteRows } from './dataKeys.ts';

/** A grant as the store has it. */
export type GrantRow = Omit<Selectable<AuditorGrantsTable>, 'former_marks'>;
export type GrantUseRow = Selectable<GrantUsesTable>;

/** Grants of a schedule that are shown. */
const SHOWN_GRANTS = 200;
/** Uses of a grant that are shown. */
export const SHOWN_USES = 100;

/** Keeps a new grant. */
export async function saveGrant(database: Db, grant: Insertable<AuditorGrantsTable>): Promise<void> {
  await database.insertInto('auditor_grants').values(grant).execute();
}

/** The last grants of a schedule, newest first. */
export function listGrants(database: Db, schedule: string): Promise<GrantRow[]> {
  return database
    .selectFrom('auditor_grants')
    .selectAll()
    .where('schedule', '=', schedule)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(SHOWN_GRANTS)
    .execute();
}

/** Grants of a schedule that are active at a time (unix milliseconds), newest first; with `auditor`, only theirs. */
export function findActiveGrants(database: Db, schedule: string, at: number, auditor?: string): Promise<GrantRow[]> {
  let grants = database
    .selectFrom('auditor_grants')
    .selectAll()
    .where('schedule', '=', schedule)
    .where('revoked_at', 'is', null)
    .where('ends_at', '>', String(at));
  if (auditor !== undefined) grants = grants.where('auditor', '=', auditor);
  return grants.orderBy('created_at', 'desc').orderBy('id').execute();
}

/** Grants of an auditor that are active at a time (unix milliseconds), of all schedules, in order of their ids, beyond one. */
export function listHeldGrants(
  database: Db,
  auditor: string,
  { at, beyond, limit }: { readonly at: number; readonly beyond: string; readonly limit: number },
): Promise<GrantRow[]> {
  return database
    .selectFrom('auditor_grants')
    .selectAll()
    .where('auditor', '=', auditor)
    .where('id', '>', beyond)
    .where('revoked_at', 'is', null)
    .where('ends_at', '>', String(at))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Revokes a grant, once; undefined if the schedule has no such grant. `at` in unix milliseconds. */
export async function revokeGrant(
  database: Db,
  schedule: string,
  id: string,
  at: number,
): Promise<GrantRow | undefined> {
  return database
    .updateTable('auditor_grants')
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce('revoked_at', sql<string>`${val(String(at))}::bigint`) }))
    .where('schedule', '=', schedule)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Keeps that a grant was used. */
export async function saveUse(database: Db, use: Insertable<GrantUsesTable>): Promise<void> {
  await database.insertInto('grant_uses').values(use).execute();
}

/** How often a grant was used, and the last times, newest first. */
export async function findUses(
  database: Db,
  grantId: string,
): Promise<{ readonly count: number; readonly last: readonly GrantUseRow[] }> {
  const count = await countRows(database, 'grant_uses', sql`grant_id = ${grantId}`);
  const uses = database.selectFrom('grant_uses').selectAll().where('grant_id', '=', grantId);
  return { count, last: await uses.orderBy('id', 'desc').limit(SHOWN_USES).execute() };
}

/** Forgets a schedule's grants with their uses for good; returns how many. */
export const deleteGrantsOf = (database: Db, schedule: string): Promise<number> =>
  deleteRows(database, 'auditor_grants', sql<boolean>`schedule = ${schedule}`);

/** Grants that were revoked, or at their end, before a moment in unix milliseconds. */
const endedBefore = (before: number) => sql<boolean>`least(revoked_at, ends_at) < ${String(before)}::bigint`;

export const countGrantsEndedBefore = (database: Db, before: number): Promise<number> =>
  countRows(database, 'auditor_grants', endedBefore(before));

/** Forgets grants that ended before a moment (unix milliseconds), with their uses, for good; returns how many. */
export const deleteGrantsEndedBefore = (database: Db, before: number): Promise<number> =>
  deleteRows(database, 'auditor_grants', endedBefore(before));
