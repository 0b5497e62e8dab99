import type { Kysely } from 'kysely';
import {
  findListsToRotate,
  findReasonsToRotate,
  findTreesToRotate,
  saveListKey,
  saveReason,
  saveTreeKey,
} from '../queries/dataKeys.ts';
import { findGrantsToRotate, saveGrantKey } from '../queries/grants.ts';
import { findServiceKeysToRotate, saveServiceKey } from '../queries/serviceKeys.ts';
import { findWebhooksToRotate, saveWebhookKey } from '../queries/webhooks.ts';
import type { Tables } from '../schema.ts';
import { reasonPlace } from './abandonReason.ts';
import { DecryptionFailed } from './cipher.ts';
import { grantKeyPlace } from './grantSeal.ts';
import { keyPlace } from './liabilityChunks.ts';
import { placeOfList } from './listKey.ts';
import { associatedData } from './listPlace.ts';
import { type PayloadKeys, type WrappedKey, WrongPayloadKey } from './payloadKeys.ts';
import { serviceKeyPlace } from './serviceKey.ts';
import { webhookKeyPlace } from './webhookSeal.ts';

/** Lists read at a time. */
const AT_ONCE = 100;

/** What a rotation did; `unreadable`: how many keys could not be opened, by the name of the payload key that wrapped them. */
export type Rotation = {
  readonly lists: number;
  readonly liabilityTrees: number;
  readonly serviceKeys: number;
  readonly unreadable: ReadonlyMap<string, number>;
};

/**
 * Wraps every data key, and the reasons of abandoned runs, with the present payload key where another one has. Each by itself, so the service may run meanwhile
 * and a rotation that was cut off goes on where it was. What can't be opened stays as it is.
 */
export async function rotateKeys(database: Kysely<Tables>, payloadKeys: PayloadKeys): Promise<Rotation> {
  const unreadable = new Map<string, number>();
  const rewrap = async (stored: WrappedKey, place: Uint8Array): Promise<WrappedKey | undefined> => {
    try {
      return await payloadKeys.wrap(await payloadKeys.unwrap(stored, place), place);
    } catch (error) {
      if (!(error instanceof WrongPayloadKey || error instanceof DecryptionFailed)) throw error;
      unreadable.set(stored.keyId, (unreadable.get(stored.keyId) ?? 0) + 1);
      return undefined;
    }
  };

  let lists = 0;
  for (let after = 0; ; ) {
    const rows = await findListsToRotate(database, payloadKeys.currentId, after, AT_ONCE);
    for (const row of rows) {
      const stored = { keyId: row.key_id, wrapped: row.wrapped_key };
      const key = await rewrap(stored, associatedData(placeOfList(row), 'key'));
      if (key !== undefined && (await saveListKey(database, row.id, row.key_id, key))) lists += 1;
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
  }

  let liabilityTrees = 0;
  for (const { mint, key_id: keyId, wrapped_key: wrapped } of await findTreesToRotate(
    database,
    payloadKeys.currentId,
  )) {
    const key = await rewrap({ keyId, wrapped }, keyPlace(mint));
    if (key !== undefined && (await saveTreeKey(database, mint, keyId, key))) liabilityTrees += 1;
  }

  let serviceKeys = 0;
  for (const { name, key_id: keyId, wrapped_key: wrapped } of await findServiceKeysToRotate(
    database,
    payloadKeys.currentId,
  )) {
    const key = await rewrap({ keyId, wrapped }, serviceKeyPlace(name));
    if (key !== undefined && (await saveServiceKey(database, name, keyId, key))) serviceKeys += 1;
  }

  // Payload keys encrypt the few reasons themselves, so these are no data keys and not counted.
  for (const row of await findReasonsToRotate(database, payloadKeys.currentId)) {
    const place = reasonPlace({ schedule: row.schedule, window: BigInt(row.window_number) });
    const reason = await rewrap({ keyId: row.key_id, wrapped: row.reason }, place);
    if (reason !== undefined) await saveReason(database, row.run_id, row.key_id, reason);
  }

  // Nor are the keys of grants and webhooks, of which there are few.
  for (const row of await findGrantsToRotate(database, payloadKeys.currentId)) {
    const key = await rewrap({ keyId: row.key_id, wrapped: row.wrapped_key }, grantKeyPlace(row));
    if (key !== undefined) await saveGrantKey(database, row.id, row.key_id, key);
  }
  for (const row of await findWebhooksToRotate(database, payloadKeys.currentId)) {
    const key = await rewrap({ keyId: row.key_id, wrapped: row.wrapped_key }, webhookKeyPlace(row));
    if (key !== undefined) await saveWebhookKey(database, row.id, row.key_id, key);
  }
  return { lists, liabilityTrees, serviceKeys, unreadable };
}
