import { isSameBytes } from '../bytes.ts';
import { ClientError } from '../http/clientError.ts';
import { nextTurn } from '../nextTurn.ts';
import { HASH_BYTES, sha256, sha256Into } from './hash.ts';
import { MAX_LEAVES, MAX_U64 } from './limits.ts';
import { type BalanceOwner, ownerRecord, ownerRecordInto, SALT_BYTES } from './owner.ts';

/** What a leaf commits to; `amount` in base units of the token. */
export type Leaf = BalanceOwner & { readonly index: number; readonly amount: bigint };

/** A leaf's record, in which its index is not: recipient 32 ‖ amount u64 ‖ delivery u8 ‖ salt 16. */
export const LEAF_RECORD_BYTES = HASH_BYTES + 8 + 1 + SALT_BYTES;

/** What a leaf hashes behind its index: owner 32 ‖ amount u64 ‖ blind 16, see `ownerRecord`. */
export const LEAF_TERMS_BYTES = HASH_BYTES + 8 + 16;

/** The same place in a record and in terms. */
const AMOUNT_AT = HASH_BYTES;
const BLIND_AT = AMOUNT_AT + 8;
const DELIVERY_AT = AMOUNT_AT + 8;
const SALT_AT = DELIVERY_AT + 1;
const HASH_WORDS = HASH_BYTES / 4;
const NODE_BYTES = 1 + 2 * HASH_BYTES;
/** Hashes between two turns of the event loop: a few milliseconds. */
const SLICE = 2_048;
const TERMS_WORDS = LEAF_TERMS_BYTES / 4;
/** Three bytes in, so that the terms stand where words can be copied. */
const leafInput = new Uint8Array(new ArrayBuffer(3 + 1 + 4 + LEAF_TERMS_BYTES), 3);
const leafView = new DataView(leafInput.buffer, 3);
const leafWords = new Uint32Array(leafInput.buffer, 8);
/** Seven bytes in, so that both hashes stand where words can be copied. */
const nodeInput = new Uint8Array(new ArrayBuffer(7 + NODE_BYTES), 7);
const nodeWords = new Uint32Array(nodeInput.buffer, 8);
nodeInput[0] = 1;

/** What a leaf hashes behind its index. Throws `INVALID_LEAF` or `INVALID_ADDRESS`. */
export function termsOfLeaf(leaf: Omit<Leaf, 'index'>): Uint8Array {
  if (leaf.amount < 0n || leaf.amount > MAX_U64) {
    throw new ClientError('INVALID_LEAF', "A leaf's amount must fit 64 bits.");
  }
  const { owner, blind } = ownerRecord(leaf);
  const terms = new Uint8Array(LEAF_TERMS_BYTES);
  terms.set(owner);
  new DataView(terms.buffer).setBigUint64(AMOUNT_AT, leaf.amount, true);
  terms.set(blind, BLIND_AT);
  return terms;
}

/** H(0x00 ‖ index u32 ‖ owner 32 ‖ amount u64 ‖ blind 16), see `ownerRecord`. Throws `INVALID_LEAF` or `INVALID_ADDRESS`. */
export function leafHash(leaf: Leaf): Uint8Array {
  if (!Number.isInteger(leaf.index) || leaf.index < 0 || leaf.index >= MAX_LEAVES) {
    throw new ClientError('INVALID_LEAF', `A leaf's index lies between 0 and ${MAX_LEAVES - 1}.`);
  }
  return leafHashes(leaf.index, termsOfLeaf(leaf));
}

/** The terms of each leaf whose record stands in `records`, one after the other; for many leaves. */
export function leafTerms(records: Uint8Array): Uint8Array {
  const count = records.length / LEAF_RECORD_BYTES;
  const terms = new Uint8Array(count * LEAF_TERMS_BYTES);
  for (let place = 0; place < count; place++) {
    const from = place * LEAF_RECORD_BYTES;
    const at = place * LEAF_TERMS_BYTES;
    const places = { recipient: from, salt: from + SALT_AT, delivery: records[from + DELIVERY_AT] as number };
    ownerRecordInto(records, places, terms, { owner: at, blind: at + BLIND_AT });
    for (let byte = AMOUNT_AT; byte < BLIND_AT; byte++) terms[at + byte] = records[from + byte] as number;
  }
  return terms;
}

