import { addressFromBytes, HASH_BYTES, isSameBytes, type LiabilityProof, MerkleTree, nextTurn } from '@payouts/client';
import type { Address } from '@solana/kit';
import { LRUCache } from 'lru-cache';
import { Blinds, ENTRY_BYTES, entryHashInto, kindAt, leafOf, readEntry } from '../domain/liability.ts';
import { pageOfPlace, slotOfPlace } from '../domain/places.ts';
import type { BaseLedger } from '../ledger/ledger.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import {
  CHUNKS_AT_A_TIME,
  type ChunkHash,
  findRecording,
  findTreeKey,
  openChunks,
  readChunkHashes,
  type StoredTree,
} from '../store/queries/liabilities.ts';
import type { Db } from '../store/schema.ts';
import { CHUNK_LEAVES } from './book.ts';
import { readPool } from './reader.ts';

/** Chunks of which something is remembered, of all tokens' trees: some 16 MB. The longest unused trees give way. */
const MOST_REMEMBERED = 262_144;

export type RecordedTreesInput = {
  readonly base: BaseLedger;
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly program: Address;
};

/** The tree of a token that the base ledger has recorded last, where it is stored. */
export type RecordedTree = {
  readonly stored: StoredTree & { readonly mint: Address };
  readonly sequence: bigint;
  readonly root: Uint8Array;
  readonly leaves: number;
  readonly blinds: Blinds;
};

/** Whose leaves are asked for: an owner and the place of the balance as far as it is known, or a schedule. */
export type WantedLeaves = ReadonlyMap<Address, number | undefined>;

/** Places of a chunk's windows and withdrawals by schedule and owner, as of the recording that the chunk was stored with. */
type MovedPlaces = { readonly number: string; readonly places: ReadonlyMap<Address, readonly number[]> };

/** What lies above a tree's chunks, and where its windows and withdrawals are; balances keep their places. */
type Top = { readonly tree: MerkleTree; readonly moved: ReadonlyMap<number, MovedPlaces> };

/** What the base ledger has recorded last of a token; undefined if this database does not have that tree. */
export async function findRecorded(
  { base, database, payloadKeys, program }: RecordedTreesInput,
  mint: Address,
): Promise<RecordedTree | undefined> {
  const { sequence, liabilitiesRoot, liabilityLeaves: leaves } = await readPool(base, mint, program);
  const root = Uint8Array.from(liabilitiesRoot as Uint8Array);
  const found = await findRecording(database, mint, sequence, Buffer.from(root).toString('hex'));
  const tree = await findTreeKey(database, mint, payloadKeys);
  if (found === undefined || tree === undefined) return undefined;
  const { key, seed } = tree;
  return {
    stored: { mint, number: BigInt(found.number), key },
    sequence,
    root,
    leaves,
    blinds: new Blinds(seed, mint),
  };
}

/**
 * Proofs of single leaves, without building a token's whole tree for each: of a recording that was asked for before only the leaf's chunk
 * is read and hashed. A chunk has a power of two of leaves, so the node above them is stored with it. Private: nothing of it is for a log.
 */
