import { HASH_BYTES } from '@payouts/client';

/** owner 32 ‖ place u32, little endian. */
export const OWNER_ENTRY_BYTES = HASH_BYTES + 4;
/** The places in entries. */
export function* placesOf(entries: Uint8Array): Generator<number> {
  const read = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength);
  for (let at = HASH_BYTES; at < read.length; at += OWNER_ENTRY_BYTES) yield read.readUInt32LE(at);
}

/** Of all buckets, those that hold an entry at most. */
const FILLED = 0.5;
const CHANCE = crypto.getRandomValues(new Uint32Array(4));

/**
 * Where the balances of owners are. As bytes and numbers: a million owners as keys of a map would be 150 MB. Their first bytes spread owners
 * over the buckets, by chance that each process draws for itself: an employer can seek out owners that begin alike.
 */
export class OwnerIndex {
  #entries: Buffer;
  #count = 0;
  /** Number of an entry plus one, 0: empty. */
  #buckets: Uint32Array;

  /** `expected`: about how many owners there will be. */
  constructor(expected: number) {
    this.#entries = Buffer.alloc(Math.max(64, expected) * OWNER_ENTRY_BYTES);
    this.#buckets = new Uint32Array(bucketsFor(Math.max(64, expected)));
  }

  /** How many owners there are. */
  get count(): number {
    return this.#count;
  }

  /** All entries from one on, as `addAll` takes them. */
  entriesFrom(first: number): Buffer {
    return Buffer.from(this.#entries.subarray(first * OWNER_ENTRY_BYTES, this.#count * OWNER_ENTRY_BYTES));
  }

  /** Takes entries; of an owner who is known the new place counts. */
  addAll(entries: Uint8Array): void {
    const read = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength);
    for (let at = 0; at < read.length; at += OWNER_ENTRY_BYTES) this.set(read, at, read.readUInt32LE(at + HASH_BYTES));
  }

  /** The place of the owner that stands in `bytes` at `at`; undefined if there is none. */
  placeOf(bytes: Uint8Array, at: number): number | undefined {
    const entry = this.#buckets[this.#find(bytes, at)] as number;
    return entry === 0 ? undefined : this.placeOfEntry(entry - 1);
  }

  /** Gives the owner that stands in `bytes` at `at` a place. */
  set(bytes: Uint8Array, at: number, place: number): void {
    this.setPlaceOf(this.entryOf(bytes, at), place);
  }

  /** The number of the entry of the owner that stands in `bytes` at `at`: of one who is not known a new one, whose place is 0 until it is set. */
  entryOf(bytes: Uint8Array, at: number): number {
    if (this.#count >= this.#buckets.length * FILLED) this.#grow();
    const bucket = this.#find(bytes, at);
    const known = this.#buckets[bucket] as number;
    if (known !== 0) return known - 1;
    const entry = this.#count++;
    if (this.#count * OWNER_ENTRY_BYTES > this.#entries.length) {
      this.#entries = Buffer.concat([this.#entries, Buffer.alloc(this.#entries.length)]);
    }
    this.#buckets[bucket] = this.#count;
    const to = entry * OWNER_ENTRY_BYTES;
    for (let byte = 0; byte < HASH_BYTES; byte++) this.#entries[to + byte] = bytes[at + byte] as number;
    return entry;
  }

  /** The place of an entry. */
  placeOfEntry(entry: number): number {
    return this.#entries.readUInt32LE(entry * OWNER_ENTRY_BYTES + HASH_BYTES);
  }

  /** Gives the owner of an entry a place. */
  setPlaceOf(entry: number, place: number): void {
    this.#entries.writeUInt32LE(place, entry * OWNER_ENTRY_BYTES + HASH_BYTES);
  }

  #grow(): void {
    this.#buckets = new Uint32Array(this.#buckets.length * 2);
    for (let entry = 0; entry < this.#count; entry++) {
      this.#buckets[this.#find(this.#entries, entry * OWNER_ENTRY_BYTES)] = entry + 1;
    }
  }

  /** The bucket of an owner, or the empty one where it belongs. */
  #find(bytes: Uint8Array, at: number): number {
    const mask = this.#buckets.length - 1;
    let bucket = (mixed(bytes, at, 0) ^ mixed(bytes, at + 4, 2)) >>> (32 - Math.log2(this.#buckets.length));
    for (;;) {
      const entry = this.#buckets[bucket] as number;
      if (entry === 0 || this.#isAt((entry - 1) * OWNER_ENTRY_BYTES, bytes, at)) return bucket;
      bucket = (bucket + 1) & mask;
    }
  }

  #isAt(from: number, bytes: Uint8Array, at: number): boolean {
    for (let byte = 0; byte < HASH_BYTES; byte++) if (this.#entries[from + byte] !== bytes[at + byte]) return false;
    return true;
  }
}

/** Four bytes multiplied by chance: the high bits of that are as good as random. */
function mixed(bytes: Uint8Array, at: number, chance: number): number {
  const word =
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24);
  return Math.imul(word ^ (CHANCE[chance] as number), (CHANCE[chance + 1] as number) | 1);
}

/** A power of two with room for so many entries. */
function bucketsFor(entries: number): number {
  return 2 ** Math.ceil(Math.log2(entries / FILLED));
}
