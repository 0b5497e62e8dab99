import type { Selectable } from 'kysely';
import type { WrappedKey } from '../crypto/payloadKeys.ts';
import type { Db, ServiceKeysTable } from '../schema.ts';

/** The service's own keys whose names begin so. */
export function listServiceKeys(database: Db, prefix: string): Promise<Selectable<ServiceKeysTable>[]> {
  return database.selectFrom('service_keys').selectAll().where('name', 'like', `${prefix}%`).execute();
}

/** A key that another payload key than the present one has wrapped; undefined: there is none. */
export function findFormerServiceKey(
  database: Db,
  currentId: string,
): Promise<{ readonly key_id: string } | undefined> {
  return database.selectFrom('service_keys').select('key_id').where('key_id', '<>', currentId).executeTakeFirst();
}

/** Forgets a key that nothing is kept under any more; false if something is. */
export async function removeServiceKey(database: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('service_keys')
    .where('name', '=', name)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('recipient_lists').select('id').where('index_key', '=', name))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('withdrawals').select('tag').where('key_name', '=', name))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('webhook_endpoints').select('id').where('owner_key', '=', name))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('address_changes').select('id').where('key_name', '=', name))),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Keeps a new key, unless somebody else has made one; `at` in unix milliseconds. */
export async function saveNewServiceKey(
  database: Db,
  name: string,
  { keyId, wrapped }: WrappedKey,
  at: number,
): Promise<void> {
  await database
    .insertInto('service_keys')
    .values({ name, key_id: keyId, wrapped_key: wrapped, created_at: at })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}
