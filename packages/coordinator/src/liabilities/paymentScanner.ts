import { isBitSet, nextTurn } from '@payouts/client';
import type { Address } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import type { FindList, SettledList } from '../lists/listFinder.ts';
import { forEachLimited } from '../platform/concurrency.ts';
import type { LiabilityBook } from './book.ts';
import type { LiabilityReader, ObservedBatch, OpenWindow } from './reader.ts';

/** Lists read from the database at a time. */
const LISTS_AT_A_TIME = 8;
/** Of the payments that are taken by what list and bits say, one in so many is read all the same. */
const READ_ONE_IN = 64;
/** Payments taken between two turns of the event loop: some milliseconds. */
const SLICE = 1_024;

/** An open window as the book has it. */
export type KnownWindow = OpenWindow & {
  /** What the book's balances hold of it, base units: what its leaf says. */
  readonly paid: bigint;
  /** Whose payments those are; undefined: not known. */
  readonly taken: Uint8Array | undefined;
};

const NOBODY = new Uint8Array(0);
/** Whether a window's batch shows more than the book has. */
export const hasPaidMore = ({ batch, paid }: KnownWindow): boolean => batch !== undefined && batch.paid > paid;
const has = (bits: Uint8Array | undefined, index: number): boolean =>
  bits !== undefined && index >> 3 < bits.length && isBitSet(bits, index);

/** Payments that a look has found: balances to be read, and what is added to leaves of the others. */
type Found = { readonly toRead: Set<Address>; readonly toAdd: { readonly place: number; readonly amount: bigint }[] };

/**
 * Brings a book up to what the ledgers show, while claims go on. Each payment moves money from a window to a balance in one
 * transaction and sets a bit, so the two leaves fit together if either both have it or neither. A balance that is read after its bit
 * was seen has the payment, and one read before its bit was seen not to be set has it not: so bits are read before the balances and
 * again after them, and whoever was paid in between is read once more.
 *
 * Most balances need no reading: what a bit stands for is known by the list, whose root the window promised, and the program adds
 * just that to the balance. A payment is added to the leaf of a balance that was not read since the bits were seen before, if all new
 * bits of the window together make up what it has paid since. Mistakes could only be that a leaf has a payment twice, so the sum,
 * which is compared with what the pool holds before anything is recorded, shows each of them; then everything is read. A few are read
 * anyway: by them the same sum tells that the layer has lost what it paid.
 */
export class PaymentScanner {
  /** Where the leaves of a list's balances are in a book, from 1 on; 0: not known. A balance's leaf never moves. */
  readonly #places = new WeakMap<LiabilityBook, WeakMap<SettledList, Uint32Array>>();

  constructor(
    private readonly reader: LiabilityReader,
    private readonly findList: FindList,
  ) {}

  /** What a book that was loaded says of a window that is open. */
  known(book: LiabilityBook, window: OpenWindow): KnownWindow {
    const leaf = book.leafOf(window.schedule);
    if (leaf?.kind !== 'window' || leaf.window !== window.window) return { ...window, paid: 0n, taken: NOBODY };
    return { ...window, paid: leaf.paid, taken: leaf.paid === 0n ? NOBODY : undefined };
  }

  /**
   * Takes what these windows have paid into the book, and what `others` reads besides; each is put to `known` as the book has it then,
   * and taken from there if it is over. `others.read` returns the balances that it has read, if those were not all.
   */
  async payments(
    book: LiabilityBook,
    version: bigint,
    windows: readonly KnownWindow[],
    known: Map<Address, KnownWindow>,
    others?: { readonly isEverybody: boolean; readonly read: () => Promise<ReadonlySet<Address> | undefined> },
  ): Promise<void> {
    // If this fails halfway, nobody knows which of their payments the book has.
    for (const window of windows) known.set(window.schedule, { ...window, taken: undefined });
    const before = await this.#seen(windows);
    const read = new Set(await others?.read());
    const first = await this.#take(book, version, before, read, others?.isEverybody === true);
    const stillPaying = first.filter(({ batch }) => batch?.bitmap !== undefined || batch === undefined);
    const second =
      stillPaying.length === 0 ? [] : await this.#take(book, version, await this.#seen(stillPaying), read, false);
    const isOver = new Set(windows.map(({ schedule }) => schedule));
    for (const window of [...first, ...second]) {
      known.set(window.schedule, window);
      isOver.delete(window.schedule);
    }
    for (const schedule of isOver) known.delete(schedule);
  }

