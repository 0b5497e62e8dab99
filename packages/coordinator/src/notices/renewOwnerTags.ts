import { RecipientKeys, type RecipientKeysInput } from '../store/crypto/serviceKey.ts';
import { openNotice } from '../store/crypto/webhookSeal.ts';
import { findNoticesKeyed, saveNoticeOwner } from '../store/queries/notices.ts';
import { ownerTag } from './ownerTags.ts';

/**
 * Keeps notices under the newest service key's hashes of their owners that are kept under a former one's, some at a time; returns how many.
 * None is left when it returns 0. Throws `WrongPayloadKey` or `DecryptionFailed`.
 */
export async function renewOwnerTags(input: RecipientKeysInput): Promise<number> {
  const { database, payloadKeys } = input;
  const [newest, ...former] = await new RecipientKeys(input).all();
  const names = former.map(({ name }) => name);
  const rows = await findNoticesKeyed(database, names);
  for (const row of rows) {
    const { content } = await openNotice(payloadKeys, row);
    await saveNoticeOwner(database, row.id, { owner: ownerTag(newest, content.owner), owner_key: newest.name });
  }
  return rows.length;
}
