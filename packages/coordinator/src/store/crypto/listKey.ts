import type { ListRow } from '../queries/lists.ts';
import { associatedData, type ListPlace } from './listPlace.ts';
import type { PayloadKeys } from './payloadKeys.ts';

/** What a list's encryption is bound to. */
export const placeOfList = ({ schedule, root, recipients }: Omit<ListRow, 'known_balances'>): ListPlace => ({
  schedule,
  root: new Uint8Array(Buffer.from(root, 'hex')),
  recipients,
});

/** A list's own key. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export function listKey(list: Omit<ListRow, 'known_balances'>, payloadKeys: PayloadKeys): Promise<Uint8Array> {
  const stored = { keyId: list.key_id, wrapped: list.wrapped_key };
  return payloadKeys.unwrap(stored, associatedData(placeOfList(list), 'key'));
}
