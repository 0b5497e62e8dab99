import {
  type BalancePlace,
  type Claim,
  HASH_BYTES,
  type MerkleTree,
  OWNER_RECORD_BYTES,
  type Recipient,
} from '@payouts/client';
import { amountAt, BLOCK_RECIPIENTS, deliveryAt, type ListRecords, recipientAt } from '../domain/listRecords.ts';

/**
 * A list that can be paid: what its leaves say, who owns their balances and where these are, as bytes; 80,000 recipients as objects would
 * be 60 MB. Private: for no log, metric or error.
 */
export class PayableList {
  // Not `private`: what a log or an error shows of an object leaves these out.
  readonly #records: ListRecords;
  readonly #owners: Uint8Array;
  #places: Uint32Array | undefined;
  #delivered: number[] | undefined;
  #prepared: Promise<MerkleTree> | undefined;

  /** `owners`: of its records. `places`: where the balances are, see `placeOf`; undefined: not all of them have one. */
  constructor(records: ListRecords, owners: Uint8Array, places: Uint32Array | undefined) {
    this.#records = records;
    this.#owners = owners;
    this.#places = places;
  }

  /** How many recipients. */
  get count(): number {
    return this.#records.count;
  }

  /** Where the balances are, by index; undefined before the list is first paid. */
  get places(): Uint32Array | undefined {
    return this.#places;
  }

  /** The balances have got their places, or lost them. */
  place(places: Uint32Array | undefined): void {
    this.#places = places;
  }

  /** Owner 32 ‖ blind 16 of each leaf, one after the other. */
  get owners(): Uint8Array {
    return this.#owners;
  }

  /** What the recipient at an index is paid, base units. */
  amountAt(index: number): bigint {
    const block = this.#records.blocks[Math.floor(index / BLOCK_RECIPIENTS)] as Uint8Array;
    return amountAt(block, index % BLOCK_RECIPIENTS);
  }

  /** The entry at an index. */
  entryAt(index: number): Recipient {
    const number = Math.floor(index / BLOCK_RECIPIENTS);
    return recipientAt(this.#records.blocks[number] as Uint8Array, number, index % BLOCK_RECIPIENTS);
  }

  /** Indexes of the entries whose money goes on to the recipient's own wallet. */
  delivered(): number[] {
    this.#delivered ??= Array.from({ length: this.count }, (_, index) => index).filter((index) => {
      const block = this.#records.blocks[Math.floor(index / BLOCK_RECIPIENTS)] as Uint8Array;
      return deliveryAt(block, index % BLOCK_RECIPIENTS) === 'wallet';
    });
    return this.#delivered;
  }

  /** Who owns the balance of the recipient at an index, 32 bytes. */
  ownerAt(index: number): Uint8Array {
    return this.#owners.subarray(index * OWNER_RECORD_BYTES, index * OWNER_RECORD_BYTES + HASH_BYTES);
  }

  /** So many leaves from an index on as they are claimed. `at`: where a place is. The balances must have their places. */
  claims(start: number, count: number, at: (place: number) => BalancePlace): Claim[] {
    const places = this.#places as Uint32Array;
    return Array.from({ length: count }, (_, offset) => {
      const index = start + offset;
      const owner = this.#owners.subarray(index * OWNER_RECORD_BYTES, (index + 1) * OWNER_RECORD_BYTES);
      return { index, owner, amount: this.amountAt(index), ...at(places[index] as number) };
    });
  }

  /** Makes the tree that `tree` is asked for next, while there is nothing else to do. Works in slices of a few milliseconds. */
  prepareTree(): void {
    this.#prepared ??= this.#records.tree(this.#owners);
    // Whoever asks for it is told.
    this.#prepared.catch(() => {});
  }

  /** The tree over the list; kept by whoever asks for it. Works in slices of a few milliseconds. */
  tree(): Promise<MerkleTree> {
    const tree = this.#prepared ?? this.#records.tree(this.#owners);
    this.#prepared = undefined;
    return tree;
  }
}
