import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import { findList } from '../store/queries/lists.ts';
import type { Db } from '../store/schema.ts';
import type { PayableList } from './payableList.ts';
import type { PayableLists } from './payableLists.ts';

/** What is asked of a registered list. */
export type SettledList = Pick<PayableList, 'count' | 'amountAt' | 'ownerAt' | 'places'>;

/** Finds a registered list by schedule and root (hexadecimal); undefined if there is none that can be read. */
export type FindList = (schedule: string, root: string) => Promise<SettledList | undefined>;

/** Finds registered lists whose windows are settled. */
export function listFinder(database: Db, payableLists: Pick<PayableLists, 'read' | 'recent'>): FindList {
  return async (schedule, root) => {
    const known = payableLists.recent(schedule, root);
    if (known !== undefined) return known;
    const list = await findList(database, schedule, root);
    if (list === undefined) return undefined;
    try {
      return await payableLists.read(list);
    } catch (error) {
      if (error instanceof WrongPayloadKey || error instanceof DecryptionFailed) return undefined;
      throw error;
    }
  };
}
