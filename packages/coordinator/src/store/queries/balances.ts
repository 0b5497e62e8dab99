import { BLOCK_RECIPIENTS } from '../../domain/listRecords.ts';
import { decrypt, encrypt } from '../crypto/cipher.ts';
import { listKey, placeOfList } from '../crypto/listKey.ts';
import { associatedData } from '../crypto/listPlace.ts';
import type { PayloadKeys } from '../crypto/payloadKeys.ts';
import type { Db } from '../schema.ts';
import type { ListRow } from './lists.ts';

/**
 * A list's balances as they were derived, block by block; undefined if not all of them are there. Throws `WrongPayloadKey` or
 * `DecryptionFailed`.
 */
export async function readBalances(
  database: Db,
  list: ListRow,
  payloadKeys: PayloadKeys,
): Promise<Uint8Array[] | undefined> {
  const rows = await database
    .selectFrom('recipient_balances')
    .innerJoin('recipient_lists as list', 'list.id', 'list_id')
    .select(['content', 'list.wrapped_key', 'list.key_id'])
    .where('list_id', '=', list.id)
    .orderBy('number')
    .execute();
  const [stored] = rows;
  if (stored === undefined || rows.length * BLOCK_RECIPIENTS < list.recipients) return undefined;
  const place = placeOfList(list);
  const { wrapped_key, key_id } = stored;
  const key = await listKey({ ...list, wrapped_key, key_id }, payloadKeys);
  return rows.map(({ content }, number) => decrypt(key, content, associatedData(place, `balances ${number}`)));
}

/** Keeps a list's balances, unless they are there: whoever derives them gets the same. Nothing is kept of a list that is gone. */
export async function saveBalances(
  database: Db,
  list: ListRow,
  payloadKeys: PayloadKeys,
  blocks: readonly Uint8Array[],
): Promise<void> {
  const place = placeOfList(list);
  const key = await listKey(list, payloadKeys);
  const rows = blocks.map((block, number) => ({
    list_id: list.id,
    number,
    content: encrypt(key, block, associatedData(place, `balances ${number}`)),
  }));
  await database
    .insertInto('recipient_balances')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['list_id', 'number']).doNothing())
    .execute();
}
