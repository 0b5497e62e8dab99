import type { Db } from '../schema.ts';
import { LIST_COLUMNS, type ListRow } from './lists.ts';

/** Every list of a schedule: of its present root and of replaced ones. */
export function listLists(database: Db, schedule: string): Promise<ListRow[]> {
  return database
    .selectFrom('recipient_lists')
    .select(LIST_COLUMNS)
    .where('schedule', '=', schedule)
    .orderBy('id')
    .execute();
}
