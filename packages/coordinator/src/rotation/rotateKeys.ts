import type { Time } from '@payouts/client';
import { reasonPlace } from '../store/crypto/abandonReason.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { type PayloadKeys, WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import { countToRotate, type DataKeyTable, findToRotate, saveReason } from '../store/queries/dataKeys.ts';
import { findFormerServiceKey } from '../store/queries/serviceKeys.ts';
import type { Db } from '../store/schema.ts';
import { renewDataKey } from './dataKeys.ts';
import { renewServiceKeys } from './serviceKeys.ts';

/** What a rotation did; `unreadable`: how many keys could not be opened, by the name of the payload key that wrapped them. */
export type Rotation = {
  readonly lists: number;
  readonly liabilityTrees: number;
  readonly serviceKeys: number;
  readonly unreadable: ReadonlyMap<string, number>;
};

export type RotationInput = {
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly time: Pick<Time, 'now'>;
  /** Told how many of how many data keys are renewed. */
  readonly onProgress?: (done: number, of: number) => void;
};

/**
 * Encrypts everything that is kept with new data keys, where the present payload key has not wrapped them: afterwards neither the former payload
 * key nor a former data key opens anything. One after the other and each all or nothing, so the service may run meanwhile and a rotation that
 * was cut off goes on where it was. What can't be opened stays as it is.
 */
export async function rotateKeys({ database, payloadKeys, time, onProgress }: RotationInput): Promise<Rotation> {
  const unreadable = new Map<string, number>();
  const of = await countToRotate(database, payloadKeys.currentId);
  let done = 0;
  /** What was done, or undefined where a key can't be opened. */
  const attempt = async <T>(keyId: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WrongPayloadKey || error instanceof DecryptionFailed)) throw error;
      unreadable.set(keyId, (unreadable.get(keyId) ?? 0) + 1);
      return undefined;
    } finally {
      done += 1;
      onProgress?.(Math.min(done, of), of);
    }
  };

  const renew = async <T extends DataKeyTable>(table: T): Promise<number> => {
    let count = 0;
    for await (const found of findToRotate(database, table, payloadKeys.currentId)) {
      if (await attempt(found.stored.keyId, () => renewDataKey(database, payloadKeys, table, found))) count += 1;
    }
    return count;
  };
  const lists = await renew('recipient_lists');
  const liabilityTrees = await renew('liability_trees');
  // Grants, webhooks and reasons are few, and not counted.
  await renew('auditor_grants');
  await renew('webhook_endpoints');
  for await (const { id, row, stored } of findToRotate(database, 'abandoned_runs', payloadKeys.currentId)) {
    // A payload key encrypts these itself.
    const place = reasonPlace({ schedule: row.schedule, window: BigInt(row.window_number) });
    await attempt(stored.keyId, async () => {
      const wrapped = await payloadKeys.wrap(await payloadKeys.unwrap(stored, place), place);
      await saveReason(database, id, stored.keyId, wrapped);
    });
  }
  const former = await findFormerServiceKey(database, payloadKeys.currentId);
  const serviceKeys = former && (await attempt(former.key_id, () => renewServiceKeys({ database, payloadKeys, time })));
  return { lists, liabilityTrees, serviceKeys: serviceKeys ?? 0, unreadable };
}
