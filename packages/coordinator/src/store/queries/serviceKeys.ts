import type { Selectable } from 'kysely';
import type { WrappedKey } from '../crypto/payloadKeys.ts';
import type { Db, ServiceKeysTable } from '../schema.ts';

/** A key of the service's own; undefined while there is none of the name. */
export function findServiceKey(database: Db, name: string): Promise<Selectable<ServiceKeysTable> | undefined> {
  return database.selectFrom('service_keys').selectAll().where('name', '=', name).executeTakeFirst();
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
