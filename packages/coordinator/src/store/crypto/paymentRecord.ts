import { addressToBytes, bitmapSize, isBitSet } from '@payouts/client';
import { decrypt, encrypt } from './cipher.ts';

/** Who of a list a window has paid: the ledger's bitmap, in which those held back are set as well, and who they are. */
export type PaymentRecord = { readonly bitmap: Uint8Array; readonly held: readonly number[] };

/** Which window of which list: in another's place a record can't be decrypted. `root` hexadecimal. */
export type PaymentPlace = {
  readonly schedule: string;
  readonly root: string;
  readonly recipients: number;
  readonly window: bigint;
};

const INDEX_BYTES = 4;

/** The additional data of a record. */
export const paymentPlace = ({ schedule, root, recipients, window }: PaymentPlace): Uint8Array =>
  Buffer.concat([
    addressToBytes(schedule),
    Buffer.from(root, 'hex'),
    Buffer.from(`paid in window ${window} of ${recipients}`),
  ]);

/** Encrypts a record with the list's own key: the bitmap, then the indexes held back as u32. */
export function sealPayments(key: Uint8Array, { bitmap, held }: PaymentRecord, place: PaymentPlace): Uint8Array {
  const size = bitmapSize(place.recipients);
  const bytes = Buffer.alloc(size + held.length * INDEX_BYTES);
  bytes.set(bitmap.subarray(0, size));
  for (const [at, index] of held.entries()) bytes.writeUInt32LE(index, size + at * INDEX_BYTES);
  return encrypt(key, bytes, paymentPlace(place));
}

/** Decrypts a record. Throws `DecryptionFailed`. */
export function openPayments(key: Uint8Array, sealed: Uint8Array, place: PaymentPlace): PaymentRecord {
  const bytes = Buffer.from(decrypt(key, sealed, paymentPlace(place)));
  const size = bitmapSize(place.recipients);
  const held: number[] = [];
  for (let at = size; at < bytes.length; at += INDEX_BYTES) held.push(bytes.readUInt32LE(at));
  return { bitmap: bytes.subarray(0, size), held };
}

/** Whether the recipient at an index was paid. */
export const isPaid = ({ bitmap, held }: PaymentRecord, index: number): boolean =>
  isBitSet(bitmap, index) && !held.includes(index);
