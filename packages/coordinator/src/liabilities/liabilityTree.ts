import { HASH_BYTES, nextTurn, sha256Into } from '@payouts/client';

/** Writes the hash of a leaf as its content is now, 32 bytes, to `target` at `offset`. */
export type HashLeaf = (index: number, target: Uint8Array, offset: number) => void;

/** Leaves for which a new tree has room. */
const FIRST_CAPACITY = 64;
/** Hashes between two turns of the event loop: a few milliseconds. */
const SLICE = 2_048;
const HASH_WORDS = HASH_BYTES / 4;

/** H(0x01 ‖ left ‖ right). Seven bytes in, so that both hashes stand where words can be copied. */
const nodeInput = new Uint8Array(new ArrayBuffer(8 + 2 * HASH_BYTES), 7);
const nodeWords = new Uint32Array(nodeInput.buffer, 8);
nodeInput[0] = 1;

/** The hashes of a level, as bytes and as words; behind those of the tree's leaves there is room. */
class Level {
  readonly words: Uint32Array;

  constructor(readonly bytes: Uint8Array) {
    this.words = new Uint32Array(bytes.buffer);
  }
}

/**
 * A tree of the same shape as a list's, whose leaves change and are added at the end. Changes are taken up together when they are asked for: each
 * costs at most one hash a level, and neighbours share theirs.
 */
export class LiabilityTree {
  readonly #levels = [new Level(new Uint8Array(FIRST_CAPACITY * HASH_BYTES))];
  /** 1 for each leaf that is to be hashed again, and between which leaves those are. */
  #changed = new Uint8Array(FIRST_CAPACITY);
  #first = Number.POSITIVE_INFINITY;
  #end = 0;
  /** Hashing that has begun. */
  #hashing: Generator<undefined, void> | undefined;
  #leafCount = 0;

  constructor(private readonly hashLeaf: HashLeaf) {}

  get leafCount(): number {
    return this.#leafCount;
  }

  /** 32 zero bytes while the tree is empty. */
  get root(): Uint8Array {
    if (this.#leafCount === 0) return new Uint8Array(HASH_BYTES);
    return this.nodeAt(heightOf(this.#leafCount), 0);
  }

  /** The hash over the 2 ** `level` leaves from leaf `place` × 2 ** `level` on. */
  nodeAt(level: number, place: number): Uint8Array {
    this.#check(place * 2 ** level);
    this.#hashAll();
    return this.#node(level, place);
  }

  /** Adds leaves at the end. */
  extend(count: number): void {
    const first = this.#leafCount;
    this.#leafCount += count;
    this.#level(0, this.#leafCount);
    if (this.#changed.length < this.#leafCount) {
      const grown = new Uint8Array(Math.max(2 * this.#changed.length, this.#leafCount));
      grown.set(this.#changed);
      this.#changed = grown;
    }
    for (let index = first; index < this.#leafCount; index++) this.change(index);
  }

  /** The content of leaf `index` has changed. */
  change(index: number): void {
    this.#check(index);
    this.#changed[index] = 1;
    if (index < this.#first) this.#first = index;
    if (index >= this.#end) this.#end = index + 1;
  }

  /** The hashes that rebuild the root from leaf `index`, level by level. */
  proof(index: number): Uint8Array[] {
    this.#check(index);
    this.#hashAll();
    const proof: Uint8Array[] = [];
    let place = index;
    let level = 0;
    for (let size = this.#leafCount; size > 1; size = Math.ceil(size / 2)) {
      const sibling = place ^ 1;
      if (sibling < size) proof.push(this.#node(level, sibling));
      place >>>= 1;
      level += 1;
    }
    return proof;
  }

  /** Takes up what has changed, in slices of a few milliseconds, so that the event loop goes on turning: what is asked for then is there. */
  async hash(): Promise<void> {
    while (this.#isBegun()) {
      if (this.#hashing?.next().done === true) this.#hashing = undefined;
      await nextTurn();
    }
  }

  #check(index: number): void {
    if (Number.isInteger(index) && index >= 0 && index < this.#leafCount) return;
    throw new Error(`The liabilities tree of ${this.#leafCount} leaves has no leaf ${index}.`);
  }

  #node(level: number, place: number): Uint8Array {
    return (this.#levels[level] as Level).bytes.slice(place * HASH_BYTES, (place + 1) * HASH_BYTES);
  }

  /** A level with room for so many hashes. */
  #level(number: number, hashes: number): Level {
    const level = this.#levels[number];
    if (level !== undefined && level.bytes.length >= hashes * HASH_BYTES) return level;
    const grown = new Uint8Array(Math.max(2 * (level?.bytes.length ?? 0), hashes * HASH_BYTES));
    if (level !== undefined) grown.set(level.bytes);
    this.#levels[number] = new Level(grown);
    return this.#levels[number];
  }

  /** Whether there is something to be hashed, which has begun then. */
  #isBegun(): boolean {
    if (this.#end > 0) this.#hashing ??= this.#rehash();
    return this.#hashing !== undefined;
  }

  #hashAll(): void {
    while (this.#isBegun()) if (this.#hashing?.next().done === true) this.#hashing = undefined;
  }

  /** Hashes changed leaves and what lies above them; stops between slices. What changes meanwhile is for the next time. */
  *#rehash(): Generator<undefined, void> {
    const [first, end, leaves] = [this.#first, this.#end, this.#leafCount];
    this.#first = Number.POSITIVE_INFINITY;
    this.#end = 0;
    const changed = new Uint32Array(end - first);
    let count = 0;
    for (let index = first; index < end; index++) {
      if (this.#changed[index] === 0) continue;
      this.#changed[index] = 0;
      this.hashLeaf(index, this.#level(0, leaves).bytes, index * HASH_BYTES);
      changed[count++] = index;
      if (count % SLICE === 0) yield;
    }
    let hashed = 0;
    let level = 0;
    for (let size = leaves; size > 1; size = Math.ceil(size / 2)) {
      let written = 0;
      for (let at = 0; at < count; at++) {
        const parent = (changed[at] as number) >>> 1;
        if (written > 0 && changed[written - 1] === parent) continue;
        // A parent's place is never behind its child's, so what is overwritten here has been read.
        changed[written++] = parent;
        this.#hashNode(level, parent, size);
        if (++hashed % SLICE === 0) yield;
      }
      count = written;
      level += 1;
    }
  }

  /** Hashes a node above a level of so many; the odd last one is carried up unchanged. */
  #hashNode(level: number, parent: number, size: number): void {
    const { words } = this.#levels[level] as Level;
    const above = this.#level(level + 1, Math.ceil(size / 2));
    const from = 2 * parent * HASH_WORDS;
    if (2 * parent + 1 === size) {
      above.words.set(words.subarray(from, from + HASH_WORDS), parent * HASH_WORDS);
      return;
    }
    for (let word = 0; word < 2 * HASH_WORDS; word++) nodeWords[word] = words[from + word] as number;
    sha256Into(nodeInput, above.bytes, parent * HASH_BYTES);
  }
}

/** Levels between the leaves and the root. */
function heightOf(leafCount: number): number {
  let height = 0;
  for (let size = leafCount; size > 1; size = Math.ceil(size / 2)) height += 1;
  return height;
}
