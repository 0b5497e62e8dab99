import { createHash } from 'node:crypto';
import { decrypt, encrypt } from './cipher.ts';

/** What was encrypted with a payload key that was not given. */
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

/** One payload key, held here or in a key service; that one may also throw `RunError` key-service-unavailable. */
export interface PayloadKey {
  /** Which key it is, without saying anything about it. */
  readonly id: string;
  wrap(key: Uint8Array, associated: Uint8Array): Promise<Uint8Array>;
  /** Throws `DecryptionFailed`. */
  unwrap(wrapped: Uint8Array, associated: Uint8Array): Promise<Uint8Array>;
}

/** A payload key of 32 bytes that this process holds itself. */
export function localPayloadKey(bytes: Uint8Array): PayloadKey {
  return {
    id: createHash('sha256').update('payload-key').update(bytes).digest('hex').slice(0, 16),
    wrap: async (key, associated) => encrypt(bytes, key, associated),
    unwrap: async (wrapped, associated) => decrypt(bytes, wrapped, associated),
  };
}

/** One key that wraps, beside retired ones. */
export function keyRing(current: PayloadKey, retired: readonly PayloadKey[]): PayloadKeys {
  const keys = new Map([...retired, current].map((key) => [key.id, key]));
  return {
    currentId: current.id,
    async wrap(key, associated) {
      return { keyId: current.id, wrapped: await current.wrap(key, associated) };
    },
    async unwrap({ keyId, wrapped }, associated) {
      const key = keys.get(keyId);
      if (key === undefined) {
        const given = [...keys.keys()].join(', ');
        throw new WrongPayloadKey(`It was encrypted with payload key ${keyId}; given: ${given}.`);
      }
      return key.unwrap(wrapped, associated);
    },
  };
}

/** Payload keys of 32 bytes each that this process holds itself. */
export function localPayloadKeys(current: Uint8Array, retired: readonly Uint8Array[] = []): PayloadKeys {
  return keyRing(localPayloadKey(current), retired.map(localPayloadKey));
}
