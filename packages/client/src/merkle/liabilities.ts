import type { Address } from '@solana/kit';
import { addressToBytes } from '../accounts/base58.ts';
import { isSameBytes } from '../bytes.ts';
import { ClientError } from '../http/clientError.ts';
import { HASH_BYTES, sha256 } from './hash.ts';
import { MAX_U64 } from './limits.ts';
import { nodeHash } from './tree.ts';

/** Size of a liability leaf's blind in bytes. */
export const BLIND_BYTES = 16;

/** What a token's pool owes to a private balance, or to a withdrawal of one that has its number, in base units. */
export type LiabilityBalanceLeaf = {
  readonly kind: 'balance';
  readonly index: number;
  /** Whose it is, 32 bytes: see `ownerRecord`. */
  readonly owner: Uint8Array;
  readonly amount: bigint;
  /** The withdrawal's; 0: it is a balance. */
  readonly number: bigint;
  /** Secret; whoever has it and the hash can try amounts. */
  readonly blind: Uint8Array;
};

/** What an open window has paid when the tree was made, in base units; the rest of its amount is the employer's. */
export type LiabilityWindowLeaf = {
  readonly kind: 'window';
  readonly index: number;
  readonly schedule: Address;
  readonly window: bigint;
  readonly paid: bigint;
  readonly blind: Uint8Array;
};

export type LiabilityLeaf = LiabilityBalanceLeaf | LiabilityWindowLeaf;

/** A leaf without its index and blind: an owner or an address, and two numbers of 64 bits. */
export const LIABILITY_RECORD_BYTES = HASH_BYTES + 2 * 8;
const LEAF_BYTES = 1 + 4 + LIABILITY_RECORD_BYTES + BLIND_BYTES;
const MAX_U32 = 0xffff_ffff;
/** Hashes for which a new level has room. */
const FIRST_CAPACITY = 64;

const balanceInput = new Uint8Array(LEAF_BYTES);
const balanceView = new DataView(balanceInput.buffer);
const windowInput = new Uint8Array(LEAF_BYTES);
balanceInput[0] = 4;
windowInput[0] = 5;

function write(input: Uint8Array, index: number, whose: Uint8Array, numbers: readonly bigint[], blind: Uint8Array) {
  if (!Number.isInteger(index) || index < 0 || index > MAX_U32) {
    throw new ClientError('INVALID_LEAF', "A liability leaf's index must fit 32 bits.");
  }
  if (blind.length !== BLIND_BYTES) throw new ClientError('INVALID_LEAF', `A blind has ${BLIND_BYTES} bytes.`);
  const view = new DataView(input.buffer);
  view.setUint32(1, index, true);
  if (whose.length !== HASH_BYTES) throw new ClientError('INVALID_LEAF', `An owner has ${HASH_BYTES} bytes.`);
  input.set(whose, 5);
  let offset = 5 + HASH_BYTES;
  for (const number of numbers) {
    if (number < 0n || number > MAX_U64) {
      throw new ClientError('INVALID_LEAF', "A liability leaf's numbers must fit 64 bits.");
    }
    view.setBigUint64(offset, number, true);
    offset += 8;
  }
  input.set(blind, offset);
}

/**
 * H(0x04 ‖ index u32 ‖ owner 32 ‖ amount u64 ‖ number u64 ‖ blind 16) for a balance or a withdrawal,
 * H(0x05 ‖ index u32 ‖ schedule 32 ‖ window u64 ‖ paid u64 ‖ blind 16) for an open window. Throws `INVALID_LEAF` or `INVALID_ADDRESS`.
 */
export function liabilityLeafHash(leaf: LiabilityLeaf): Uint8Array {
  if (leaf.kind === 'balance') {
    write(balanceInput, leaf.index, leaf.owner, [leaf.amount, leaf.number], leaf.blind);
    return sha256(balanceInput);
  }
  write(windowInput, leaf.index, addressToBytes(leaf.schedule), [leaf.window, leaf.paid], leaf.blind);
  return sha256(windowInput);
}

