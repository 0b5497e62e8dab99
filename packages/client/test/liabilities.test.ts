import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressFromBytes,
  addressToBytes,
  ClientError,
  type LiabilityBalanceLeaf,
  type LiabilityLeaf,
  LiabilityTree,
  type LiabilityWindowLeaf,
  liabilityLeafHash,
  liabilityRecordHash,
  MerkleTree,
  verifyLiabilityInclusion,
} from '../src/index.ts';

const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest();
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const owner = hash('owner');
const schedule = addressFromBytes(hash('schedule'));
const blind = hash('blind').subarray(0, 16);

const balance: LiabilityBalanceLeaf = {
  kind: 'balance',
  index: 70_000,
  owner,
  amount: 2n ** 63n,
  number: 0n,
  blind,
};
const window: LiabilityWindowLeaf = { kind: 'window', index: 3, schedule, window: 12n, paid: 77n, blind };

describe('liability leaves', () => {
  it('are hashed as the wire contract says', () => {
    const bytesOf = (...parts: (Uint8Array | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));
    for (const number of [0n, 9n]) {
      const bytes = bytesOf([4], u32(70_000), owner, u64(2n ** 63n), u64(number), blind);
      const leaf = { ...balance, number };
      expect(Buffer.from(liabilityLeafHash(leaf))).toEqual(createHash('sha256').update(bytes).digest());
    }
    const ofWindow = bytesOf([5], u32(3), addressToBytes(schedule), u64(12n), u64(77n), blind);
    expect(Buffer.from(liabilityLeafHash(window))).toEqual(createHash('sha256').update(ofWindow).digest());
  });

  it.each<[string, LiabilityLeaf]>([
    ['a negative amount', { ...balance, amount: -1n }],
    ['a number beyond 64 bits', { ...balance, number: 2n ** 64n }],
    ['an index beyond 32 bits', { ...window, index: 2 ** 32 }],
    ['a fraction for an index', { ...window, index: 0.5 }],
    ['a short blind', { ...window, blind: blind.subarray(1) }],
    ['a short owner', { ...balance, owner: owner.subarray(1) }],
  ])('refuse %s', (_, leaf) => {
    expect(() => liabilityLeafHash(leaf)).toThrow(ClientError);
  });

  it('are hashed from records as from their fields', () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const leaves = fc.record({
      owner: bytes32,
      amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      blind: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    });
    const places = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(leaves, places, fc.nat(40), ({ owner, amount, number, blind }, index, from) => {
        const records = Buffer.concat([Buffer.alloc(from, 9), owner, u64(amount), u64(number), Buffer.alloc(5, 9)]);
        const leaf: LiabilityLeaf = { kind: 'balance', index, owner, amount, number, blind };
        expect(Buffer.from(liabilityRecordHash(index, records, from, blind))).toEqual(
          Buffer.from(liabilityLeafHash(leaf)),
        );
      }),
    );
  });
});