/** The hashes, one after the other, of the leaves from index `first` on whose terms these are; for many leaves. */
export function leafHashes(first: number, terms: Uint8Array): Uint8Array {
  const count = terms.length / LEAF_TERMS_BYTES;
  const hashes = new Uint8Array(count * HASH_BYTES);
  const words = wordsOf(terms);
  for (let place = 0; place < count; place++) {
    leafView.setUint32(1, first + place, true);
    for (let word = 0; word < TERMS_WORDS; word++) leafWords[word] = words[place * TERMS_WORDS + word] as number;
    sha256Into(leafInput, hashes, place * HASH_BYTES);
  }
  return hashes;
}

/** H(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + HASH_BYTES);
  return sha256(nodeInput);
}

/** All levels of a tree, from the leaves' hashes one after the other; stops between slices. */
function* buildLevels(leaves: Uint8Array): Generator<undefined, Levels> {
  const levels: Uint8Array[] = [leaves];
  let top = leaves;
  let hashed = 0;
  while (top.length > HASH_BYTES) {
    const size = top.length / HASH_BYTES;
    const above = new Uint8Array(Math.ceil(size / 2) * HASH_BYTES);
    const words = wordsOf(top);
    for (let place = 0; place + 1 < size; place += 2) {
      const from = place * HASH_WORDS;
      for (let word = 0; word < 2 * HASH_WORDS; word++) nodeWords[word] = words[from + word] as number;
      sha256Into(nodeInput, above, (place / 2) * HASH_BYTES);
      if (++hashed % SLICE === 0) yield;
    }
    if (size % 2 === 1) above.set(top.subarray((size - 1) * HASH_BYTES), above.length - HASH_BYTES);
    levels.push(above);
    top = above;
  }
  return new Levels(levels);
}

/** The same bytes as words, of a copy where they don't begin at one. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** The hashes of a tree, level by level from the leaves up. */
class Levels {
  constructor(readonly hashes: readonly Uint8Array[]) {}
}

/** The leaves' hashes one after the other. Throws `INVALID_LEAF`. */
function joined(leafHashes: readonly Uint8Array[]): Uint8Array {
  const leaves = new Uint8Array(leafHashes.length * HASH_BYTES);
  for (const [index, leaf] of leafHashes.entries()) {
    if (leaf.length !== HASH_BYTES) throw new ClientError('INVALID_LEAF', `A leaf hash has ${HASH_BYTES} bytes.`);
    leaves.set(leaf, index * HASH_BYTES);
  }
  return leaves;
}

function levelsOf(leafHashes: readonly Uint8Array[]): Levels {
  checkLeafCount(leafHashes.length);
  const building = buildLevels(joined(leafHashes));
  for (;;) {
    const { done, value } = building.next();
    if (done) return value;
  }
}

/** A tree over 1 to 1,048,576 leaf hashes; the odd last node of a level is carried up unchanged. */
export class MerkleTree {
  readonly leafCount: number;
  readonly root: Uint8Array;
  readonly #levels: readonly Uint8Array[];

  /** Takes the leaf hashes in order of index. Throws `INVALID_LEAF_COUNT` or `INVALID_LEAF`. */
  constructor(leaves: readonly Uint8Array[] | Levels) {
    const { hashes } = leaves instanceof Levels ? leaves : levelsOf(leaves);
    this.leafCount = (hashes[0] as Uint8Array).length / HASH_BYTES;
    this.root = (hashes.at(-1) as Uint8Array).slice();
    this.#levels = hashes;
  }

  /**
   * The tree over leaf hashes that stand one after the other in order of index, and belong to it from then on. Works in slices of a
   * few milliseconds, so that the event loop goes on turning. Throws `INVALID_LEAF_COUNT`.
   */
  static async build(leafHashes: Uint8Array): Promise<MerkleTree> {
    checkLeafCount(leafHashes.length / HASH_BYTES);
    const building = buildLevels(leafHashes);
    for (;;) {
      const { done, value } = building.next();
      if (done) return new MerkleTree(value);
      await nextTurn();
    }
  }

  /** The tree over leaves whose terms these are, in order of index. Works in slices of a few milliseconds. Throws `INVALID_LEAF_COUNT`. */
  static async ofTerms(terms: Uint8Array): Promise<MerkleTree> {
    const count = terms.length / LEAF_TERMS_BYTES;
    const hashes = new Uint8Array(count * HASH_BYTES);
    for (let first = 0; first < count; first += SLICE) {
      if (first > 0) await nextTurn();
      const some = terms.subarray(first * LEAF_TERMS_BYTES, (first + SLICE) * LEAF_TERMS_BYTES);
      hashes.set(leafHashes(first, some), first * HASH_BYTES);
    }
    return MerkleTree.build(hashes);
  }

