import { sql } from 'kysely';
import { countRows } from '../countRows.ts';
import { isDuplicate } from '../db/duplicate.ts';
import type { Db } from '../schema.ts';

/** Kept withdrawals with these tags. */
export function findWithdrawals(
  database: Db,
  tags: readonly Buffer[],
): Promise<{ readonly tag: Uint8Array; readonly content: Uint8Array }[]> {
  return database
    .selectFrom('withdrawals')
    .select(['tag', 'content'])
    .where(sql<boolean>`tag = any(${tags}::bytea[])`)
    .execute();
}

/** Keeps a withdrawal that was not seen before; false if its tag is taken. */
export async function addWithdrawal(
  database: Db,
  row: { readonly tag: Buffer; readonly month: number; readonly key_name: string; readonly content: Uint8Array },
): Promise<boolean> {
  const added = await database
    .insertInto('withdrawals')
    .values(row)
    .onConflict((conflict) => conflict.column('tag').doNothing())
    .returning('month')
    .executeTakeFirst();
  return added !== undefined;
}

/** Keeps what is known of a withdrawal now; false, and nothing is kept, if there is none of the tag any more. */
export async function changeWithdrawal(database: Db, tag: Buffer, content: Uint8Array): Promise<boolean> {
  const changed = database.updateTable('withdrawals').set({ content }).where('tag', '=', tag);
  return (await changed.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
}

/** Withdrawals read at a time. */
const AT_ONCE = 100;

/** Some withdrawals that are kept under one of these service keys. */
export function findWithdrawalsKeyed(database: Db, keyNames: readonly string[]) {
  return database
    .selectFrom('withdrawals')
    .selectAll()
    .where(sql<boolean>`key_name = any(${keyNames}::text[])`)
    .limit(AT_ONCE)
    .execute();
}

/**
 * Keeps a withdrawal under another tag and key, if it is as it was read: what was changed or forgotten meanwhile stays as it is. False if the
 * new tag is taken.
 */
export async function moveWithdrawal(
  database: Db,
  { tag, content }: { readonly tag: Uint8Array; readonly content: Uint8Array },
  moved: { readonly tag: Buffer; readonly key_name: string; readonly content: Uint8Array },
): Promise<boolean> {
  try {
    await database
      .updateTable('withdrawals')
      .set(moved)
      .where('tag', '=', tag)
      .where('content', '=', content)
      .execute();
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** The first month of which a withdrawal is kept; undefined: none is. */
export async function firstMonth(database: Db): Promise<number | undefined> {
  const row = await database.selectFrom('withdrawals').select('month').orderBy('month').limit(1).executeTakeFirst();
  return row?.month;
}

/** How many withdrawals are kept that were first seen before a month. */
export const countWithdrawalsBefore = (database: Db, month: number): Promise<number> =>
  countRows(database, 'withdrawals', sql`month < ${month}`);

/** Forgets withdrawals that were first seen before a month: whole months, since the tags of one are a row without gaps. */
export async function removeWithdrawalsBefore(database: Db, month: number): Promise<void> {
  await database.deleteFrom('withdrawals').where('month', '<', month).execute();
}
