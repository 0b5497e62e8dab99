import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
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

/** An entry's owner or schedule, which stands between its kind and its numbers. */
const WHO_AT = 1;
const WHO_BYTES = 32;
const WHAT_BYTES = ENTRY_BYTES - WHO_BYTES;
/** An entry's amount, which comes after its kind once that is taken out. */
const AMOUNT_AT = 1;
const AMOUNT_BYTES = 8;
/** Begins a part whose amounts stand as they are; what was compressed whole, as by earlier versions, never begins so. */
const AMOUNTS_APART = 0xff;
/** That byte, and the number of leaves u16. */
const HEAD_BYTES = 3;

/** Where a withdrawals tree is kept among the chunks of the liabilities tree. */
export const WITHDRAWALS = { chunk: 0, part: 'withdrawals' } as const;

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

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
 * 0xff ‖ number of leaves u16 ‖ amounts ‖ the rest compressed. Encryption does not hide how long something is, and how well amounts compress tells how much
 * they differ; what stands beside them hardly differs and says nothing that is not public.
 */
async function pack(what: Buffer): Promise<Buffer> {
  const count = what.length / WHAT_BYTES;
  const amounts = Buffer.alloc(count * AMOUNT_BYTES);
  const rest = Buffer.from(what);
  for (let at = 0; at < count; at++) {
    const from = at * WHAT_BYTES + AMOUNT_AT;
    what.copy(amounts, at * AMOUNT_BYTES, from, from + AMOUNT_BYTES);
    rest.fill(0, from, from + AMOUNT_BYTES);
  }
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = AMOUNTS_APART;
  head.writeUInt16LE(count, 1);
  return Buffer.concat([head, amounts, await compress(rest)]);
}

async function unpack(packed: Buffer): Promise<Buffer> {
  if (packed[0] !== AMOUNTS_APART) return decompress(packed);
  const count = packed.readUInt16LE(1);
  const restAt = HEAD_BYTES + count * AMOUNT_BYTES;
  const what = await decompress(packed.subarray(restAt));
  const amounts = packed.subarray(HEAD_BYTES, restAt);
  for (let at = 0; at < count; at++) {
    what.set(amounts.subarray(at * AMOUNT_BYTES, (at + 1) * AMOUNT_BYTES), at * WHAT_BYTES + AMOUNT_AT);
  }
  return what;
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

/** Encrypts a part of a chunk's entries with the tree's own key. */
export async function sealLiabilityChunk(key: Uint8Array, entries: Buffer, place: ChunkPlace): Promise<Uint8Array> {
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
  return encrypt(key, place.part === 'who' ? part : await pack(part), chunkPlace(place));
}

/** Decrypts one part. Throws `DecryptionFailed`. */
export async function openLiabilityChunk(key: Uint8Array, sealed: Uint8Array, place: ChunkPlace): Promise<Buffer> {
  const part = Buffer.from(decrypt(key, sealed, chunkPlace(place)));
  return place.part === 'who' ? part : unpack(part);
}

/** The entries of a chunk whose parts these are. */
export function joinLiabilityChunk(who: Buffer, what: Buffer): Buffer {
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