  /** The hash of leaf `index`. Throws `INVALID_RANGE`. */
  leaf(index: number): Uint8Array {
    checkRange(index, 1, this.leafCount);
    return (this.#levels[0] as Uint8Array).slice(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }

  /** The proof of one leaf: that of a range of one. */
  proof(index: number): Uint8Array[] {
    return this.rangeProof(index, 1);
  }

  /**
   * Compares a proof of one leaf, `hashes` hashes that stand in `proof` from `from` on, with the tree's own. Returns the place of the
   * first hash that differs, is missing or left over; undefined if there is none. Throws `INVALID_RANGE`.
   */
  proofDifference(index: number, proof: Uint8Array, from: number, hashes: number): number | undefined {
    checkRange(index, 1, this.leafCount);
    let place = 0;
    let node = index;
    for (const level of this.#levels) {
      const sibling = node ^ 1;
      node >>= 1;
      // The last node of an odd level has none, and is carried up.
      if (sibling * HASH_BYTES >= level.length) continue;
      if (place === hashes || !isSameHash(level, sibling * HASH_BYTES, proof, from + place * HASH_BYTES)) return place;
      place += 1;
    }
    return place === hashes ? undefined : place;
  }

  /**
   * The hashes that rebuild the root from leaves `start` to `start + count`: level by level, first the left sibling, then the
   * right one, where the range needs them. Throws `INVALID_RANGE`.
   */
  rangeProof(start: number, count: number): Uint8Array[] {
    checkRange(start, count, this.leafCount);
    const proof: Uint8Array[] = [];
    let first = start;
    let last = start + count - 1;
    for (const level of this.#levels.slice(0, -1)) {
      const node = (place: number) => level.slice(place * HASH_BYTES, (place + 1) * HASH_BYTES);
      const end = level.length / HASH_BYTES - 1;
      if (first % 2 === 1) proof.push(node(first - 1));
      if (last % 2 === 0 && last !== end) proof.push(node(last + 1));
      first >>= 1;
      last >>= 1;
    }
    return proof;
  }
}

function isSameHash(hashes: Uint8Array, start: number, others: Uint8Array, otherStart: number): boolean {
  for (let place = 0; place < HASH_BYTES; place++) {
    if (hashes[start + place] !== others[otherStart + place]) return false;
  }
  return true;
}

/** What `verifyRange` checks: leaf hashes from `start` on and the range's proof against a root over `leafCount` leaves. */
export type RangeClaim = {
  readonly root: Uint8Array;
  readonly leafCount: number;
  readonly start: number;
  readonly leafHashes: readonly Uint8Array[];
  readonly proof: readonly Uint8Array[];
};

/**
 * Whether the leaves and the proof rebuild the root exactly, with no hash missing or left over. A proof that does not is
 * `false`; a range outside the tree throws `INVALID_RANGE` or `INVALID_LEAF_COUNT`.
 */
export function verifyRange({ root, leafCount, start, leafHashes, proof }: RangeClaim): boolean {
  checkLeafCount(leafCount);
  checkRange(start, leafHashes.length, leafCount);
  if (![...leafHashes, ...proof].every((hash) => hash.length === HASH_BYTES)) return false;
  const remaining = proof.values();
  let nodes = [...leafHashes];
  let first = start;
  for (let size = leafCount; size > 1; size = Math.ceil(size / 2)) {
    const last = first + nodes.length - 1;
    if (first % 2 === 1) {
      const left = remaining.next();
      if (left.done) return false;
      nodes.unshift(left.value);
    }
    if (last % 2 === 0 && last !== size - 1) {
      const right = remaining.next();
      if (right.done) return false;
      nodes.push(right.value);
    }
    const above: Uint8Array[] = [];
    for (let place = 0; place < nodes.length; place += 2) {
      const left = nodes[place] as Uint8Array;
      const right = nodes[place + 1];
      above.push(right === undefined ? left : nodeHash(left, right));
    }
    nodes = above;
    first >>= 1;
  }
  const rebuilt = nodes[0] as Uint8Array;
  return remaining.next().done === true && isSameBytes(rebuilt, root);
}

function checkLeafCount(count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > MAX_LEAVES) {
    throw new ClientError('INVALID_LEAF_COUNT', `A list has between 1 and ${MAX_LEAVES} recipients.`);
  }
}

function checkRange(start: number, count: number, leafCount: number): void {
  const valid = Number.isInteger(start) && Number.isInteger(count) && start >= 0 && count >= 1;
  if (!valid || start + count > leafCount) {
    throw new ClientError('INVALID_RANGE', `The range ${start} + ${count} is empty or beyond ${leafCount} leaves.`);
  }
}
