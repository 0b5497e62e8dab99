import { sql } from 'kysely';
import type { Db } from '../schema.ts';
import { LIST_COLUMNS, type ListRow } from './lists.ts';

/** The first list behind id `after` of which not every entry has its tag; undefined: none. */
export function findUnindexed(database: Db, after: number): Promise<ListRow | undefined> {
  return database
    .selectFrom('recipient_lists')
    .select(LIST_COLUMNS)
    .where('is_indexed', '=', false)
    .where('id', '>', after)
    .orderBy('id')
    .executeTakeFirst();
}

/** Keeps the tags of a list's entries from index `first` on; those that are there stand, and nothing is kept of a list that is gone. */
export async function saveTags(database: Db, listId: number, first: number, tags: readonly Buffer[]): Promise<void> {
  await sql`insert into recipient_tags (list_id, place, tag)
    select ${listId}::integer, ${first}::integer + place::integer - 1, tag
    from unnest(${tags}::bytea[]) with ordinality as one (tag, place)
    where exists (select from recipient_lists where id = ${listId}::integer)
    on conflict (list_id, place) do nothing`.execute(database);
}

/** Notes that every entry of a list has its tag. */
export async function markIndexed(database: Db, listId: number): Promise<void> {
  await database.updateTable('recipient_lists').set({ is_indexed: true }).where('id', '=', listId).execute();
}

/** The highest id that a list has; 0 if there is none. */
export async function lastListId(database: Db): Promise<number> {
  const row = await database
    .selectFrom('recipient_lists')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}

/** Entries with these tags, each by its list's row and its index there, the newest lists first. */
export async function findTagged(database: Db, tags: readonly Buffer[], limit: number) {
  const rows = await database
    .selectFrom('recipient_tags as tagged')
    .innerJoin('recipient_lists as list', 'list.id', 'tagged.list_id')
    .innerJoin('schedules as schedule', 'schedule.address', 'list.schedule')
    .select(['tagged.place', 'tagged.tag', 'schedule.mint'])
    .select(LIST_COLUMNS.map((name) => `list.${name}` as const))
    .where(sql<boolean>`tagged.tag = any(${tags}::bytea[])`)
    .orderBy('list.id', 'desc')
    .orderBy('tagged.place')
    .limit(limit)
    .execute();
  return rows.map(({ place, tag, mint, ...list }) => ({ list: list as ListRow, mint, place, tag }));
}
