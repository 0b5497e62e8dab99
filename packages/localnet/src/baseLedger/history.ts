import type { TransactionErrorJson } from './transactionErrors.ts';

/** Where a landed transaction stands, and what a status query needs. */
export interface HistoryEntry {
  readonly signature: string;
  readonly slot: number;
  /** unix seconds of the ledger's clock */
  readonly blockTime: number;
  /** unix milliseconds of the machine's clock */
  readonly at: number;
  readonly err: TransactionErrorJson | null;
  /** Accounts the transaction names. */
  readonly addresses: readonly string[];
  /** The record's place in the journal, bytes. */
  readonly offset: number;
  readonly length: number;
}

/** Transactions found by signature or address. At this many, the oldest are forgotten; the journal keeps them all. */
export const HISTORY_LIMIT = 100_000;

/** The index over the journal's transactions, oldest first. */
export class History {
  readonly #bySignature = new Map<string, HistoryEntry>();
  readonly #byAddress = new Map<string, HistoryEntry[]>();
  readonly #bySlot = new Map<number, HistoryEntry>();
  #firstSlot = 0;

  /** Adds a transaction; the oldest goes when there are too many. */
  add(entry: HistoryEntry): void {
    this.#bySignature.set(entry.signature, entry);
    this.#bySlot.set(entry.slot, entry);
    for (const address of new Set(entry.addresses)) {
      const entries = this.#byAddress.get(address);
      if (entries === undefined) this.#byAddress.set(address, [entry]);
      else entries.push(entry);
    }
    if (this.#bySignature.size > HISTORY_LIMIT) this.#forgetOldest();
  }

  get(signature: string): HistoryEntry | undefined {
    return this.#bySignature.get(signature);
  }

  /** The transaction of a slot; each slot has at most one. */
  atSlot(slot: number): HistoryEntry | undefined {
    return this.#bySlot.get(slot);
  }

  /** Transactions that name an address, oldest first. */
  forAddress(address: string): readonly HistoryEntry[] {
    return this.#byAddress.get(address) ?? [];
  }

  /** The first slot of which no transaction has been forgotten. */
  get firstSlot(): number {
    return this.#firstSlot;
  }

  /** The oldest transaction still indexed. */
  get oldest(): HistoryEntry | undefined {
    return this.#bySignature.values().next().value;
  }

  #forgetOldest(): void {
    const oldest = this.oldest;
    if (oldest === undefined) return;
    this.#firstSlot = oldest.slot + 1;
    this.#bySignature.delete(oldest.signature);
    this.#bySlot.delete(oldest.slot);
    for (const address of new Set(oldest.addresses)) {
      const entries = this.#byAddress.get(address);
      entries?.shift();
      if (entries?.length === 0) this.#byAddress.delete(address);
    }
  }
}
