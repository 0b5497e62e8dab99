import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { addressFromBytes, addressToBytes, deliveryCode } from '@payouts/client';
import type { PayableRecipient } from '../domain/recipient.ts';
import { decrypt, encrypt } from './cipher.ts';

/** recipient 32 ‖ amount u64 ‖ delivery u8 ‖ salt 16 ‖ balance 32 ‖ bump u8; the index is the record's place. */
const RECORD_BYTES = 90;
/** Recipients in one chunk: 360 KB of records. */
export const CHUNK_RECIPIENTS = 4_096;

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

/** What a list's chunks are bound to: its schedule, its root and how many recipients it has. */
export type ListPlace = { readonly schedule: string; readonly root: Uint8Array; readonly recipients: number };

/** The additional data of a list's encryption: schedule 32 ‖ root 32, then what tells its parts apart. */
export function associatedData(place: ListPlace, part: 'key' | number): Uint8Array {
  const suffix = Buffer.from(part === 'key' ? 'key' : `chunk ${part} of ${place.recipients}`);
  return Buffer.concat([addressToBytes(place.schedule), place.root, suffix]);
}

function encodeChunk(recipients: readonly PayableRecipient[]): Buffer {
  const bytes = Buffer.alloc(recipients.length * RECORD_BYTES);
  for (const [place, recipient] of recipients.entries()) {
    const offset = place * RECORD_BYTES;
    bytes.set(addressToBytes(recipient.recipient), offset);
    bytes.writeBigUInt64LE(recipient.amount, offset + 32);
    bytes[offset + 40] = deliveryCode(recipient.delivery);
    bytes.set(recipient.salt, offset + 41);
    bytes.set(addressToBytes(recipient.balance), offset + 57);
    bytes[offset + 89] = recipient.bump;
  }
  return bytes;
}

function decodeChunk(bytes: Buffer, firstIndex: number): PayableRecipient[] {
  const recipients: PayableRecipient[] = [];
  for (let offset = 0; offset < bytes.length; offset += RECORD_BYTES) {
    recipients.push({
      index: firstIndex + recipients.length,
      recipient: addressFromBytes(bytes.subarray(offset, offset + 32)),
      amount: bytes.readBigUInt64LE(offset + 32),
      delivery: bytes[offset + 40] === 0 ? 'balance' : 'wallet',
      salt: new Uint8Array(bytes.subarray(offset + 41, offset + 57)),
      balance: addressFromBytes(bytes.subarray(offset + 57, offset + 89)),
      bump: bytes[offset + 89] as number,
    });
  }
  return recipients;
}

/** Compresses and encrypts a list, chunk by chunk, with the list's own key. */
export async function* sealRecipients(
  recipients: readonly PayableRecipient[],
  place: ListPlace,
  key: Uint8Array,
): AsyncGenerator<Uint8Array> {
  for (let number = 0; number * CHUNK_RECIPIENTS < recipients.length; number++) {
    const first = number * CHUNK_RECIPIENTS;
    const records = await compress(encodeChunk(recipients.slice(first, first + CHUNK_RECIPIENTS)));
    yield encrypt(key, records, associatedData(place, number));
  }
}

/** Decrypts one chunk. Throws `DecryptionFailed`. */
export async function openChunk(
  sealed: Uint8Array,
  number: number,
  place: ListPlace,
  key: Uint8Array,
): Promise<PayableRecipient[]> {
  const records = await decompress(decrypt(key, sealed, associatedData(place, number)));
  return decodeChunk(records, number * CHUNK_RECIPIENTS);
}
