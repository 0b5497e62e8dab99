import { createHash } from 'node:crypto';
import { MerkleTree } from '@payouts/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiabilityTree } from '../src/liabilities/liabilityTree.ts';

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A tree over leaves that hold texts, and the indexes for which a hash was asked. */
function treeOf(leaves: string[]) {
  const asked: number[] = [];
  const tree = new LiabilityTree((index, target, at) => {
    asked.push(index);
    target.set(hash(leaves[index] as string), at);
  });
  tree.extend(leaves.length);
  return { tree, asked };
}

describe('the liabilities tree', () => {
  it('has 32 zero bytes for a root while it is empty', () => {
    expect(treeOf([]).tree.root).toEqual(new Uint8Array(32));
  });

  it('refuses leaves that are not there', () => {
    const { tree } = treeOf(['one']);
    for (const index of [-1, 0.5, 1]) {
      expect(() => tree.change(index)).toThrow('has no leaf');
      expect(() => tree.proof(index)).toThrow('has no leaf');
    }
  });

  it('hashes leaves when they are needed, once for each change', () => {
    const leaves = ['zero', 'one', 'two', 'three', 'four'];
    const { tree, asked } = treeOf(leaves);
    tree.change(2);
    expect(asked).toEqual([]);
    expect(tree.root).toEqual(new MerkleTree(leaves.map(hash)).root);
    expect(asked.splice(0)).toEqual([0, 1, 2, 3, 4]);
    for (const index of [4, 1, 4]) tree.change(index);
    expect(tree.root).toEqual(new MerkleTree(leaves.map(hash)).root);
    expect(asked).toEqual([1, 4]);
  });

  const edits = fc.array(
    fc.record({ kind: fc.constantFrom('extend', 'change', 'change', 'hash', 'step', 'look'), value: fc.nat(5_000) }),
    { maxLength: 40 },
  );

  it("equals a list's tree of the same leaves after any changes, made while it hashes or not", async () => {
    await fc.assert(
      fc.asyncProperty(edits, fc.nat(6_000), async (script, size) => {
        const leaves = Array.from({ length: size }, (_, index) => `leaf ${index}`);
        const { tree } = treeOf(leaves);
        const hashing: Promise<void>[] = [];
        let fresh = 0;
        const compare = (place: number) => {
          expect(tree.leafCount).toBe(leaves.length);
          if (leaves.length === 0) return expect(tree.root).toEqual(new Uint8Array(32));
          const list = new MerkleTree(leaves.map(hash));
          const index = place % leaves.length;
          expect(Buffer.from(tree.root)).toEqual(Buffer.from(list.root));
          expect(tree.proof(index).map((each) => Buffer.from(each))).toEqual(
            list.proof(index).map((each) => Buffer.from(each)),
          );
          expect(Buffer.from(tree.nodeAt(0, index))).toEqual(hash(leaves[index] as string));
        };
        for (const { kind, value } of script) {
          if (kind === 'hash') hashing.push(tree.hash());
          else if (kind === 'step') await new Promise((turned) => setImmediate(turned));
          else if (kind === 'look') compare(value);
          else if (kind === 'extend') {
            for (let more = 0; more < value % 300; more++) leaves.push(`more ${fresh++}`);
            tree.extend(value % 300);
          } else if (leaves.length > 0) {
            leaves[value % leaves.length] = `changed ${fresh++}`;
            tree.change(value % leaves.length);
          }
        }
        compare(0);
        await Promise.all(hashing);
        compare(Math.max(leaves.length - 1, 0));
      }),
      { numRuns: 60 },
    );
  });

  it('lets the event loop turn while many leaves are hashed', async () => {
    const { tree } = treeOf(Array.from({ length: 40_000 }, (_, index) => `${index}`));
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    await tree.hash();
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});
