import { createHash } from 'node:crypto';
import { decrypt, encrypt } from './cipher.ts';

/** Something was encrypted with a payload key that this process was not given. */
export class WrongPayloadKey extends Error {
  override readonly name = 'WrongPayloadKey';
}

/** A data key as it is stored: encrypted, beside the name of the payload key that did it. */
export type WrappedKey = { readonly keyId: string; readonly wrapped: Uint8Array };

/** The keys that encrypt data keys and nothing else: one that wraps, and retired ones that still open. */
export interface PayloadKeys {
  /** Name of the key that wraps. */
  readonly currentId: string;
  /** `associated` is not stored and must be the same to unwrap. */
  wrap(key: Uint8Array, associated: Uint8Array): Promise<WrappedKey>;
  /** Throws `WrongPayloadKey` or `DecryptionFailed`. */
  unwrap(stored: WrappedKey, associated: Uint8Array): Promise<Uint8Array>;
}

/** Which key it is, without saying anything about it. */
const idOf = (key: Uint8Array): string =>
  createHash('sha256').update('payload-key').update(key).digest('hex').slice(0, 16);

/** Payload keys of 32 bytes each that this process holds itself. */
export function localPayloadKeys(current: Uint8Array, retired: readonly Uint8Array[] = []): PayloadKeys {
  const keys = new Map([...retired, current].map((key) => [idOf(key), key]));
  const currentId = idOf(current);
  return {
    currentId,
    async wrap(key, associated) {
      return { keyId: currentId, wrapped: encrypt(current, key, associated) };
    },
    async unwrap({ keyId, wrapped }, associated) {
      const key = keys.get(keyId);
      if (key === undefined) {
        const given = [...keys.keys()].join(', ');
        throw new WrongPayloadKey(`It was encrypted with payload key ${keyId}; given: ${given}.`);
      }
      return decrypt(key, wrapped, associated);
    },
  };
}
