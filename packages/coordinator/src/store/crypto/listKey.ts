import { associatedData, type ListPlace } from './listPlace.ts';
import type { PayloadKeys } from './payloadKeys.ts';

/** A list as the database has it, as far as its key needs it; `root` in hexadecimal. */
type KeyedList = {
  readonly schedule: string;
  readonly root: string;
  readonly recipients: number;
  readonly key_id: string;
  readonly wrapped_key: Uint8Array;
};

/** What a list is encrypted for: additional data of its data key and of every block. */
export const placeOfList = ({ schedule, root, recipients }: Omit<KeyedList, 'key_id' | 'wrapped_key'>): ListPlace => ({
  schedule,
  root: new Uint8Array(Buffer.from(root, 'hex')),
  recipients,
});

/** The data key that encrypts a recipient list, unwrapped by the payload key. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export function listKey(list: KeyedList, payloadKeys: PayloadKeys): Promise<Uint8Array> {
  const stored = { keyId: list.key_id, wrapped: list.wrapped_key };
  return payloadKeys.unwrap(stored, associatedData(placeOfList(list), 'key'));
}
