import { sql } from 'kysely';
import type { Db } from '../schema.ts';
import { LIST_COLUMNS, type ListRow, MOST_OF_A_LIST } from './lists.ts';

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

/** A list whose tags are made with a service key. */
export type TaggedList = { readonly listId: number; readonly keyName: string };

/** Begins to tag a list's entries with a service key: tags of another are forgotten, those of the same stand. */
export async function beginTags(database: Db, { listId, keyName }: TaggedList): Promise<void> {
  await sql`
    with begun as (
      update recipient_lists set index_key = ${keyName}, is_indexed = false
      where id = ${listId}::integer and index_key is distinct from ${keyName} returning id)
    delete from recipient_tags using begun where list_id = begun.id`.execute(database);
}

/**
 * Keeps the tags of a list's entries from index `first` on; those that are there stand, and nothing is kept of a list that is gone or is tagged
 * with another key by now.
 */
export async function saveTags(
  database: Db,
  { listId, keyName }: TaggedList,
  first: number,
  tags: readonly Buffer[],
): Promise<void> {
  await sql`
    with list as (
      select id from recipient_lists where id = ${listId}::integer and index_key = ${keyName} for share)
    insert into recipient_tags (list_id, place, tag)
    select list.id, ${first}::integer + place::integer - 1, tag
    from list, unnest(${tags}::bytea[]) with ordinality as one (tag, place)
    on conflict (list_id, place) do nothing`.execute(database);
}

/** Notes that every entry of a list has its tag. */
export async function markIndexed(database: Db, { listId, keyName }: TaggedList): Promise<void> {
  await database
    .updateTable('recipient_lists')
    .set({ is_indexed: true })
    .where('id', '=', listId)
    .where('index_key', '=', keyName)
    .execute();
}

/** The first list behind id `after` whose tags are made with another service key. */
export function findTaggedOtherwise(database: Db, keyName: string, after: number): Promise<ListRow | undefined> {
  return database
    .selectFrom('recipient_lists')
    .select(LIST_COLUMNS)
    .where('index_key', '<>', keyName)
    .where('id', '>', after)
    .orderBy('id')
    .executeTakeFirst();
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

/**
 * Entries with these tags, each by its list's row, the vault that it is paid from, and its index there; the newest lists first, and of each list
 * the first 500. However often an address stands in a list, it is little to read.
 */
export async function findTagged(database: Db, tags: readonly Buffer[]) {
  const { rows: found } = await sql<{ list_id: number; place: number; tag: Buffer }>`
    select list_id, place, tag from (
      select list_id, place, tag, row_number() over (partition by list_id order by place) as nth
      from recipient_tags where tag = any(${tags}::bytea[])) as tagged
    where nth <= ${MOST_OF_A_LIST} order by list_id desc, place`.execute(database);
  const ids = [...new Set(found.map(({ list_id }) => list_id))];
  // By themselves: a list's places are four bytes for each of its entries, and would come again with each tag.
  const rows = await database
    .selectFrom('recipient_lists as list')
    .innerJoin('schedules as schedule', 'schedule.address', 'list.schedule')
    .select(['schedule.mint', 'schedule.vault', 'list.index_key'])
    .select(LIST_COLUMNS.map((name) => `list.${name}` as const))
    .where(sql<boolean>`list.id = any(${ids}::integer[])`)
    .execute();
  const lists = new Map(rows.map(({ mint, vault, index_key, ...list }) => [list.id, { list, mint, vault, index_key }]));
  return found.flatMap(({ list_id, place, tag }) => {
    // Undefined: forgotten between the two statements.
    const tagged = lists.get(list_id);
    return tagged === undefined ? [] : [{ ...tagged, place, tag }];
  });
}

/** How a list is tagged: with which service key, and whether every entry has its tag. */
export function findTagging(
  database: Db,
  listId: number,
): Promise<{ readonly index_key: string | null; readonly is_indexed: boolean } | undefined> {
  return database
    .selectFrom('recipient_lists')
    .select(['index_key', 'is_indexed'])
    .where('id', '=', listId)
    .executeTakeFirst();
}

/** Where one of these tags stands in a list, in order, the first 500. */
export async function findPlaces(database: Db, listId: number, tags: readonly Buffer[]): Promise<number[]> {
  const rows = await database
    .selectFrom('recipient_tags')
    .select('place')
    .where('list_id', '=', listId)
    .where(sql<boolean>`tag = any(${tags}::bytea[])`)
    .orderBy('place')
    .limit(MOST_OF_A_LIST)
    .execute();
  return rows.map(({ place }) => place);
}