/**
 * The same for a balance whose owner 32 ‖ amount u64 ‖ number u64 stand in `records` at `from`; for many leaves.
 */
export function liabilityRecordHash(index: number, records: Uint8Array, from: number, blind: Uint8Array): Uint8Array {
  balanceView.setUint32(1, index, true);
  balanceInput.set(records.subarray(from, from + LIABILITY_RECORD_BYTES), 5);
  balanceInput.set(blind, 5 + LIABILITY_RECORD_BYTES);
  return sha256(balanceInput);
}

/**
 * A tree of the same shape as a list's, whose leaves can be changed, added and removed at the end. Changes are taken up together
 * when the root or a proof is asked for: each costs at most one hash a level, and neighbours share theirs.
 */
export class LiabilityTree {
  /** The first `leafCount` hashes of the lowest level and what they need above it; the rest is room. */
  readonly #levels: Uint8Array[] = [new Uint8Array(FIRST_CAPACITY * HASH_BYTES)];
  /** Leaves whose way to the root is to be hashed again. */
  readonly #changed = new Set<number>();
  /** Leaves that `extend` has added and nobody has asked for yet. */
  #unhashed: { readonly first: number; readonly end: number; readonly hashOf: (index: number) => Uint8Array }[] = [];
  #leafCount = 0;

  get leafCount(): number {
    return this.#leafCount;
  }

  /** 32 zero bytes while the tree is empty. */
  get root(): Uint8Array {
    this.#rehash();
    if (this.#leafCount === 0) return new Uint8Array(HASH_BYTES);
    return this.#node(heightOf(this.#leafCount), 0).slice();
  }

  /** The hash of leaf `index`. Throws `INVALID_RANGE`. */
  leaf(index: number): Uint8Array {
    this.#check(index);
    this.#hashExtended();
    return this.#node(0, index).slice();
  }

  /** The hash over the 2 ** `level` leaves from leaf `place` × 2 ** `level` on. Throws `INVALID_RANGE`. */
  nodeAt(level: number, place: number): Uint8Array {
    this.#check(place * 2 ** level);
    this.#rehash();
    return this.#node(level, place).slice();
  }

  /** Changes leaf `index`. Throws `INVALID_RANGE` or `INVALID_LEAF`. */
  set(index: number, leafHash: Uint8Array): void {
    this.#check(index);
    this.#put(index, leafHash);
  }

  /** Adds a leaf at the end and returns its index. Throws `INVALID_LEAF`. */
  push(leafHash: Uint8Array): number {
    const index = this.#leafCount;
    this.#put(index, leafHash);
    this.#leafCount += 1;
    return index;
  }

  /**
   * Adds leaves at the end. `hashOf` tells their hashes when a root, a proof or a leaf is asked for; of those that are set before, it is
   * never asked.
   */
  extend(count: number, hashOf: (index: number) => Uint8Array): void {
    const first = this.#leafCount;
    const end = first + count;
    this.#makeRoom(0, end);
    // No SHA-256 is zero, as far as anybody knows: such a leaf has not been set.
    this.#level(0).fill(0, first * HASH_BYTES, end * HASH_BYTES);
    this.#leafCount = end;
    this.#unhashed.push({ first, end, hashOf });
  }

  /** Removes the last leaf. Throws `INVALID_RANGE` if there is none. */
  pop(): void {
    this.#check(this.#leafCount - 1);
    this.#hashExtended();
    this.#leafCount -= 1;
    // Only ways that end at the last node of a level change, and the new last leaf's way has all of them.
    if (this.#leafCount > 0) this.#changed.add(this.#leafCount - 1);
  }

  /** The hashes that rebuild the root from leaf `index`, level by level. Throws `INVALID_RANGE`. */
  proof(index: number): Uint8Array[] {
    this.#check(index);
    this.#rehash();
    const proof: Uint8Array[] = [];
    let place = index;
    let level = 0;
    for (let size = this.#leafCount; size > 1; size = Math.ceil(size / 2)) {
      const sibling = place ^ 1;
      if (sibling < size) proof.push(this.#node(level, sibling).slice());
      place >>>= 1;
      level += 1;
    }
    return proof;
  }

  #check(index: number): void {
    if (Number.isInteger(index) && index >= 0 && index < this.#leafCount) return;
    throw new ClientError('INVALID_RANGE', `The tree of ${this.#leafCount} leaves has no leaf ${index}.`);
  }

  #level(level: number): Uint8Array {
    return this.#levels[level] as Uint8Array;
  }

  #node(level: number, place: number): Uint8Array {
    return this.#level(level).subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
  }

  #hashExtended(): void {
    for (const { first, end, hashOf } of this.#unhashed) {
      for (let index = first; index < end; index++) {
        if (this.#node(0, index).every((byte) => byte === 0)) this.#put(index, hashOf(index));
      }
    }
    this.#unhashed = [];
  }

  #put(index: number, leafHash: Uint8Array): void {
    if (leafHash.length !== HASH_BYTES) throw new ClientError('INVALID_LEAF', `A leaf hash has ${HASH_BYTES} bytes.`);
    this.#makeRoom(0, index + 1);
    this.#node(0, index).set(leafHash);
    this.#changed.add(index);
  }

