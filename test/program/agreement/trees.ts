import {
  addressFromBytes,
  addressToBytes,
  ClientError,
  deliveryCode,
  type Leaf,
  type LiabilityLeaf,
  leafHash,
  liabilityLeafHash,
  MAX_LEAVES,
  MAX_U64,
  MerkleTree,
  nodeHash,
  openingOf,
  ownerRecord,
  personalKey,
  personalNonce,
  verifyRange,
} from '@payouts/client';
import { u32, u64 } from '@payouts/testing/litesvm/addresses';
import type { Random } from '@payouts/testing/random';
import type { Address } from '@solana/kit';
import type { Question, Rules } from './rules.ts';

/** Most leaves of a random tree. */
const MOST_LEAVES = 5_000;
/** Most leaves of a range that is claimed; the program's transactions have room for fewer. */
const MOST_CLAIMED = 64;
/** Random trees draw each leaf from so many, of which all are made anew after so many trees. */
const VARIANTS = 8;
const TREES_PER_SUPPLY = 500;
const ADDRESSES = 4_096;
/** owner 32 ‖ amount u64 ‖ blind 16 */
const TERMS_BYTES = 56;

const POWERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const EDGES = [...new Set([1, ...POWERS.flatMap((bits) => [-1, 0, 1].map((more) => 2 ** bits + more)), MAX_LEAVES])];
const DUPLICATE_EDGES = [2, 3, 7, 8, 9, 1_000];

/** A leaf with what is made of it once: its bytes after the index, and its hash. */
type Made = { readonly leaf: Leaf; readonly terms: Buffer; readonly hash: Uint8Array };
/** A claim of leaves, or of hashes that are said to be leaves, and whether the ledger is to accept it. */
type Claim = {
  readonly name: string;
  readonly start: number;
  readonly leaves: readonly Leaf[] | readonly Uint8Array[];
  readonly proof: readonly Uint8Array[];
  readonly isRight: boolean;
};

function termsOf(leaf: Leaf): Buffer {
  const { owner, blind } = ownerRecord(leaf);
  const terms = Buffer.allocUnsafe(TERMS_BYTES);
  terms.set(owner);
  terms.writeBigUInt64LE(leaf.amount, 32);
  terms.set(blind, 40);
  return terms;
}

const make = (leaf: Leaf): Made => ({ leaf, terms: termsOf(leaf), hash: leafHash(leaf) });
const isHash = (leaf: Leaf | Uint8Array): leaf is Uint8Array => leaf instanceof Uint8Array;

/** The trees of one run. */
export class TreeCases {
  readonly #rules: Rules;
  readonly #random: Random;
  readonly #addresses: readonly Address[];

  constructor(rules: Rules, random: Random) {
    this.#rules = rules;
    this.#random = random;
    this.#addresses = Array.from({ length: ADDRESSES }, () => addressFromBytes(random.bytes(32)));
  }

  /** Asks about every edge: one leaf, powers of two and their neighbours, duplicates, the largest list. Returns how many. */
  async edges(): Promise<number> {
    const most = Array.from({ length: MAX_LEAVES }, (_, index) => make(this.#leaf(index)));
    for (const count of EDGES) await this.#ask(`edge tree of ${count} leaves`, most.slice(0, count));
    for (const count of DUPLICATE_EDGES) {
      const leaf = this.#leaf(0);
      const leaves = Array.from({ length: count }, (_, index) => make({ ...leaf, index }));
      await this.#ask(`edge tree of ${count} times the same recipient`, leaves);
      const same = Array.from({ length: count }, () => leafHash(leaf));
      await this.#rules.ask([
        this.#treeOfHashes(same),
        this.#treeOfHashes([...same.slice(1), nodeHash(leafHash(leaf), leafHash(leaf))]),
      ]);
    }
    return EDGES.length + DUPLICATE_EDGES.length;
  }

