import { addressFromBytes, addressToBytes, type LiabilityLeaf } from '@payouts/client';
import type { Address } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import {
  type Blinds,
  ENTRY_BYTES,
  Entries,
  entryHashInto,
  kindAt,
  type LiabilityBalance,
  type LiabilityEntry,
  type LiabilityWindow,
  leafOf,
  NOBODY,
  type Pending,
  readEntry,
} from '../domain/liability.ts';
import { PAGE_PLACES } from '../domain/places.ts';
import { LiabilityTree } from './liabilityTree.ts';

/** Leaves that are stored together: those of a page. */
export const CHUNK_LEAVES = PAGE_PLACES;
/** Levels between a chunk's leaves and the node above them. */
const CHUNK_LEVEL = Math.log2(CHUNK_LEAVES);
const FIRST_CAPACITY = 4 * CHUNK_LEAVES;

/**
 * One token's liabilities tree with the content of its leaves, and the sums that a recording needs, kept as leaves change. A balance's
 * leaf is where its slot is: page × 256 + slot. Windows and withdrawals take places of pages that the book has for itself, again and again.
 * Private: nothing of it is for a log.
 */
export class LiabilityBook {
  readonly tree = new LiabilityTree((place, target, at) =>
    entryHashInto(this.#entries.bytes, place * ENTRY_BYTES, place, this.blinds, target, at),
  );
  #entries = new Entries(Buffer.alloc(FIRST_CAPACITY * ENTRY_BYTES));
  /** Places of windows by schedule, and of withdrawals by number. */
  readonly #windowPlaces = new Map<Address, number>();
  readonly #withdrawalPlaces = new Map<bigint, number>();
  readonly #free: number[] = [];
  readonly #windows = new Map<Address, bigint>();
  readonly #pending = new Map<bigint, Pending>();
  /** Chunks of which leaves show something else than is stored; true: or belong to somebody else. */
  readonly #changedChunks = new Map<number, boolean>();
  #balancesTotal = 0n;

  constructor(private readonly blinds: Blinds) {}

  /** Sum of all balances' amounts, without withdrawals under way. */
  get balancesTotal(): bigint {
    return this.#balancesTotal;
  }

  /** Withdrawals that were under way when they were looked for last. */
  get pending(): Iterable<Pending> {
    return this.#pending.values();
  }

  /** Windows that have a leaf. */
  get windows(): ReadonlyMap<Address, bigint> {
    return this.#windows;
  }

  /** Places for further windows and withdrawals. */
  get room(): number {
    return this.#free.length;
  }

  /** Takes a page's number for windows and withdrawals. */
  addRoom(page: number): void {
    const first = page * PAGE_PLACES;
    this.#extendTo(first + PAGE_PLACES);
    for (let place = first + PAGE_PLACES - 1; place >= first; place--) {
      this.#put(place, { kind: 'free', who: NOBODY, amount: 0n, number: 0n, version: 0n }, true);
    }
  }

  /** Places of all balances. */
  *balances(): Generator<number> {
    for (let place = 0; place < this.tree.leafCount; place++) if (this.has(place)) yield place;
  }

  /** Whether a balance has a leaf. */
  has(place: number): boolean {
    return place < this.tree.leafCount && this.#entries.isBalanceAt(place * ENTRY_BYTES);
  }

  /** The leaf of a schedule's open window. */
  windowLeaf(schedule: Address): LiabilityLeaf | undefined {
    const place = this.#windowPlaces.get(schedule);
    return place === undefined ? undefined : leafOf(this.#entry(place), place, this.blinds);
  }

  /** The leaves of an owner: of the balance, and of its withdrawals under way. */
  leavesOf(owner: Uint8Array): LiabilityLeaf[] {
    const leaves: LiabilityLeaf[] = [];
    for (let place = 0; place < this.tree.leafCount; place++) {
      const offset = place * ENTRY_BYTES;
      if (!this.#entries.isWhoAt(offset, owner)) continue;
      if (['balance', 'withdrawal'].includes(kindAt(this.#entries.bytes, offset))) {
        leaves.push(leafOf(this.#entry(place), place, this.blinds));
      }
    }
    return leaves;
  }

  /** Takes what the balance at a place shows; `version` is the recording that is being prepared. Throws `RunError` if it is another owner's. */
  setBalance(place: number, { owner, amount }: LiabilityBalance, version: bigint): void {
    if (!this.has(place)) {
      this.#extendTo(place + 1);
      this.#put(place, { kind: 'balance', who: owner, amount, number: 0n, version }, true);
      this.#balancesTotal += amount;
      return;
    }
    const offset = place * ENTRY_BYTES;
    // Slots keep their owners for good: the page was lost, and made again.
    if (!this.#entries.isWhoAt(offset, owner)) {
      throw new RunError(
        'layer-state-lost',
        'The execution layer shows another owner in a place of the liabilities tree.',
      );
    }
    const before = this.#entries.amountAt(offset);
    if (before !== amount) this.#setAmount(place, amount, amount - before, version);
  }

  /** Adds a payment, base units, to the balance at a place, as a list has it. Throws `RunError` if it is another owner's. */
  addPayment(place: number, { owner, amount }: LiabilityBalance, version: bigint): void {
    if (!this.has(place)) {
      this.setBalance(place, { owner, amount }, version);
      return;
    }
    const offset = place * ENTRY_BYTES;
    if (!this.#entries.isWhoAt(offset, owner)) {
      throw new RunError('liabilities-mismatch', 'A list has a place of the liabilities tree that has another owner.');
    }
    this.#setAmount(place, this.#entries.amountAt(offset) + amount, amount, version);
  }

  #setAmount(place: number, amount: bigint, more: bigint, version: bigint): void {
    this.#entries.writeAmount(place * ENTRY_BYTES, amount, version);
    this.#balancesTotal += more;
    this.#changed(place, false);
  }

  /** Takes a withdrawal under way. There must be room. */
  setWithdrawal(seen: Pending, version: bigint): void {
    const { number, owner, amount } = seen;
    this.#pending.set(number, seen);
    if (this.#withdrawalPlaces.has(number)) return;
    this.#put(this.#freePlace(), { kind: 'withdrawal', who: owner, amount, number, version }, true);
  }

  /** A withdrawal is not under way any more. */
  removeWithdrawal(number: bigint, version: bigint): void {
    const place = this.#withdrawalPlaces.get(number);
    if (place === undefined) return;
    this.#withdrawalPlaces.delete(number);
    this.#pending.delete(number);
    this.#put(place, { kind: 'free', who: NOBODY, amount: 0n, number: 0n, version }, true);
  }

  /** Takes what an open window has paid. There must be room. */
  setWindow({ schedule, window, paid }: LiabilityWindow, version: bigint): void {
    const place = this.#windowPlaces.get(schedule);
    const known = place === undefined ? undefined : this.#entry(place);
    if (known?.number === window && known.amount === paid) return;
    const entry = { kind: 'window', who: addressToBytes(schedule), amount: paid, number: window, version } as const;
    this.#put(place ?? this.#freePlace(), entry, place === undefined);
  }

  /** A schedule's window is over: its leaf's place becomes free. */
  removeWindow(schedule: Address, version: bigint): void {
    const place = this.#windowPlaces.get(schedule);
    if (place === undefined || !this.#windows.delete(schedule)) return;
    this.#windowPlaces.delete(schedule);
    this.#put(place, { kind: 'free', who: NOBODY, amount: 0n, number: 0n, version }, true);
  }

  /** Entries of a chunk as they are stored. */
  chunk(number: number): Buffer {
    const end = Math.min((number + 1) * CHUNK_LEAVES, this.tree.leafCount);
    return Buffer.from(this.#entries.bytes.subarray(number * CHUNK_LEAVES * ENTRY_BYTES, end * ENTRY_BYTES));
  }

  /** The node of the tree above a chunk's leaves. */
  chunkHash(number: number): Uint8Array {
    return this.tree.nodeAt(CHUNK_LEVEL, number);
  }

  /** Takes a stored chunk; those of a tree come in order. */
  load(entries: Buffer): void {
    for (let offset = 0; offset < entries.length; offset += ENTRY_BYTES) {
      const entry = readEntry(entries, offset);
      if (entry.kind === 'balance') this.#balancesTotal += entry.amount;
      if (entry.kind === 'withdrawal') {
        const { who, number, amount } = entry;
        this.#pending.set(number, { owner: Uint8Array.from(who), number, amount, wallet: undefined });
      }
      this.#put(this.tree.leafCount, entry, true);
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

  #entry(place: number): LiabilityEntry {
    return readEntry(this.#entries.bytes, place * ENTRY_BYTES);
  }

  #freePlace(): number {
    const place = this.#free.pop();
    if (place === undefined) throw new Error('The liabilities tree has no room for another window or withdrawal.');
    return place;
  }

  /** Adds leaves of nobody, whole pages, until there are so many. */
  #extendTo(leaves: number): void {
    const first = this.tree.leafCount;
    const end = Math.ceil(leaves / PAGE_PLACES) * PAGE_PLACES;
    if (first >= end) return;
    // Their entries are zero, as what lies behind the last one is.
    this.#reserve(end);
    for (let chunk = Math.floor(first / CHUNK_LEAVES); chunk * CHUNK_LEAVES < end; chunk++) {
      this.#changedChunks.set(chunk, true);
    }
    this.tree.extend(end - first);
  }

  /** Sees to it that so many entries have room. */
  #reserve(entries: number): void {
    const { bytes } = this.#entries;
    if (entries * ENTRY_BYTES <= bytes.length) return;
    const grown = Buffer.alloc(Math.max(2 * bytes.length, entries * ENTRY_BYTES));
    grown.set(bytes);
    this.#entries = new Entries(grown);
  }

  /** `isMoved`: the place belonged to nobody or somebody else. */
  #put(place: number, entry: LiabilityEntry, isMoved: boolean): void {
    this.#reserve(place + 1);
    this.#entries.write(place * ENTRY_BYTES, entry);
    this.#changed(place, isMoved);
    const { kind, who, number } = entry;
    if (kind === 'free') this.#free.push(place);
    else if (kind === 'withdrawal') this.#withdrawalPlaces.set(number, place);
    else if (kind === 'window') {
      const schedule = addressFromBytes(who);
      this.#windowPlaces.set(schedule, place);
      this.#windows.set(schedule, number);
    }
  }

  /** Takes an entry that was written into the tree. */
  #changed(place: number, isMoved: boolean): void {
    const chunk = Math.floor(place / CHUNK_LEAVES);
    if (isMoved || !this.#changedChunks.has(chunk)) this.#changedChunks.set(chunk, isMoved);
    if (place === this.tree.leafCount) this.tree.extend(1);
    else this.tree.change(place);
  }
}
