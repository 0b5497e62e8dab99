import { type LiabilityLeaf, LiabilityTree } from '@payouts/client';
import type { Address } from '@solana/kit';
import {
  addAmount,
  amountAt,
  type Blinds,
  ENTRY_BYTES,
  entryHash,
  isUnchanged,
  type LiabilityBalance,
  type LiabilityEntry,
  type LiabilityWindow,
  leafOf,
  readEntry,
  updateBalance,
  writeEntry,
} from '../domain/liability.ts';

/** Leaves that are stored together. */
export const CHUNK_LEAVES = 256;
const FIRST_CAPACITY = 4 * CHUNK_LEAVES;

/** A withdrawal under way; base units. `wallet` is undefined until its balance has been read. */
export type Pending = {
  readonly balance: Address;
  readonly number: bigint;
  readonly amount: bigint;
  readonly wallet: Address | undefined;
};

/**
 * One token's liabilities tree with the content of its leaves, and the sums that a recording needs, kept as leaves change. A balance's
 * leaf never moves; a window's place is taken by something else once the window is over. Private: nothing of it is for a log.
 */
export class LiabilityBook {
  readonly tree = new LiabilityTree();
  #entries = Buffer.alloc(FIRST_CAPACITY * ENTRY_BYTES);
  /** Places by address: a balance's own, or a window's schedule. */
  readonly #places = new Map<Address, number>();
  readonly #free: number[] = [];
  readonly #windows = new Map<Address, bigint>();
  readonly #pending = new Map<Address, Pending>();
  /** Chunks of which leaves show something else than is stored; true: or belong to somebody else. */
  readonly #changedChunks = new Map<number, boolean>();
  #balancesTotal = 0n;

  constructor(private readonly blinds: Blinds) {}

  /** Sum of all balances' amounts, without withdrawals under way. */
  get balancesTotal(): bigint {
    return this.#balancesTotal;
  }

  /** Withdrawals that were under way when their balances were read. */
  get pending(): Iterable<Pending> {
    return this.#pending.values();
  }

  /** Windows that have a leaf. */
  get windows(): ReadonlyMap<Address, bigint> {
    return this.#windows;
  }

