import { randomBytes } from 'node:crypto';
import { toBase58 } from './base58.ts';

/** Blocks for which a blockhash may be used, as on Solana's clusters. */
export const BLOCKHASH_LIFETIME = 150n;
/** Blocks for which it is known: a node may be so far behind that it takes one that has expired. */
const KEPT = 2n * BLOCKHASH_LIFETIME;

const SLOT_HASHES = 150;
const SLOT_HASH_BYTES = 40;

/**
 * The blockhashes that transactions may name, and the SlotHashes sysvar.
 *
 * A block is made by time, a slot also by each transaction. So block heights pass as on a real cluster (150 blocks are a
 * minute), however many transactions are sent, while every transaction still has a slot of its own.
 */
export class Blockhashes {
  readonly #heights = new Map<string, bigint>();
  readonly #slotHashes = Buffer.alloc(8 + SLOT_HASHES * SLOT_HASH_BYTES);
  #height: bigint;
  #latest = '';
  #latestBytes: Uint8Array = new Uint8Array(32);
  #slotCount = 0;

  constructor(height: bigint) {
    this.#height = height;
  }

  /** Blocks since the ledger began. */
  get height(): bigint {
    return this.#height;
  }

  /** The newest blockhash, base58. */
  get latest(): string {
    return this.#latest;
  }

  /** Makes a block: a new blockhash; an old one expires. */
  advance(): void {
    this.#height += 1n;
    this.#latestBytes = randomBytes(32);
    this.#latest = toBase58(this.#latestBytes);
    this.#heights.set(this.#latest, this.#height);
    for (const [hash, height] of this.#heights) {
      if (height + KEPT >= this.#height) break;
      this.#heights.delete(hash);
    }
  }

  /** Whether a transaction may name this blockhash at a block height, by default now. */
  isValid(blockhash: string, at = this.#height): boolean {
    const height = this.#heights.get(blockhash);
    return height !== undefined && height <= at && height + BLOCKHASH_LIFETIME >= at;
  }

  /** Adds a slot to SlotHashes and returns the sysvar's data: count u64, then slot u64 and hash, newest first. */
  recordSlot(slot: bigint): Uint8Array {
    const entries = this.#slotHashes;
    entries.copyWithin(8 + SLOT_HASH_BYTES, 8, entries.length - SLOT_HASH_BYTES);
    entries.writeBigUInt64LE(slot, 8);
    entries.set(this.#latestBytes, 16);
    this.#slotCount = Math.min(this.#slotCount + 1, SLOT_HASHES);
    entries.writeBigUInt64LE(BigInt(this.#slotCount), 0);
    return entries.subarray(0, 8 + this.#slotCount * SLOT_HASH_BYTES);
  }
}
