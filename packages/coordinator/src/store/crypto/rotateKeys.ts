import { findToRotate, saveRotated, type WrappedRow, type WrappedTable } from '../queries/dataKeys.ts';
import type { Db } from '../schema.ts';
import { reasonPlace } from './abandonReason.ts';
import { DecryptionFailed } from './cipher.ts';
import { grantKeyPlace } from './grantSeal.ts';
import { keyPlace } from './liabilityChunks.ts';
import { placeOfList } from './listKey.ts';
import { associatedData } from './listPlace.ts';
import { type PayloadKeys, type WrappedKey, WrongPayloadKey } from './payloadKeys.ts';
import { serviceKeyPlace } from './serviceKey.ts';
import { webhookKeyPlace } from './webhookSeal.ts';

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
export async function rotateKeys(database: Db, payloadKeys: PayloadKeys): Promise<Rotation> {
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

  const rotate = async <T extends WrappedTable>(table: T, placeOf: (row: WrappedRow<T>) => Uint8Array) => {
    let count = 0;
    for await (const { id, row, stored } of findToRotate(database, table, payloadKeys.currentId)) {
      const key = await rewrap(stored, placeOf(row));
      if (key !== undefined && (await saveRotated(database, table, id, stored.keyId, key))) count += 1;
    }
    return count;
  };

  const lists = await rotate('recipient_lists', (list) => associatedData(placeOfList(list), 'key'));
  const liabilityTrees = await rotate('liability_trees', ({ mint }) => keyPlace(mint));
  const serviceKeys = await rotate('service_keys', ({ name }) => serviceKeyPlace(name));
  // Payload keys encrypt the few reasons themselves, so these are no data keys and not counted.
  await rotate('abandoned_runs', (run) => reasonPlace({ schedule: run.schedule, window: BigInt(run.window_number) }));
  // Nor are the keys of grants and webhooks, of which there are few.
  await rotate('auditor_grants', grantKeyPlace);
  await rotate('webhook_endpoints', webhookKeyPlace);
  return { lists, liabilityTrees, serviceKeys, unreadable };
}
