import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { addressToBytes } from '@payouts/client';
import { ENTRY_BYTES } from '../../domain/liability.ts';
import type { LiabilityChunksTable } from '../schema.ts';
import { decrypt, encrypt } from './cipher.ts';

export type ChunkPart = LiabilityChunksTable['part'];

/** Which part of which chunk of which token's liabilities tree, as of which recording: in another's place it can't be decrypted. */
export type ChunkPlace = {
  readonly mint: string;
  readonly chunk: number;
  readonly part: ChunkPart;
  readonly number: bigint;
};

/** An entry's owner or schedule, which stands between its kind and its three numbers: amount, number and version. */
const WHO_AT = 1;
const WHO_BYTES = 32;
const NUMBERS_AT = WHO_AT + WHO_BYTES;
const NUMBER_BYTES = 8;
const NUMBERS = 3;
const WHAT_BYTES = 1 + NUMBERS * NUMBER_BYTES;
/** The number of leaves, u16. */
const HEAD_BYTES = 2;
/** In a page nearly all kinds, numbers and versions are the same: the fastest way finds that. */
const FAST = { level: 1 };

/** Where a withdrawals tree is kept among the chunks of the liabilities tree. */
export const WITHDRAWALS = { chunk: 0, part: 'withdrawals' } as const;

/** The additional data of a part. */
export const chunkPlace = ({ mint, chunk, part, number }: ChunkPlace): Uint8Array =>
  Buffer.concat([addressToBytes(mint), Buffer.from(`liability chunk ${chunk} ${part} of ${number}`)]);

/** The additional data of a tree's wrapped key. */
export const keyPlace = (mint: string): Uint8Array =>
  Buffer.concat([addressToBytes(mint), Buffer.from('liabilities key')]);

/** The additional data of a tree's seed. */
export const seedPlace = (mint: string): Uint8Array =>
  Buffer.concat([addressToBytes(mint), Buffer.from('liabilities seed')]);

const ofTree = (mint: string, what: string): Uint8Array => Buffer.concat([addressToBytes(mint), Buffer.from(what)]);

/** The additional data of a page's nonce, of the places that nobody has, and of owners of a vault's lists. */
export const pagePlace = (mint: string, number: number): Uint8Array => ofTree(mint, `page ${number}`);
export const freePlacesPlace = (mint: string): Uint8Array => ofTree(mint, 'free places');
export const ownersPlace = (mint: string, vault: string, part: number): Uint8Array =>
  ofTree(mint, `owners ${part} of ${vault}`);

/**
 * Number of leaves u16 ‖ amounts ‖ the rest compressed. Encryption does not hide how long something is, and how well amounts compress tells how much
 * they differ; what stands beside them hardly differs and says nothing that is not public.
 */
function pack(what: Buffer): Buffer {
  const count = what.length / WHAT_BYTES;
  const [amountsAt, restAt] = [count, count * (1 + NUMBER_BYTES)];
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16LE(count);
  const rest = Buffer.concat([what.subarray(0, amountsAt), what.subarray(restAt)]);
  return Buffer.concat([head, what.subarray(amountsAt, restAt), deflateRawSync(rest, FAST)]);
}

function unpack(packed: Buffer): Buffer {
  const count = packed.readUInt16LE();
  const restAt = HEAD_BYTES + count * NUMBER_BYTES;
  const rest = inflateRawSync(packed.subarray(restAt));
  return Buffer.concat([rest.subarray(0, count), packed.subarray(HEAD_BYTES, restAt), rest.subarray(count)]);
}

/** Encrypts a withdrawals tree with the key of its token's liabilities tree; `number` is the recording that it is stored with. */
export const sealWithdrawals = (
  key: Uint8Array,
  content: Uint8Array,
  at: { mint: string; number: bigint },
): Uint8Array => encrypt(key, content, chunkPlace({ ...at, ...WITHDRAWALS }));

/** Decrypts a withdrawals tree. Throws `DecryptionFailed`. */
export const openWithdrawals = (key: Uint8Array, sealed: Uint8Array, at: { mint: string; number: bigint }): Buffer =>
  Buffer.from(decrypt(key, sealed, chunkPlace({ ...at, ...WITHDRAWALS })));

/**
 * Encrypts a part of a chunk's entries with the tree's own key: `who` has their owners and schedules, one after the other, `what` all of their kinds,
 * then all amounts, numbers and versions.
 */
export function sealLiabilityChunk(key: Uint8Array, entries: Buffer, place: ChunkPlace): Uint8Array {
  const count = entries.length / ENTRY_BYTES;
  const part = Buffer.alloc(count * (place.part === 'who' ? WHO_BYTES : WHAT_BYTES));
  for (let at = 0; at < count; at++) {
    const from = at * ENTRY_BYTES;
    if (place.part === 'who') {
      for (let byte = 0; byte < WHO_BYTES; byte++)
        part[at * WHO_BYTES + byte] = entries[from + WHO_AT + byte] as number;
      continue;
    }
    part[at] = entries[from] as number;
    for (let byte = 0; byte < NUMBERS * NUMBER_BYTES; byte++) {
      part[columnOf(count, at, byte)] = entries[from + NUMBERS_AT + byte] as number;
    }
  }
  return encrypt(key, place.part === 'who' ? part : pack(part), chunkPlace(place));
}

/** Where a byte of the numbers of the leaf at a place stands in `what` of so many leaves. */
const columnOf = (count: number, at: number, byte: number): number =>
  count + (byte >> 3) * count * NUMBER_BYTES + at * NUMBER_BYTES + (byte & 7);

/** Decrypts one part. Throws `DecryptionFailed`. */
export function openLiabilityChunk(key: Uint8Array, sealed: Uint8Array, place: ChunkPlace): Buffer {
  const part = Buffer.from(decrypt(key, sealed, chunkPlace(place)));
  return place.part === 'who' ? part : unpack(part);
}

/** The entries of a chunk whose parts these are. */
export function joinLiabilityChunk(who: Buffer, what: Buffer): Buffer {
  const count = what.length / WHAT_BYTES;
  const entries = Buffer.alloc(count * ENTRY_BYTES);
  for (let at = 0; at < count; at++) {
    const from = at * ENTRY_BYTES;
    entries[from] = what[at] as number;
    for (let byte = 0; byte < WHO_BYTES; byte++) entries[from + WHO_AT + byte] = who[at * WHO_BYTES + byte] as number;
    for (let byte = 0; byte < NUMBERS * NUMBER_BYTES; byte++) {
      entries[from + NUMBERS_AT + byte] = what[columnOf(count, at, byte)] as number;
    }
  }
  return entries;
}