export class RecordedTrees {
  /** By token: of the recording that was asked for last. */
  readonly #tops = new LRUCache<Address, { readonly number: bigint; readonly top: Promise<Top> }>({
    maxSize: MOST_REMEMBERED,
  });

  /** Payouts need the processor most: one at a time, however many recipients ask. */
  readonly #turns = new Semaphore(1);

  constructor(private readonly input: RecordedTreesInput) {}

  /**
   * The leaves of a token that are wanted, and their proofs: of an owner the balance and its withdrawals under way, of a schedule the open
   * window. Throws `RunError` when the base ledger can't be read; `WrongPayloadKey` or `DecryptionFailed` when the database can't, or
   * does not rebuild the root.
   */
  async proofs(mint: Address, wanted: WantedLeaves): Promise<Map<Address, LiabilityProof[]>> {
    const recorded = await findRecorded(this.input, mint);
    return recorded === undefined ? new Map() : this.proofsIn(recorded, wanted);
  }

  /** The same in a recording that was found before. */
  proofsIn(recorded: RecordedTree, wanted: WantedLeaves): Promise<Map<Address, LiabilityProof[]>> {
    return this.#turns.within(1, () => this.#prove(recorded, wanted));
  }

  async #prove(recorded: RecordedTree, wanted: WantedLeaves): Promise<Map<Address, LiabilityProof[]>> {
    const { stored, sequence, root, leaves } = recorded;
    const top = await this.#top(recorded);
    const places = placesOf(wanted, top, leaves);
    const found = new Map<Address, LiabilityProof[]>();
    const chunks = [...new Set([...places.keys()].map(pageOfPlace))];
    if (chunks.length === 0) return found;
    for await (const { chunk, entries } of openChunks(this.input.database, stored, chunks)) {
      const tree = treeOf(chunk, entries, recorded.blinds);
      if (!isSameBytes(tree.root, top.tree.leaf(chunk))) throw notRebuilt();
      for (const [index, address] of places) {
        if (pageOfPlace(index) !== chunk) continue;
        const entry = readEntry(entries, slotOfPlace(index) * ENTRY_BYTES);
        // A place may have been given anew since, or to nobody yet.
        if (addressFromBytes(entry.who) !== address) continue;
        const leaf = leafOf(entry, index, recorded.blinds);
        const proof = [...tree.proof(slotOfPlace(index)), ...top.tree.proof(chunk)];
        const { mint } = stored;
        found.set(address, [...(found.get(address) ?? []), { mint, sequence, root, leaves, leaf, proof }]);
      }
      await nextTurn();
    }
    return found;
  }

  #top(recorded: RecordedTree): Promise<Top> {
    const { stored, leaves } = recorded;
    const known = this.#tops.get(stored.mint);
    if (known?.number === stored.number) return known.top;
    const top = this.#build(recorded, known?.top);
    this.#tops.set(stored.mint, { number: stored.number, top }, { size: Math.ceil(leaves / CHUNK_LEAVES) + 1 });
    top.catch(() => this.#tops.delete(stored.mint));
    return top;
  }

  async #build({ stored, root, leaves }: RecordedTree, former: Promise<Top> | undefined): Promise<Top> {
    const { database } = this.input;
    const before = (await former?.catch(() => undefined))?.moved;
    const chunks = (await readChunkHashes(database, stored)).slice(0, Math.ceil(leaves / CHUNK_LEAVES));
    const hashes = Uint8Array.from(Buffer.concat(chunks.map(({ hash }) => hash)));
    if (hashes.length !== Math.ceil(leaves / CHUNK_LEAVES) * HASH_BYTES || hashes.length === 0) throw notRebuilt();
    const tree = await MerkleTree.build(hashes);
    if (!isSameBytes(tree.root, root)) throw notRebuilt();
    const moved = new Map<number, MovedPlaces>();
    const changed: ChunkHash[] = [];
    for (const each of chunks) {
      if (each.isBalances) continue;
      const same = before?.get(each.chunk);
      if (same?.number === each.number) moved.set(each.chunk, same);
      else changed.push(each);
    }
    for (let first = 0; first < changed.length; first += CHUNKS_AT_A_TIME) {
      const some = new Map(changed.slice(first, first + CHUNKS_AT_A_TIME).map(({ chunk, number }) => [chunk, number]));
      for await (const { chunk, entries } of openChunks(database, stored, [...some.keys()])) {
        moved.set(chunk, { number: some.get(chunk) as string, places: movedIn(chunk, entries) });
        await nextTurn();
      }
    }
    return { tree, moved };
  }
}

const notRebuilt = () => new DecryptionFailed('The stored liabilities tree does not rebuild its root.');

/** The places where leaves that are wanted may be, in order, and whose they are. */
function placesOf(wanted: WantedLeaves, { moved }: Top, leaves: number): ReadonlyMap<number, Address> {
  const places: [number, Address][] = [];
  for (const [address, place] of wanted) {
    if (place !== undefined && place < leaves) places.push([place, address]);
    for (const chunk of moved.values()) {
      for (const index of chunk.places.get(address) ?? []) places.push([index, address]);
    }
  }
  return new Map(places.sort(([one], [other]) => one - other));
}

/** Where a chunk's windows and withdrawals are. */
function movedIn(chunk: number, entries: Buffer): Map<Address, number[]> {
  const places = new Map<Address, number[]>();
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const kind = kindAt(entries, at);
    if (kind !== 'window' && kind !== 'withdrawal') continue;
    const address = addressFromBytes(readEntry(entries, at).who);
    places.set(address, [...(places.get(address) ?? []), chunk * CHUNK_LEAVES + at / ENTRY_BYTES]);
  }
  return places;
}

/** The tree over a chunk's leaves. */
function treeOf(chunk: number, entries: Buffer, blinds: Blinds): MerkleTree {
  const hashes: Uint8Array[] = [];
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const hash = new Uint8Array(HASH_BYTES);
    entryHashInto(entries, at, chunk * CHUNK_LEAVES + hashes.length, blinds, hash, 0);
    hashes.push(hash);
  }
  return new MerkleTree(hashes);
}
