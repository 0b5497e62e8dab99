import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';

/** What is opened, or undefined where its payload key is missing: what can't be read keeps nobody else from being told. */
export async function ifReadable<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof WrongPayloadKey || error instanceof DecryptionFailed) return undefined;
    throw error;
  }
}