  #makeRoom(level: number, nodes: number): void {
    const bytes = this.#levels[level] ?? new Uint8Array(0);
    if (bytes.length >= nodes * HASH_BYTES) {
      this.#levels[level] = bytes;
      return;
    }
    const grown = new Uint8Array(Math.max(2 * bytes.length, nodes * HASH_BYTES));
    grown.set(bytes);
    this.#levels[level] = grown;
  }

  #rehash(): void {
    this.#hashExtended();
    if (this.#changed.size === 0) return;
    let changed = Uint32Array.from(this.#changed).sort();
    this.#changed.clear();
    // Leaves that were removed after they were changed.
    changed = changed.subarray(0, changed.findLastIndex((index) => index < this.#leafCount) + 1);
    let level = 0;
    for (let size = this.#leafCount; size > 1; size = Math.ceil(size / 2)) {
      this.#makeRoom(level + 1, Math.ceil(size / 2));
      let written = 0;
      for (const place of changed) {
        const parent = place >>> 1;
        if (written > 0 && changed[written - 1] === parent) continue;
        const left = this.#node(level, 2 * parent);
        const hash = 2 * parent + 1 < size ? nodeHash(left, this.#node(level, 2 * parent + 1)) : left;
        this.#node(level + 1, parent).set(hash);
        // A parent's place is never behind its child's, so what is overwritten here has been read.
        changed[written] = parent;
        written += 1;
      }
      changed = changed.subarray(0, written);
      level += 1;
    }
  }
}

/** Levels between the leaves and the root. */
function heightOf(leafCount: number): number {
  let height = 0;
  for (let size = leafCount; size > 1; size = Math.ceil(size / 2)) height += 1;
  return height;
}

/**
 * Whether a leaf stands in the liabilities tree whose root and number of leaves the pool has recorded. A recipient who checks their own
 * leaf knows that the last recording divides the pool with exactly this as their part.
 */
export function verifyLiabilityInclusion(input: {
  readonly pool: { readonly liabilitiesRoot: ArrayLike<number>; readonly liabilityLeaves: number };
  readonly leaf: LiabilityLeaf;
  readonly proof: readonly Uint8Array[];
}): boolean {
  const { pool, leaf, proof } = input;
  if (leaf.index >= pool.liabilityLeaves || proof.some((hash) => hash.length !== HASH_BYTES)) return false;
  let hash = liabilityLeafHash(leaf);
  let place = leaf.index;
  const remaining = proof.values();
  for (let size = pool.liabilityLeaves; size > 1; size = Math.ceil(size / 2)) {
    const isLeft = place % 2 === 0;
    if (!isLeft || place + 1 < size) {
      const sibling = remaining.next();
      if (sibling.done) return false;
      hash = isLeft ? nodeHash(hash, sibling.value) : nodeHash(sibling.value, hash);
    }
    place = Math.floor(place / 2);
  }
  return remaining.next().done === true && isSameBytes(hash, Uint8Array.from(pool.liabilitiesRoot));
}
