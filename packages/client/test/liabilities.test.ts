import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressFromBytes,
  addressToBytes,
  ClientError,
  type LiabilityBalanceLeaf,
  type LiabilityLeaf,
  type LiabilityWindowLeaf,
  liabilityLeafHash,
  liabilityRecordHashInto,
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
        const blinds = Buffer.concat([Buffer.alloc(from, 8), blind]);
        const target = Buffer.alloc(from + 33, 7);
        liabilityRecordHashInto({ index, records, from, blinds, blindAt: from }, target, from);
        expect(target).toEqual(Buffer.concat([Buffer.alloc(from, 7), liabilityLeafHash(leaf), Buffer.alloc(1, 7)]));
      }),
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
        const tree = new MerkleTree(leaves.map(liabilityLeafHash));
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
