import { addressFromBytes, addressToBytes } from '@payouts/client';
import { decrypt, encrypt } from './cipher.ts';
import type { PayloadKeys, WrappedKey } from './payloadKeys.ts';

const ADDRESS_BYTES = 32;

/** A grant's own name and its schedule's: what its parts are bound to. */
export type GrantPlace = { readonly id: string; readonly schedule: string };

const place = ({ id, schedule }: GrantPlace, part: 'key' | 'named' | 'use'): Uint8Array =>
  Buffer.from(`grant ${id} of ${schedule}: ${part}`);

/** What a grant's wrapped key is bound to. */
export const grantKeyPlace = (grant: GrantPlace): Uint8Array => place(grant, 'key');

/** What whom a grant names is bound to, and of whom something was read. */
export const namedPlace = (grant: GrantPlace): Uint8Array => place(grant, 'named');
export const usePlace = (grant: GrantPlace): Uint8Array => place(grant, 'use');

/** A grant's own key. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export const grantKey = (payloadKeys: PayloadKeys, grant: GrantPlace, stored: WrappedKey): Promise<Uint8Array> =>
  payloadKeys.unwrap(stored, grantKeyPlace(grant));

/** Encrypts whom a grant names. */
export const sealNamed = (key: Uint8Array, grant: GrantPlace, recipients: readonly string[]): Uint8Array =>
  encrypt(key, Buffer.concat(recipients.map(addressToBytes)), namedPlace(grant));

/** Whom a grant names. Throws `DecryptionFailed`. */
export function openNamed(key: Uint8Array, grant: GrantPlace, sealed: Uint8Array): string[] {
  const bytes = decrypt(key, sealed, namedPlace(grant));
  return Array.from({ length: bytes.length / ADDRESS_BYTES }, (_, at) =>
    addressFromBytes(bytes.subarray(at * ADDRESS_BYTES, (at + 1) * ADDRESS_BYTES)),
  );
}

/** Encrypts of whom something was read. */
export const sealSubject = (key: Uint8Array, grant: GrantPlace, recipient: string): Uint8Array =>
  encrypt(key, addressToBytes(recipient), usePlace(grant));

/** Of whom something was read. Throws `DecryptionFailed`. */
export const openSubject = (key: Uint8Array, grant: GrantPlace, sealed: Uint8Array): string =>
  addressFromBytes(decrypt(key, sealed, usePlace(grant)));
