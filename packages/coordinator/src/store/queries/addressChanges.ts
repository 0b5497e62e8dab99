import type { Insertable, Selectable } from 'kysely';
import { ADDRESS_CHANGE_MS } from '../../domain/invitation.ts';
import type { AddressChangesTable, Db } from '../schema.ts';

export type AddressChangeRow = Selectable<AddressChangesTable>;

/** Rows moved to another key at a time. */
const AT_ONCE = 100;

/** Keeps a recipient's request instead of the one before it; `tags`: of the recipient and the vault, under all service keys. */
export async function saveAddressChange(
  database: Db,
  row: Insertable<AddressChangesTable>,
  tags: readonly Uint8Array[],
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await transaction
      .deleteFrom('address_changes')
      .where('tag', 'in', [...tags])
      .execute();
    await transaction
      .insertInto('address_changes')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('tag').doUpdateSet({ id: row.id, content: row.content, created_at: row.created_at }),
      )
      .execute();
  });
}

/** What waits for an employer, oldest first. */
export const listAddressChanges = (database: Db, employer: string, now: number): Promise<AddressChangeRow[]> =>
  database
    .selectFrom('address_changes')
    .selectAll()
    .where('employer', '=', employer)
    .where('created_at', '>', String(now - ADDRESS_CHANGE_MS))
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Forgets a request; false: the employer has none such. */
export async function removeAddressChange(database: Db, employer: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('address_changes')
    .where('id', '=', id)
    .where('employer', '=', employer)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Forgets what no employer has taken in time. */
export async function removeOldAddressChanges(database: Db, now: number): Promise<void> {
  await database
    .deleteFrom('address_changes')
    .where('created_at', '<=', String(now - ADDRESS_CHANGE_MS))
    .execute();
}

/** Some of those that are kept under one of these service keys. */
export const findAddressChangesKeyed = (database: Db, keyNames: readonly string[]): Promise<AddressChangeRow[]> =>
  keyNames.length === 0
    ? Promise.resolve([])
    : database
        .selectFrom('address_changes')
        .selectAll()
        .where('key_name', 'in', [...keyNames])
        .limit(AT_ONCE)
        .execute();

/** Keeps a request under another key; where the recipient has asked anew meanwhile, it is forgotten. */
export async function moveAddressChange(
  database: Db,
  from: Uint8Array,
  to: Pick<AddressChangeRow, 'tag' | 'key_name' | 'content'>,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('address_changes')
      .where('tag', '=', from)
      .where(({ exists, selectFrom }) => exists(selectFrom('address_changes').select('id').where('tag', '=', to.tag)))
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) {
      await transaction.updateTable('address_changes').set(to).where('tag', '=', from).execute();
    }
  });
}
