import { createHash } from 'node:crypto';
import { getAddressEncoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  LEAF_RECORD_BYTES,
  type Leaf,
  leafHash,
  leafHashes,
  leafTerms,
  MAX_LEAVES,
  MerkleTree,
  nodeHash,
  termsOfLeaf,
  verifyRange,
} from '../src/index.ts';
import { codeOf, randomLeaves, rangeIn } from './support.ts';

const LEAVES = randomLeaves(600);
const HASHES = LEAVES.map(leafHash);
const TREES = new Map<number, MerkleTree>();
const treeOf = (leafCount: number): MerkleTree => {
  const tree = TREES.get(leafCount) ?? new MerkleTree(HASHES.slice(0, leafCount));
  TREES.set(leafCount, tree);
  return tree;
};
const sha256 = (...parts: Uint8Array[]) => new Uint8Array(createHash('sha256').update(Buffer.concat(parts)).digest());

describe('leaf and node', () => {
  it('hash the bytes of the contract', () => {
    const leaf: Leaf = { ...(LEAVES[5] as Leaf), index: 0x012345, amount: 2n ** 63n + 5n, delivery: 'wallet' };
    const halves = sha256(Uint8Array.of(8), leaf.salt);
    const [opening, blind] = [halves.subarray(0, 16), halves.subarray(16)];
    const owner = sha256(Uint8Array.of(2, 1), Buffer.from(getAddressEncoder().encode(leaf.recipient)), opening);
    const bytes = Buffer.alloc(61);
    bytes.writeUInt32LE(leaf.index, 1);
    bytes.set(owner, 5);
    bytes.writeBigUInt64LE(leaf.amount, 37);
    bytes.set(blind, 45);
    expect(Buffer.from(leafHash(leaf))).toEqual(Buffer.from(sha256(bytes)));
    const [left, right] = HASHES as [Uint8Array, Uint8Array];
    expect(Buffer.from(nodeHash(left, right))).toEqual(Buffer.from(sha256(Uint8Array.of(1), left, right)));
  });

  it('carries the odd last node up unchanged', () => {
    const [a, b, c] = HASHES as [Uint8Array, Uint8Array, Uint8Array];
    expect(treeOf(1).root).toEqual(new Uint8Array(a));
    expect(Buffer.from(treeOf(3).root)).toEqual(Buffer.from(nodeHash(nodeHash(a, b), c)));
  });

  it('refuses leaves that do not fit', () => {
    const leaf = LEAVES[0] as Leaf;
    expect(codeOf(() => leafHash({ ...leaf, index: MAX_LEAVES }))).toBe('INVALID_LEAF');
    expect(codeOf(() => leafHash({ ...leaf, amount: 2n ** 64n }))).toBe('INVALID_LEAF');
    expect(codeOf(() => leafHash({ ...leaf, amount: -1n }))).toBe('INVALID_LEAF');
    expect(codeOf(() => leafHash({ ...leaf, salt: new Uint8Array(15) }))).toBe('INVALID_LEAF');
    expect(codeOf(() => new MerkleTree([]))).toBe('INVALID_LEAF_COUNT');
  });
});

describe('trees of hashes that stand one after the other', () => {
  it.each([1, 2, 3, 33, 600])(
    'are the same, and are built while the event loop turns: %i leaves',
    async (leafCount) => {
      const tree = await MerkleTree.build(new Uint8Array(Buffer.concat(HASHES.slice(0, leafCount))));
      expect(tree.root).toEqual(treeOf(leafCount).root);
      expect(tree.leafCount).toBe(leafCount);
      expect(tree.proof(leafCount - 1)).toEqual(treeOf(leafCount).proof(leafCount - 1));
    },
  );

  it('refuse too few and too many', async () => {
    await expect(MerkleTree.build(new Uint8Array())).rejects.toMatchObject({ code: 'INVALID_LEAF_COUNT' });
    const tooMany = new Uint8Array((MAX_LEAVES + 1) * 32);
    await expect(MerkleTree.build(tooMany)).rejects.toMatchObject({ code: 'INVALID_LEAF_COUNT' });
  });

  it('hash leaves from their records as from their fields', () => {
    const recordOf = ({ recipient, amount, delivery, salt }: Leaf): Buffer => {
      const record = Buffer.alloc(LEAF_RECORD_BYTES);
      record.set(getAddressEncoder().encode(recipient));
      record.writeBigUInt64LE(amount, 32);
      record[40] = delivery === 'wallet' ? 1 : 0;
      record.set(salt, 41);
      return record;
    };
    fc.assert(
      fc.property(fc.nat(LEAVES.length - 1), fc.integer({ min: 1, max: 9 }), fc.nat(20), (first, count, from) => {
        const leaves = LEAVES.slice(first, first + count);
        const records = Buffer.concat([Buffer.alloc(from), ...leaves.map(recordOf)]).subarray(from);
        const expected = Buffer.concat(HASHES.slice(first, first + count));
        const terms = leafTerms(records);
        expect(Buffer.from(terms)).toEqual(Buffer.concat(leaves.map(termsOfLeaf)));
        expect(Buffer.from(leafHashes(first, terms))).toEqual(expected);
        // Wherever they stand.
        const apart = Buffer.concat([Buffer.alloc(from), terms]).subarray(from);
        expect(Buffer.from(leafHashes(first, apart))).toEqual(expected);
      }),
    );
  });

  it('build the same over hashes wherever they stand', async () => {
    for (const from of [0, 1, 2, 3, 4]) {
      const hashes = Buffer.concat([Buffer.alloc(from), ...HASHES.slice(0, 33)]).subarray(from);
      expect((await MerkleTree.build(hashes)).root).toEqual(new MerkleTree(HASHES.slice(0, 33)).root);
    }
  });

  it('compare proofs of single leaves with their own', () => {
    fc.assert(
      fc.property(rangeIn(600), fc.nat(), ({ leafCount, start }, pick) => {
        const tree = treeOf(leafCount);
        const hashes = tree.proof(start);
        const proof = new Uint8Array(Buffer.concat([Buffer.alloc(5), ...hashes, Buffer.alloc(32)]));
        expect(tree.proofDifference(start, proof, 5, hashes.length)).toBe(undefined);
        expect(tree.proofDifference(start, proof, 5, hashes.length + 1)).toBe(hashes.length);
        if (hashes.length === 0) return;
        expect(tree.proofDifference(start, proof, 5, hashes.length - 1)).toBe(hashes.length - 1);
        const place = pick % hashes.length;
        proof[5 + place * 32 + 31] = (proof[5 + place * 32 + 31] as number) ^ 1;
        expect(tree.proofDifference(start, proof, 5, hashes.length)).toBe(place);
      }),
    );
  });
});