  /** Asks about so many random trees, their sizes uniform. */
  async random(count: number): Promise<void> {
    let supply: Made[][] = [];
    for (let number = 0; number < count; number++) {
      if (number % TREES_PER_SUPPLY === 0) {
        supply = Array.from({ length: MOST_LEAVES }, (_, index) =>
          Array.from({ length: VARIANTS }, () => make(this.#leaf(index))),
        );
      }
      const size = this.#random.between(1, MOST_LEAVES);
      const choices = this.#random.bytes(size);
      const leaves = supply
        .slice(0, size)
        .map((variants, index) => variants[(choices[index] as number) % VARIANTS] as Made);
      await this.#ask(`tree ${number} of ${size} leaves`, leaves);
    }
  }

  #leaf(index: number): Leaf {
    return {
      index,
      recipient: this.#random.pick(this.#addresses),
      amount: this.#random.amount(MAX_U64),
      delivery: this.#random.pick(['balance', 'wallet']),
      salt: this.#random.bytes(16),
    };
  }

  async #ask(name: string, leaves: readonly Made[]): Promise<void> {
    const tree = new MerkleTree(leaves.map(({ hash }) => hash));
    const root: Question = {
      bytes: [Buffer.from('l'), u32(leaves.length), ...leaves.map(({ terms }) => terms)],
      answer: tree.root,
      describe: () => `${name}, its root`,
    };
    const random = this.#random;
    const count = random.between(1, Math.min(leaves.length, MOST_CLAIMED));
    const single = random.below(leaves.length);
    const claims = [
      ...this.#claims(tree, leaves, random.below(leaves.length - count + 1), count),
      ...this.#claims(tree, leaves, single, 1),
      ...this.#innerNode(tree, leaves, single),
    ];
    await this.#rules.ask([
      root,
      ...claims.map((claim) => this.#question(name, tree, claim)),
      ...this.#liabilities(name),
    ]);
  }

  /** A right claim of a range, and what is wrong with it in every way. */
  #claims(tree: MerkleTree, all: readonly Made[], start: number, count: number): Claim[] {
    const random = this.#random;
    const leaves = all.slice(start, start + count).map(({ leaf }) => leaf);
    const proof = count === 1 ? tree.proof(start) : tree.rangeProof(start, count);
    const place = random.below(count);
    const other = random.below(count);
    const leaf = leaves[place] as Leaf;
    const wrong = (name: string, changed: Partial<Claim>): Claim => {
      return { name, start, leaves, proof, isRight: false, ...changed };
    };
    const change = (name: string, changed: Partial<Leaf>) =>
      wrong(name, { leaves: leaves.with(place, { ...leaf, ...changed }) });
    const shift = random.between(1, tree.leafCount);
    const elsewhere = (start + shift) % (tree.leafCount + 1);
    const salt = Uint8Array.from(leaf.salt);
    const salted = random.below(salt.length);
    salt[salted] = (salt[salted] as number) ^ (1 << random.below(8));
    const recipient = addressFromBytes(random.bytes(32));
    const swapped = leaves.with(place, leaves[other] as Leaf).with(other, leaf);
    const claims = [
      { name: 'nothing', start, leaves, proof, isRight: true },
      wrong('the index', { start: elsewhere }),
      wrong('the order', { leaves: swapped, isRight: termsOf(swapped[place] as Leaf).equals(termsOf(leaf)) }),
      change('an amount', { amount: leaf.amount ^ (1n << BigInt(random.below(64))) }),
      change('a recipient', { recipient }),
      change('a delivery', { delivery: leaf.delivery === 'wallet' ? 'balance' : 'wallet' }),
      change('a salt', { salt }),
      wrong('a surplus hash', { proof: proof.toSpliced(random.below(proof.length + 1), 0, random.bytes(32)) }),
    ];
    if (proof.length > 0) {
      const hash = random.below(proof.length);
      claims.push(
        wrong('a missing hash', { proof: proof.toSpliced(hash, 1) }),
        wrong('a changed hash', { proof: proof.with(hash, random.bytes(32)) }),
      );
    }
    return claims;
  }

  /** A node above a leaf that is said to be a leaf, with the rest of its proof; and the leaf's hash itself, which is right. */
  #innerNode(tree: MerkleTree, leaves: readonly Made[], index: number): Claim[] {
    const proof = tree.proof(index);
    const claims: Claim[] = [{ name: 'nothing', start: index, leaves: [tree.leaf(index)], proof, isRight: true }];
    let node = (leaves[index] as Made).hash;
    let place = index;
    let used = 0;
    for (let size = tree.leafCount; size > 1; size = Math.ceil(size / 2)) {
      const sibling = proof[used];
      if (place % 2 === 1 || place + 1 < size) {
        node = place % 2 === 1 ? nodeHash(sibling as Uint8Array, node) : nodeHash(node, sibling as Uint8Array);
        used += 1;
      }
      place = Math.floor(place / 2);
      // At its own place, and where the leaf is.
      const rest = proof.slice(used);
      claims.push({ name: 'an inner node', start: place, leaves: [node], proof: rest, isRight: false });
      if (used > 0) claims.push({ name: 'an inner node', start: index, leaves: [node], proof, isRight: false });
    }
    return claims;
  }

  #question(name: string, tree: MerkleTree, { name: wrong, start, leaves, proof, isRight }: Claim): Question {
    const isAccepted = acceptedByClient(tree, start, leaves, proof);
    const describe = () => `${name}, ${leaves.length} claimed from ${start} on, ${wrong} being wrong`;
    if (isAccepted !== isRight) {
      this.#rules.disagreements.push(`${describe()}: the client ${isAccepted ? 'accepts' : 'refuses'} it`);
    }
    return {
      bytes: [
        Buffer.from(leaves.some(isHash) ? 'N' : 'L'),
        tree.root,
        u32(tree.leafCount),
        u32(start),
        u32(leaves.length),
        ...leaves.map((leaf) => (isHash(leaf) ? leaf : termsOf(leaf))),
        u32(proof.length),
        ...proof,
      ],
      answer: Uint8Array.of(isRight ? 1 : 0),
      describe,
    };
  }

  #treeOfHashes(hashes: readonly Uint8Array[]): Question {
    return {
      bytes: [Buffer.from('n'), u32(hashes.length), ...hashes],
      answer: new MerkleTree(hashes).root,
      describe: () => `edge tree of ${hashes.length} hashes, its root`,
    };
  }

  /** An owner, and a leaf of the liabilities tree of each kind. */
  #liabilities(name: string): Question[] {
    const random = this.#random;
    const index = random.u32();
    const address = random.pick(this.#addresses);
    const amount = () => random.amount(MAX_U64);
    const [a, b] = [amount(), amount()];
    const blind = random.bytes(16);
    const number = random.below(1 << 16);
    const { recipient, salt, delivery } = this.#leaf(0);
    const { owner } = ownerRecord({ recipient, salt, delivery });
    const balance: LiabilityLeaf = { kind: 'balance', index, owner, amount: a, number: b, blind };
    const window: LiabilityLeaf = { kind: 'window', index, schedule: address, window: a, paid: b, blind };
    return [
      {
        bytes: [Buffer.from('o'), addressToBytes(recipient), openingOf(salt), Uint8Array.of(deliveryCode(delivery))],
        answer: owner,
        describe: () => `after ${name}, an owner`,
      },
      {
        bytes: [Buffer.from('p'), blind, owner, new Uint8Array(Uint16Array.of(number).buffer)],
        answer: personalNonce(personalKey(blind, owner), number),
        describe: () => `after ${name}, a personal account's nonce`,
      },
      {
        bytes: [Buffer.from('b'), u32(index), owner, u64(a), u64(b), blind],
        answer: liabilityLeafHash(balance),
        describe: () => `after ${name}, a liability balance`,
      },
      {
        bytes: [Buffer.from('w'), u32(index), addressToBytes(address), u64(a), u64(b), blind],
        answer: liabilityLeafHash(window),
        describe: () => `after ${name}, a liability window`,
      },
    ];
  }
}

/** As a claim's leaves are checked: each hashed with the index of its place. A range beyond the list is refused too. */
function acceptedByClient(
  { root, leafCount }: MerkleTree,
  start: number,
  leaves: Claim['leaves'],
  proof: readonly Uint8Array[],
): boolean {
  try {
    const leafHashes = leaves.map((leaf, place) => (isHash(leaf) ? leaf : leafHash({ ...leaf, index: start + place })));
    return verifyRange({ root, leafCount, start, leafHashes, proof });
  } catch (error) {
    if (error instanceof ClientError && (error.code === 'INVALID_RANGE' || error.code === 'INVALID_LEAF')) return false;
    throw error;
  }
}
