import {
  type BalancePlace,
  type ClaimedLeaves,
  type ClaimRange,
  claimedLeaves,
  HASH_BYTES,
  LEAF_TERMS_BYTES,
  MerkleTree,
  type Recipient,
} from '@payouts/client';
import { BLOCK_RECIPIENTS, deliveryAt, type ListRecords, recipientAt } from '../domain/listRecords.ts';

/**
 * A list that can be paid: what its leaves say, who owns their balances and where these are, as bytes; 80,000 recipients as objects would
 * be 60 MB. Private: for no log, metric or error.
 */
export class PayableList {
  // Not `private`: what a log or an error shows of an object leaves these out.
  readonly #records: ListRecords;
  readonly #terms: Uint8Array;
  readonly #view: DataView;
  #places: Uint32Array | undefined;
  #delivered: number[] | undefined;
  #prepared: Promise<MerkleTree> | undefined;

  /** `terms`: of its records. `places`: where the balances are; undefined: not all of them have one. */
  constructor(records: ListRecords, terms: Uint8Array, places: Uint32Array | undefined) {
    this.#records = records;
    this.#terms = terms;
    this.#view = new DataView(terms.buffer, terms.byteOffset);
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

  /** The terms of each leaf, one after the other. */
  get terms(): Uint8Array {
    return this.#terms;
  }

  /** What the recipient at an index is paid, base units. */
  amountAt(index: number): bigint {
    return this.#view.getBigUint64(index * LEAF_TERMS_BYTES + HASH_BYTES, true);
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
    return this.#terms.subarray(index * LEAF_TERMS_BYTES, index * LEAF_TERMS_BYTES + HASH_BYTES);
  }

  /** The leaves of a range as they are claimed. `at`: where a place is. The balances must have their places. */
  claims({ start, count }: ClaimRange, at: (place: number) => BalancePlace): ClaimedLeaves {
    const places = this.#places as Uint32Array;
    const terms = this.#terms.subarray(start * LEAF_TERMS_BYTES, (start + count) * LEAF_TERMS_BYTES);
    return claimedLeaves(start, terms, (index) => at(places[index] as number));
  }

  /** Makes the tree that `tree` is asked for next, while there is nothing else to do. Works in slices of a few milliseconds. */
  prepareTree(): void {
    this.#prepared ??= MerkleTree.ofTerms(this.#terms);
    // Whoever asks for it is told.
    this.#prepared.catch(() => {});
  }

  /** The tree over the list; kept by whoever asks for it. Works in slices of a few milliseconds. */
  tree(): Promise<MerkleTree> {
    const tree = this.#prepared ?? MerkleTree.ofTerms(this.#terms);
    this.#prepared = undefined;
    return tree;
  }
}
