import { leafHashes, leafTerms, MerkleTree, nextTurn } from '@payouts/client';
import { LRUCache } from 'lru-cache';
import { BLOCK_RECIPIENTS } from '../domain/listRecords.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { type ListRow, openBlocks } from '../store/queries/lists.ts';
import type { Db } from '../store/schema.ts';

/** Lists whose parts' roots are remembered, some 700 bytes each; the longest unused give way. */
const REMEMBERED = 1_000;

/** Where lists are read from. */
export type ListSource = { readonly database: Db; readonly payloadKeys: PayloadKeys };

/**
 * Proofs of single entries, without building a list's whole tree for each: of a list that was asked for before only the entry's
 * block is read and hashed. A block has a power of two of leaves, so its root is a node of the whole tree.
 */
export class ListProofs {
  readonly #tops = new LRUCache<number, Promise<MerkleTree>>({ max: REMEMBERED });

  constructor(private readonly source: ListSource) {}

  /**
   * The proofs of entries `first` to `first + count` against the list's root. Throws `WrongPayloadKey`, or `DecryptionFailed` for
   * a list that does not rebuild its root.
   */
  async of(list: ListRow, first: number, count: number): Promise<Uint8Array[][]> {
    const top = await this.#top(list);
    const proofs: Uint8Array[][] = [];
    while (proofs.length < count) {
      const index = first + proofs.length;
      const part = Math.floor(index / BLOCK_RECIPIENTS);
      const tree = await this.#part(list, part);
      const above = top.proof(part);
      const end = Math.min(first + count, (part + 1) * BLOCK_RECIPIENTS);
      for (let at = index; at < end; at++) proofs.push([...tree.proof(at - part * BLOCK_RECIPIENTS), ...above]);
      await nextTurn();
    }
    return proofs;
  }

  async #part(list: ListRow, part: number): Promise<MerkleTree> {
    const { database, payloadKeys } = this.source;
    for await (const { number, block } of openBlocks(database, list, payloadKeys, part)) return treeOf(number, block);
    throw new DecryptionFailed('The list has no such part.');
  }

  #top(list: ListRow): Promise<MerkleTree> {
    const known = this.#tops.get(list.id);
    if (known !== undefined) return known;
    const top = this.#build(list);
    this.#tops.set(list.id, top);
    top.catch(() => this.#tops.delete(list.id));
    return top;
  }

  async #build(list: ListRow): Promise<MerkleTree> {
    const { database, payloadKeys } = this.source;
    const roots: Uint8Array[] = [];
    for await (const { number, block } of openBlocks(database, list, payloadKeys)) {
      roots.push((await treeOf(number, block)).root);
      await nextTurn();
    }
    const top = new MerkleTree(roots);
    if (Buffer.from(top.root).toString('hex') === list.root) return top;
    throw new DecryptionFailed('The list does not rebuild its root.');
  }
}

/** The tree over a block's leaves. */
function treeOf(number: number, block: Uint8Array): Promise<MerkleTree> {
  return MerkleTree.build(leafHashes(number * BLOCK_RECIPIENTS, leafTerms(block)));
}