  /** These windows as the ledgers show them now, with what the book has of them. */
  async #seen(windows: readonly KnownWindow[]): Promise<KnownWindow[]> {
    const known = new Map(windows.map((window) => [window.schedule, window]));
    const seen = await this.reader.windows([...known.keys()]);
    return seen.flatMap((window) => {
      const before = known.get(window.schedule);
      return before?.window === window.window ? [{ ...before, batch: window.batch ?? before.batch }] : [];
    });
  }

  /**
   * Takes the payments that these windows were seen to have made and the book does not have, unless everybody was read. `read`: balances
   * that were read since those that the book has were seen; more are put to it.
   */
  async #take(
    book: LiabilityBook,
    version: bigint,
    windows: readonly KnownWindow[],
    read: Set<Address>,
    isRead: boolean,
  ): Promise<KnownWindow[]> {
    const lists = new Map<Address, SettledList>();
    if (!isRead) {
      await forEachLimited(windows.filter(hasPaidMore), LISTS_AT_A_TIME, async ({ schedule, batch }) => {
        const list = await this.findList(schedule, (batch as ObservedBatch).root);
        if (list !== undefined) lists.set(schedule, list);
      });
    }
    const found: Found = { toRead: new Set(), toAdd: [] };
    const known = placesOf(book, read);
    const taken: KnownWindow[] = [];
    for (const window of windows) {
      const { schedule, batch } = window;
      if (batch === undefined || !hasPaidMore(window)) {
        taken.push(window);
        continue;
      }
      const list = lists.get(schedule);
      if (list !== undefined) await this.#find(book, version, window, list, known, found);
      // Payments of a list that is not known can't be read: what does not add up then is found by reading everybody.
      taken.push({ ...window, paid: batch.paid, taken: isRead || list !== undefined ? batch.bitmap : undefined });
    }
    const { toRead, toAdd } = found;
    await this.#balances(book, version, toRead);
    for (const address of toRead) read.add(address);
    // Whatever is read has the payments of all windows.
    const isAlready = placesOf(book, toRead);
    for (const [position, { place, amount }] of toAdd.entries()) {
      if ((position + 1) % SLICE === 0) await nextTurn();
      if (!isAlready.has(place)) book.addPayment(place, amount, version);
    }
    for (const { schedule, window, paid } of taken) book.setWindow({ schedule, window, paid }, version);
    return taken;
  }

  /** Finds the payments of one window that the book does not have. */
  async #find(
    book: LiabilityBook,
    version: bigint,
    { batch, taken, paid }: KnownWindow,
    list: SettledList,
    read: ReadonlySet<number>,
    { toRead, toAdd }: Found,
  ): Promise<void> {
    const { bitmap, paid: paidNow } = batch as ObservedBatch;
    const indexes: number[] = [];
    let sum = 0n;
    for (let index = 0; index < list.count; index++) {
      if ((bitmap !== undefined && !has(bitmap, index)) || has(taken, index)) continue;
      indexes.push(index);
      sum += list.amountAt(index);
    }
    // Bits of those who are held back stand for no payment, and of a closed batch nobody knows who was left out.
    const addsUp = taken !== undefined && sum === paidNow - paid;
    const every = Math.min(READ_ONE_IN, indexes.length);
    const places = this.#placesIn(book, list);
    for (const [position, index] of indexes.entries()) {
      if ((position + 1) % SLICE === 0) await nextTurn();
      const isChecked = position % every === Number(version) % every;
      if (places[index] === 0) places[index] = (book.placeOf(list.balanceAt(index)) ?? -1) + 1;
      const place = (places[index] as number) - 1;
      if (!addsUp || isChecked || list.isDelivered(index) || place === -1 || read.has(place)) {
        toRead.add(list.balanceAt(index));
      } else {
        toAdd.push({ place, amount: list.amountAt(index) });
      }
    }
  }

  #placesIn(book: LiabilityBook, list: SettledList): Uint32Array {
    const ofBook = this.#places.get(book) ?? new WeakMap<SettledList, Uint32Array>();
    this.#places.set(book, ofBook);
    const places = ofBook.get(list) ?? new Uint32Array(list.count);
    ofBook.set(list, places);
    return places;
  }

  /** Takes what these balances show; of those that no payment has reached, the layer has created none. */
  async #balances(book: LiabilityBook, version: bigint, addresses: Iterable<Address>): Promise<void> {
    await this.reader.balances([...addresses], (address, seen) => {
      if (seen !== undefined) book.setBalance(seen, version);
      else if (book.has(address)) throw gone();
    });
  }

  /** Takes balances of which something is to leave, or was when they were read last; returns all that it has read. */
  async withdrawals(book: LiabilityBook, version: bigint): Promise<ReadonlySet<Address>> {
    const pending = new Set([...book.pending].map(({ balance }) => balance));
    const read = new Set(pending);
    for (const seen of await this.reader.balancesWithAttention()) {
      book.setBalance(seen, version);
      read.add(seen.balance);
      pending.delete(seen.balance);
    }
    await this.#balances(book, version, pending);
    return read;
  }

  /** Takes every balance. */
  async everybody(book: LiabilityBook, version: bigint): Promise<void> {
    const missing = new Set(book.balances());
    await this.reader.allBalances(book.tree.leafCount, (seen) => {
      book.setBalance(seen, version);
      missing.delete(seen.balance);
    });
    if (missing.size > 0) throw gone();
  }
}

/** Where the leaves of those of the balances are that have one. */
function placesOf(book: LiabilityBook, balances: Iterable<Address>): Set<number> {
  const places = new Set<number>();
  for (const balance of balances) {
    const place = book.placeOf(balance);
    if (place !== undefined) places.add(place);
  }
  return places;
}

const gone = () =>
  new RunError('layer-state-lost', 'The execution layer no longer shows a balance that the liabilities tree knows.');
