import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { addressToBytes } from '@payouts/client';
import { ENTRY_BYTES } from '../owed/record.ts';
import { decrypt, encrypt } from './cipher.ts';
import type { OwedChunksTable } from './schema.ts';

export type ChunkPart = OwedChunksTable['part'];

/** Which part of which chunk of which token's owed tree, as of which recording: in another's place it can't be decrypted. */
export type ChunkPlace = {
  readonly mint: string;
  readonly chunk: number;
  readonly part: ChunkPart;
  readonly number: bigint;
};

/** An entry's addresses, which stand between its kind and its numbers. */
const WHO_AT = 1;
const WHO_BYTES = 64;
const WHAT_BYTES = ENTRY_BYTES - WHO_BYTES;

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

const associated = ({ mint, chunk, part, number }: ChunkPlace): Uint8Array =>
  Buffer.concat([addressToBytes(mint), Buffer.from(`owed chunk ${chunk} ${part} of ${number}`)]);

/** The additional data of a tree's wrapped key. */
export const keyPlace = (mint: string): Uint8Array => Buffer.concat([addressToBytes(mint), Buffer.from('owed key')]);

/** Encrypts a part of a chunk's entries with the tree's own key. */
export async function sealOwedChunk(key: Uint8Array, entries: Buffer, place: ChunkPlace): Promise<Uint8Array> {
  const count = entries.length / ENTRY_BYTES;
  const part = Buffer.alloc(count * (place.part === 'who' ? WHO_BYTES : WHAT_BYTES));
  for (let at = 0; at < count; at++) {
    const entry = entries.subarray(at * ENTRY_BYTES, (at + 1) * ENTRY_BYTES);
    if (place.part === 'who') {
      part.set(entry.subarray(WHO_AT, WHO_AT + WHO_BYTES), at * WHO_BYTES);
    } else {
      part.set(entry.subarray(0, WHO_AT), at * WHAT_BYTES);
      part.set(entry.subarray(WHO_AT + WHO_BYTES), at * WHAT_BYTES + WHO_AT);
    }
  }
  return encrypt(key, place.part === 'who' ? part : await compress(part), associated(place));
}

/** Decrypts one part. Throws `DecryptionFailed`. */
export async function openOwedChunk(key: Uint8Array, sealed: Uint8Array, place: ChunkPlace): Promise<Buffer> {
  const part = decrypt(key, sealed, associated(place));
  return place.part === 'who' ? Buffer.from(part) : decompress(part);
}

/** The entries of a chunk whose parts these are. */
export function joinOwedChunk(who: Buffer, what: Buffer): Buffer {
  const count = what.length / WHAT_BYTES;
  const entries = Buffer.alloc(count * ENTRY_BYTES);
  for (let at = 0; at < count; at++) {
    const entry = entries.subarray(at * ENTRY_BYTES, (at + 1) * ENTRY_BYTES);
    entry.set(what.subarray(at * WHAT_BYTES, at * WHAT_BYTES + WHO_AT));
    entry.set(who.subarray(at * WHO_BYTES, (at + 1) * WHO_BYTES), WHO_AT);
    entry.set(what.subarray(at * WHAT_BYTES + WHO_AT, (at + 1) * WHAT_BYTES), WHO_AT + WHO_BYTES);
  }
  return entries;
}