  /** Addresses of all balances. */
  *balances(): Generator<Address> {
    for (const address of this.#places.keys()) if (!this.#windows.has(address)) yield address;
  }

  has(balance: Address): boolean {
    return this.placeOf(balance) !== undefined;
  }

  /** Where a balance's leaf is, for `addPayment`. */
  placeOf(balance: Address): number | undefined {
    return this.#windows.has(balance) ? undefined : this.#places.get(balance);
  }

  /** The leaf of a balance, or of a schedule's open window. */
  leafOf(address: Address): LiabilityLeaf | undefined {
    const index = this.#places.get(address);
    return index === undefined ? undefined : leafOf(this.#entry(index), index, this.blinds);
  }

  /** Takes what a balance shows; `version` is the recording that is being prepared. */
  setBalance(seen: LiabilityBalance, version: bigint): void {
    const { balance } = seen;
    const index = this.#places.get(balance);
    if (index === undefined) {
      const { recipient, amount, pendingNumber, pendingAmount } = seen;
      const entry = { kind: 'balance', balance, recipient, amount, pendingNumber, pendingAmount, version } as const;
      this.#put(this.#freePlace(), entry, true);
      this.#note(seen);
      return;
    }
    const offset = index * ENTRY_BYTES;
    if (isUnchanged(this.#entries, offset, seen)) {
      this.#note(seen);
      return;
    }
    this.#balancesTotal -= amountAt(this.#entries, offset);
    updateBalance(this.#entries, offset, seen, version);
    this.#changed(index, false);
    this.#count(seen);
  }

  /** Adds a payment, base units, to the balance whose leaf is at a place. */
  addPayment(index: number, amount: bigint, version: bigint): void {
    addAmount(this.#entries, index * ENTRY_BYTES, amount, version);
    this.#balancesTotal += amount;
    this.#changed(index, false);
  }

  /** Takes what an open window has paid. */
  setWindow(seen: LiabilityWindow, version: bigint): void {
    const { schedule } = seen;
    const index = this.#places.get(schedule);
    const known = index === undefined ? undefined : this.#entry(index);
    if (known?.kind === 'window' && known.window === seen.window && known.paid === seen.paid) return;
    this.#put(index ?? this.#freePlace(), { kind: 'window', ...seen, version }, index === undefined);
  }

  /** A schedule's window is over: its leaf's place becomes free. */
  removeWindow(schedule: Address, version: bigint): void {
    const index = this.#places.get(schedule);
    if (index === undefined || !this.#windows.delete(schedule)) return;
    this.#places.delete(schedule);
    this.#put(index, { kind: 'free', version }, true);
  }

  /** Entries of a chunk as they are stored. */
  chunk(number: number): Buffer {
    const end = Math.min((number + 1) * CHUNK_LEAVES, this.tree.leafCount);
    return Buffer.from(this.#entries.subarray(number * CHUNK_LEAVES * ENTRY_BYTES, end * ENTRY_BYTES));
  }

  /** Takes a stored chunk; those of a tree come in order. */
  load(entries: Buffer): void {
    for (let offset = 0; offset < entries.length; offset += ENTRY_BYTES) {
      this.#put(this.tree.leafCount, readEntry(entries, offset), true);
    }
    this.#changedChunks.clear();
  }

  /** Chunks that are no longer as they were stored, in order; `who`: also whose the leaves are. */
  takeChangedChunks(): { readonly chunk: number; readonly who: boolean }[] {
    const changed = [...this.#changedChunks].map(([chunk, who]) => ({ chunk, who }));
    this.#changedChunks.clear();
    return changed.filter(({ chunk }) => chunk * CHUNK_LEAVES < this.tree.leafCount).sort((a, b) => a.chunk - b.chunk);
  }

  /** Chunks are to be stored again, whether they change or not. */
  markChanged(chunks: Iterable<number>): void {
    for (const chunk of chunks) this.#changedChunks.set(chunk, true);
  }

  #entry(index: number): LiabilityEntry {
    return readEntry(this.#entries, index * ENTRY_BYTES);
  }

  #freePlace(): number {
    return this.#free.pop() ?? this.tree.leafCount;
  }

  /** `isMoved`: the place belonged to nobody or somebody else. */
  #put(index: number, entry: LiabilityEntry, isMoved: boolean): void {
    if ((index + 1) * ENTRY_BYTES > this.#entries.length) {
      this.#entries = Buffer.concat([this.#entries, Buffer.alloc(this.#entries.length)]);
    }
    writeEntry(this.#entries, index * ENTRY_BYTES, entry);
    this.#changed(index, isMoved);
    if (entry.kind === 'free') {
      this.#free.push(index);
    } else if (entry.kind === 'window') {
      this.#places.set(entry.schedule, index);
      this.#windows.set(entry.schedule, entry.window);
    } else {
      this.#places.set(entry.balance, index);
      this.#count(entry);
    }
  }

  /** Takes an entry that was written into the tree. */
  #changed(index: number, isMoved: boolean): void {
    const chunk = Math.floor(index / CHUNK_LEAVES);
    this.#changedChunks.set(chunk, isMoved || this.#changedChunks.get(chunk) === true);
    const hash = entryHash(this.#entries, index * ENTRY_BYTES, index, this.blinds);
    if (index === this.tree.leafCount) this.tree.push(hash);
    else this.tree.set(index, hash);
  }

  /** Takes a balance that was written into the sums. */
  #count(seen: LiabilityBalance): void {
    this.#balancesTotal += seen.amount;
    this.#note(seen);
  }

  /** Takes the withdrawal under way of a balance, whose leaf does not show where it goes. */
  #note(seen: LiabilityBalance): void {
    const { balance, pendingNumber: number, pendingAmount: amount } = seen;
    if (number === 0n) this.#pending.delete(balance);
    else this.#pending.set(balance, { balance, number, amount, wallet: seen.pendingWallet });
  }
}
