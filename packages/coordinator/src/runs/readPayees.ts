import { RunError } from '../domain/errors.ts';
import type { PayableList } from '../lists/payableList.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import type { ListRow } from '../store/queries/lists.ts';
import type { StageContext } from './context.ts';

/** A list as it is paid. Throws `RunError` list-unreadable. */
export async function readPayees({ payableLists }: StageContext, list: ListRow): Promise<PayableList> {
  try {
    return await payableLists.read(list);
  } catch (error) {
    if (error instanceof WrongPayloadKey || error instanceof DecryptionFailed) {
      throw new RunError('list-unreadable', `The list can't be decrypted: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
