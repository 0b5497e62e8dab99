import type { Kysely, Selectable } from 'kysely';
import type { WrappedKey } from '../crypto/payloadKeys.ts';
import type { ServiceKeysTable, Tables } from '../schema.ts';

/** A key of the service's own; undefined while there is none of the name. */
export function findServiceKey(
  database: Kysely<Tables>,
  name: string,
): Promise<Selectable<ServiceKeysTable> | undefined> {
  return database.selectFrom('service_keys').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Keeps a new key, unless somebody else has made one; `at` in unix milliseconds. */
export async function saveNewServiceKey(
  database: Kysely<Tables>,
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

/** Service keys that another payload key has wrapped. */
export function findServiceKeysToRotate(
  database: Kysely<Tables>,
  currentId: string,
): Promise<Selectable<ServiceKeysTable>[]> {
  return database.selectFrom('service_keys').selectAll().where('key_id', '!=', currentId).orderBy('name').execute();
}

/** Keeps a service key as it is wrapped now; false if somebody else has done it. */
export async function saveServiceKey(
  database: Kysely<Tables>,
  name: string,
  from: string,
  { keyId, wrapped }: WrappedKey,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('service_keys')
    .set({ key_id: keyId, wrapped_key: wrapped })
    .where('name', '=', name)
    .where('key_id', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
