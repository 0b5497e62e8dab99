import type { Claim, MerkleTree } from '@payouts/client';
import type { Address } from '@solana/kit';
import { amountAt, BLOCK_RECIPIENTS, deliveryAt, type ListRecords, recipientsOf } from '../domain/listRecords.ts';
import { balanceAt } from './derive.ts';

/**
 * A list that can be paid: what its leaves say and where their balances are, as bytes; 80,000 recipients as objects would be 60 MB.
 * Private: for no log, metric or error.
 */
export class PayableList {
  // Not `private`: what a log or an error shows of an object leaves these out.
  readonly #records: ListRecords;
  readonly #balances: readonly Uint8Array[];

  /** `balances`: of each block of records, as `deriveBlock` makes them. */
  constructor(records: ListRecords, balances: readonly Uint8Array[]) {
    this.#records = records;
    this.#balances = balances;
  }

  /** How many recipients. */
  get count(): number {
    return this.#records.count;
  }

  /** The balance of the recipient at an index. */
  balanceAt(index: number): Address {
    return balanceAt(this.#balances[blockOf(index)] as Uint8Array, placeOf(index)).address;
  }

  /** What the recipient at an index is paid, base units. */
  amountAt(index: number): bigint {
    return amountAt(this.#records.blocks[blockOf(index)] as Uint8Array, placeOf(index));
  }

  /** Whether what the recipient at an index is paid goes on to a wallet. */
  isDelivered(index: number): boolean {
    return deliveryAt(this.#records.blocks[blockOf(index)] as Uint8Array, placeOf(index)) === 'wallet';
  }

  /** So many leaves from an index on, as far as the list goes, with their balances, as they are claimed. */
  claims(start: number, count: number): Claim[] {
    const claims: Claim[] = [];
    const end = Math.min(start + count, this.count);
    for (let first = start; first < end; first = start + claims.length) {
      const block = blockOf(first);
      const records = this.#records.blocks[block] as Uint8Array;
      const balances = this.#balances[block] as Uint8Array;
      for (const leaf of recipientsOf(records, block, placeOf(first), end - first)) {
        const { address: balance, bump } = balanceAt(balances, placeOf(leaf.index));
        claims.push(Object.assign(leaf, { balance, bump }));
      }
    }
    return claims;
  }

  /** The tree over the list. Works in slices of a few milliseconds. */
  tree(): Promise<MerkleTree> {
    return this.#records.tree();
  }
}

const blockOf = (index: number): number => Math.floor(index / BLOCK_RECIPIENTS);
const placeOf = (index: number): number => index % BLOCK_RECIPIENTS;
