import type { Kysely } from 'kysely';
import type { FindList } from '../liabilities/look.ts';
import { DecryptionFailed } from '../store/cipher.ts';
import { WrongPayloadKey } from '../store/payloadKeys.ts';
import { findList } from '../store/queries/lists.ts';
import type { Tables } from '../store/schema.ts';
import type { Payables } from './payableLists.ts';

/** Finds registered lists whose windows are settled. */
export function listFinder(database: Kysely<Tables>, payables: Pick<Payables, 'read' | 'recent'>): FindList {
  return async (schedule, root) => {
    const known = payables.recent(schedule, root);
    if (known !== undefined) return known;
    const list = await findList(database, schedule, root);
    if (list === undefined) return undefined;
    try {
      return await payables.read(list);
    } catch (error) {
      if (error instanceof WrongPayloadKey || error instanceof DecryptionFailed) return undefined;
      throw error;
    }
  };
}
