import { HASH_BYTES, type MerkleTree, nextTurn, verifyRange } from '@payouts/client';
import { BLOCK_RECIPIENTS } from '../domain/listRecords.ts';
import { Problem } from '../domain/problems.ts';
import { writeHex } from './digits.ts';
import { type EntrySpans, HASH_DIGITS, MAX_PROOF_HASHES } from './entrySpans.ts';

/** How many hashes plus one, so that zero is no proof; then the hashes. */
const PROOF_BYTES = 1 + MAX_PROOF_HASHES * HASH_BYTES;
/** Proofs compared, and proofs hashed, between two turns of the event loop: a few milliseconds. */
const COMPARED = 2_048;
const HASHED = 128;

/** The proofs that came with a list. Private: for no log, metric or error. */
export class Proofs {
  readonly #blocks: (Uint8Array | undefined)[] = [];

  /** Keeps an entry's proof; false if a hash is not 64 hexadecimal digits. */
  add({ index, bytes, hash, hashes }: EntrySpans): boolean {
    const number = Math.floor(index / BLOCK_RECIPIENTS);
    this.#blocks[number] ??= new Uint8Array(BLOCK_RECIPIENTS * PROOF_BYTES);
    const block = this.#blocks[number];
    let offset = (index % BLOCK_RECIPIENTS) * PROOF_BYTES;
    block[offset++] = 1 + hashes;
    for (let place = 0; place < hashes; place++, offset += HASH_BYTES) {
      const from = hash[place] as number;
      if (!writeHex(bytes, from, from + HASH_DIGITS, block, offset, HASH_BYTES)) return false;
    }
    return true;
  }

  /** Compares all with the tree that was rebuilt; nothing is hashed. Throws `proof-mismatch` for the first that differs. */
  async compare(tree: MerkleTree): Promise<void> {
    let compared = 0;
    for (const { index, block, start, hashes } of this.#each()) {
      if (++compared % COMPARED === 0) await nextTurn();
      const level = tree.proofDifference(index, block, start, hashes);
      if (level === undefined) continue;
      const detail = `Entry ${index}: its proof differs from the list's tree at hash ${level}.`;
      throw new Problem('proof-mismatch', detail, { index, level });
    }
  }

  /** Verifies each leaf with its proof against another root. Throws `proof-mismatch` for the first that does not verify. */
  async verify(tree: MerkleTree, root: Uint8Array): Promise<void> {
    const { leafCount } = tree;
    let verified = 0;
    for (const { index, block, start, hashes } of this.#each()) {
      if (++verified % HASHED === 0) await nextTurn();
      const proof = Array.from({ length: hashes }, (_, place) =>
        block.subarray(start + place * HASH_BYTES, start + (place + 1) * HASH_BYTES),
      );
      if (verifyRange({ root, leafCount, start: index, leafHashes: [tree.leaf(index)], proof })) continue;
      const detail = `Entry ${index}: it does not verify with its proof against the root on the ledger.`;
      throw new Problem('proof-mismatch', detail, { index });
    }
  }

  /** In order of index. */
  *#each(): Generator<{ index: number; block: Uint8Array; start: number; hashes: number }> {
    for (const [number, block] of this.#blocks.entries()) {
      if (block === undefined) continue;
      for (let place = 0; place < BLOCK_RECIPIENTS; place++) {
        const start = place * PROOF_BYTES + 1;
        const hashes = (block[start - 1] as number) - 1;
        if (hashes >= 0) yield { index: number * BLOCK_RECIPIENTS + place, block, start, hashes };
      }
    }
  }
}