describe('range proofs', () => {
  it('rebuild the root for every range', () => {
    fc.assert(
      fc.property(rangeIn(600), ({ leafCount, start, count }) => {
        const tree = treeOf(leafCount);
        const proof = tree.rangeProof(start, count);
        const leafHashes = HASHES.slice(start, start + count);
        expect(verifyRange({ root: tree.root, leafCount, start, leafHashes, proof })).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('verify every single leaf of small trees', () => {
    for (let leafCount = 1; leafCount <= 33; leafCount++) {
      const tree = treeOf(leafCount);
      for (let index = 0; index < leafCount; index++) {
        const claim = { root: tree.root, leafCount, start: index, leafHashes: [tree.leaf(index)] };
        expect(verifyRange({ ...claim, proof: tree.proof(index) })).toBe(true);
      }
    }
  });

  it('refuse a changed field of any leaf', () => {
    const changes: ((leaf: Leaf) => Leaf)[] = [
      (leaf) => ({ ...leaf, index: leaf.index + 1 }),
      (leaf) => ({ ...leaf, amount: leaf.amount + 1n }),
      (leaf) => ({ ...leaf, recipient: (LEAVES[(leaf.index + 1) % LEAVES.length] as Leaf).recipient }),
      (leaf) => ({ ...leaf, delivery: leaf.delivery === 'balance' ? 'wallet' : 'balance' }),
      (leaf) => ({ ...leaf, salt: leaf.salt.map((byte, place) => (place === 0 ? byte ^ 1 : byte)) }),
    ];
    fc.assert(
      fc.property(rangeIn(600), fc.nat(), fc.constantFrom(...changes), ({ leafCount, start, count }, pick, change) => {
        const tree = treeOf(leafCount);
        const leaves = LEAVES.slice(start, start + count);
        const changed = pick % count;
        const leafHashes = leaves.map((leaf, place) => leafHash(place === changed ? change(leaf) : leaf));
        const proof = tree.rangeProof(start, count);
        expect(verifyRange({ root: tree.root, leafCount, start, leafHashes, proof })).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('refuse leaves in another order or place', () => {
    fc.assert(
      fc.property(rangeIn(600), ({ leafCount, start, count }) => {
        const tree = treeOf(leafCount);
        const proof = tree.rangeProof(start, count);
        const leafHashes = HASHES.slice(start, start + count);
        if (count > 1) {
          const reversed = [...leafHashes].reverse();
          expect(verifyRange({ root: tree.root, leafCount, start, leafHashes: reversed, proof })).toBe(false);
        }
        if (start + count < leafCount) {
          expect(verifyRange({ root: tree.root, leafCount, start: start + 1, leafHashes, proof })).toBe(false);
        }
      }),
    );
  });

  it('refuse a missing, surplus, changed or short hash', () => {
    fc.assert(
      fc.property(rangeIn(600), fc.nat(), ({ leafCount, start, count }, pick) => {
        const tree = treeOf(leafCount);
        const proof = tree.rangeProof(start, count);
        const leafHashes = HASHES.slice(start, start + count);
        const verify = (other: Uint8Array[]) =>
          verifyRange({ root: tree.root, leafCount, start, leafHashes, proof: other });
        expect(verify([...proof, HASHES[0] as Uint8Array])).toBe(false);
        if (proof.length === 0) return;
        const place = pick % proof.length;
        expect(verify(proof.toSpliced(place, 1))).toBe(false);
        expect(verify(proof.with(place, nodeHash(HASHES[0] as Uint8Array, HASHES[0] as Uint8Array)))).toBe(false);
        expect(verify(proof.with(place, new Uint8Array(31)))).toBe(false);
      }),
    );
  });

  it('throw for ranges outside the tree', () => {
    const tree = treeOf(10);
    for (const [start, count] of [
      [-1, 1],
      [0, 0],
      [10, 1],
      [5, 6],
      [0.5, 1],
    ] as const) {
      expect(codeOf(() => tree.rangeProof(start, count))).toBe('INVALID_RANGE');
    }
    const claim = { root: tree.root, start: 0, leafHashes: HASHES.slice(0, 1), proof: [] };
    expect(codeOf(() => verifyRange({ ...claim, leafCount: 0 }))).toBe('INVALID_LEAF_COUNT');
    expect(codeOf(() => verifyRange({ ...claim, leafCount: MAX_LEAVES + 1 }))).toBe('INVALID_LEAF_COUNT');
  });
});