describe('LiabilityTree', () => {
  it('has 32 zero bytes for a root while it is empty', () => {
    const tree = new LiabilityTree();
    expect(tree.root).toEqual(new Uint8Array(32));
    tree.push(hash('a'));
    tree.pop();
    expect(tree.leafCount).toBe(0);
    expect(tree.root).toEqual(new Uint8Array(32));
  });

  it('refuses leaves that are not there, and hashes of another size', () => {
    const tree = new LiabilityTree();
    expect(() => tree.pop()).toThrow(ClientError);
    expect(() => tree.leaf(0)).toThrow(ClientError);
    tree.push(hash('a'));
    expect(() => tree.set(1, hash('b'))).toThrow(ClientError);
    expect(() => tree.proof(-1)).toThrow(ClientError);
    expect(() => tree.set(0, new Uint8Array(31))).toThrow(ClientError);
  });

  it('asks for the hashes of leaves that were added as a range when they are needed, and of no other', () => {
    const tree = new LiabilityTree();
    const asked: number[] = [];
    tree.push(hash('first'));
    tree.extend(4, (index) => {
      asked.push(index);
      return hash(`leaf ${index}`);
    });
    tree.set(2, hash('set'));
    expect(asked).toEqual([]);
    expect(tree.root).toEqual(new MerkleTree(['first', 'leaf 1', 'set', 'leaf 3', 'leaf 4'].map(hash)).root);
    tree.set(3, hash('later'));
    expect(tree.leaf(4)).toEqual(Uint8Array.from(hash('leaf 4')));
    expect(asked).toEqual([1, 3, 4]);
  });

  const edits = fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant('push' as const), count: fc.integer({ min: 1, max: 9 }) }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), count: fc.nat(1_000) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('pop' as const), count: fc.integer({ min: 1, max: 9 }) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), count: fc.nat(1_000) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('extend' as const), count: fc.nat(9) }) },
    ),
    { maxLength: 60 },
  );

  it("equals a list's tree of the same leaves after any edits", () => {
    fc.assert(
      fc.property(edits, (script) => {
        const tree = new LiabilityTree();
        const leaves: Uint8Array[] = [];
        let fresh = 0;
        const compare = (place: number) => {
          expect(tree.leafCount).toBe(leaves.length);
          if (leaves.length === 0) return expect(tree.root).toEqual(new Uint8Array(32));
          const list = new MerkleTree(leaves);
          const index = place % leaves.length;
          expect(Buffer.from(tree.root)).toEqual(Buffer.from(list.root));
          expect(tree.proof(index).map((each) => Buffer.from(each))).toEqual(
            list.proof(index).map((each) => Buffer.from(each)),
          );
          expect(Buffer.from(tree.leaf(index))).toEqual(Buffer.from(leaves[index] as Uint8Array));
        };
        for (const { kind, count } of script) {
          if (kind === 'look') compare(count);
          else if (kind === 'extend') {
            const [first, leaf] = [leaves.length, hash(`leaf ${fresh++}`)];
            for (let times = 0; times < count; times++) leaves.push(leaf);
            tree.extend(count, (index) => {
              expect(index).toBeGreaterThanOrEqual(first);
              return leaf;
            });
          } else if (kind === 'set') {
            if (leaves.length === 0) continue;
            const leaf = hash(`leaf ${fresh++}`);
            leaves[count % leaves.length] = leaf;
            tree.set(count % leaves.length, leaf);
          } else {
            for (let times = 0; times < count; times++) {
              if (kind === 'push') {
                const leaf = hash(`leaf ${fresh++}`);
                expect(tree.push(leaf)).toBe(leaves.length);
                leaves.push(leaf);
              } else if (leaves.length > 0) {
                leaves.pop();
                tree.pop();
              }
            }
          }
        }
        compare(0);
        compare(Math.max(leaves.length - 1, 0));
      }),
      { numRuns: 300 },
    );
  });
});

describe('verifyLiabilityInclusion', () => {
  it('takes every leaf of a tree with its own proof, and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(1_000), (size, place) => {
        const leaves = Array.from(
          { length: size },
          (_, index): LiabilityLeaf =>
            index % 3 === 2 ? { ...window, index } : { ...balance, index, amount: BigInt(index) },
        );
        const tree = new LiabilityTree();
        for (const leaf of leaves) tree.push(liabilityLeafHash(leaf));
        const pool = { liabilitiesRoot: tree.root, liabilityLeaves: size };
        const index = place % size;
        const leaf = leaves[index] as LiabilityLeaf;
        const proof = tree.proof(index);
        expect(verifyLiabilityInclusion({ pool, leaf, proof })).toBe(true);

        const other =
          leaf.kind === 'balance' ? { ...leaf, amount: leaf.amount + 1n } : { ...leaf, paid: leaf.paid + 1n };
        expect(verifyLiabilityInclusion({ pool, leaf: other, proof })).toBe(false);
        expect(verifyLiabilityInclusion({ pool, leaf, proof: [...proof, hash('more')] })).toBe(false);
        expect(verifyLiabilityInclusion({ pool: { ...pool, liabilityLeaves: index }, leaf, proof })).toBe(false);
        if (proof.length > 0) expect(verifyLiabilityInclusion({ pool, leaf, proof: proof.slice(1) })).toBe(false);
        expect(verifyLiabilityInclusion({ pool, leaf, proof: proof.map(() => new Uint8Array(31)) })).toBe(
          proof.length === 0,
        );
      }),
      { numRuns: 200 },
    );
  });
});
