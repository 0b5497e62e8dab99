import { isBitSet, nextTurn, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import { pageOfPlace, pagesOfPlaces } from '../domain/places.ts';
import type { FindList, SettledList } from '../lists/listFinder.ts';
import { forEachLimited } from '../platform/concurrency.ts';
import type { LiabilityBook } from './book.ts';
import type { LiabilityReader, ObservedBatch, OpenWindow } from './reader.ts';

/** Lists read from the database at a time. */
const LISTS_AT_A_TIME = 8;
/** Of the pages whose balances are taken by what list and bits say, one in so many is read all the same. */
const READ_ONE_IN = 64;
/** Payments taken between two turns of the event loop: some milliseconds. */
const SLICE = 1_024;

/** An open window as the book has it. */
export type KnownWindow = OpenWindow & {
  /** What the book's balances hold of it, base units: what its leaf says. */
  readonly paid: bigint;
  /** Whose payments those are; undefined: not known. */
  readonly taken: Uint8Array | undefined;
  /** When it was looked at last, or became known, unix milliseconds. */
  readonly readAt: number;
};

const NOBODY = new Uint8Array(0);
/** Whether a window's batch shows more than the book has. */
export const hasPaidMore = ({ batch, paid }: KnownWindow): boolean => batch !== undefined && batch.paid > paid;
const has = (bits: Uint8Array | undefined, index: number): boolean =>
  bits !== undefined && index >> 3 < bits.length && isBitSet(bits, index);

/** Payments of a list, by their indexes in it. */
type Payments = { readonly list: SettledList; readonly indexes: readonly number[] };

/** Payments that a look has found: places to be read, and what is added to leaves of the others. */
type Found = { readonly toRead: Set<number>; readonly toAdd: Payments[] };

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
  constructor(
    private readonly reader: LiabilityReader,
    private readonly findList: FindList,
    private readonly time: Pick<Time, 'now'>,
  ) {}

  /** What a book that was loaded says of a window that is open. */
  known(book: LiabilityBook, window: OpenWindow): KnownWindow {
    const leaf = book.windowLeaf(window.schedule);
    const paid = leaf?.kind === 'window' && leaf.window === window.window ? leaf.paid : 0n;
    return { ...window, paid, taken: paid === 0n ? NOBODY : undefined, readAt: this.time.now() };
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
    others?: { readonly isEverybody: boolean; readonly read: () => Promise<ReadonlySet<number> | undefined> },
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
    const readAt = this.time.now();
    for (const window of [...first, ...second]) {
      known.set(window.schedule, { ...window, readAt });
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
   * that were read since those that the book has were seen; more are put to it. All balances by their places.
   */
  async #take(
    book: LiabilityBook,
    version: bigint,
    windows: readonly KnownWindow[],
    read: Set<number>,
    isRead: boolean,
  ): Promise<KnownWindow[]> {
    const lists = new Map<Address, SettledList>();
    if (!isRead) {
      await forEachLimited(windows.filter(hasPaidMore), LISTS_AT_A_TIME, async ({ schedule, batch }) => {
        const list = await this.findList(schedule, (batch as ObservedBatch).root);
        if (list?.places !== undefined) lists.set(schedule, list);
      });
    }
    const found: Found = { toRead: new Set(), toAdd: [] };
    const taken: KnownWindow[] = [];
    for (const window of windows) {
      const { schedule, batch } = window;
      if (batch === undefined || !hasPaidMore(window)) {
        taken.push(window);
        continue;
      }
      const list = lists.get(schedule);
      if (list !== undefined) this.#find(version, window, list, read, found);
      // Payments of a list that is not known can't be read: what does not add up then is found by reading everybody.
      taken.push({ ...window, paid: batch.paid, taken: isRead || list !== undefined ? batch.bitmap : undefined });
    }
    const { toRead, toAdd } = found;
    await this.balances(book, version, toRead);
    for (const place of toRead) read.add(place);
    for (const { list, indexes } of toAdd) {
      const places = list.places as Uint32Array;
      for (const [position, index] of indexes.entries()) {
        if ((position + 1) % SLICE === 0) await nextTurn();
        const place = places[index] as number;
        // Whatever is read has the payments of all windows.
        if (toRead.has(place)) continue;
        book.addPayment(place, { owner: list.ownerAt(index), amount: list.amountAt(index) }, version);
      }
    }
    for (const { schedule, window, paid } of taken) book.setWindow({ schedule, window, paid }, version);
    return taken;
  }

  /** Finds the payments of one window that the book does not have. */
  #find(
    version: bigint,
    { batch, taken, paid }: KnownWindow,
    list: SettledList,
    read: ReadonlySet<number>,
    { toRead, toAdd }: Found,
  ): void {
    const { bitmap, paid: paidNow } = batch as ObservedBatch;
    const places = list.places as Uint32Array;
    const indexes: number[] = [];
    let sum = 0n;
    for (let index = 0; index < list.count; index++) {
      if ((bitmap !== undefined && !has(bitmap, index)) || has(taken, index)) continue;
      indexes.push(index);
      sum += list.amountAt(index);
    }
    // Bits of those who are held back stand for no payment, and of a closed batch nobody knows who was left out.
    const addsUp = taken !== undefined && sum === paidNow - paid;
    const pages = [...pagesOfPlaces(indexes.map((index) => places[index] as number))];
    const every = Math.min(READ_ONE_IN, pages.length);
    const checked = new Set(pages.filter((_, at) => at % every === Number(version) % every));
    const others: number[] = [];
    for (const index of indexes) {
      const place = places[index] as number;
      if (!addsUp || checked.has(pageOfPlace(place)) || read.has(place)) toRead.add(place);
      else others.push(index);
    }
    toAdd.push({ list, indexes: others });
  }

  /** Takes what the balances at these places show; a place that no payment has reached, nobody has. */
  async balances(book: LiabilityBook, version: bigint, places: Iterable<number>): Promise<void> {
    await this.reader.balances(places, (place, seen) => {
      if (seen !== undefined) book.setBalance(place, seen, version);
      else if (book.has(place)) throw gone();
    });
  }

  /**
   * Takes withdrawals that have their numbers, and the balances that they left; returns the places of these. One that is not shown any
   * more was cleared, because the base ledger had paid it.
   */
  async withdrawals(book: LiabilityBook, version: bigint, room: MakeRoom): Promise<ReadonlySet<number>> {
    const read = new Set<number>();
    const gone = new Set([...book.pending].map(({ number }) => number));
    const found = await this.reader.numbered();
    await room(found.reduce((sum, { personal }) => sum + personal.withdrawals().length, 0));
    for (const { personal, place, balance } of found) {
      book.setBalance(place, balance, version);
      read.add(place);
      for (const withdrawal of personal.withdrawals()) {
        if (withdrawal.number === 0n) continue;
        book.setWithdrawal(withdrawal, version);
        gone.delete(withdrawal.number);
      }
    }
    for (const number of gone) book.removeWithdrawal(number, version);
    return read;
  }

  /** Takes every balance. */
  async everybody(book: LiabilityBook, version: bigint): Promise<void> {
    const missing = new Set(book.balances());
    await this.reader.allBalances((place, seen) => {
      book.setBalance(place, seen, version);
      missing.delete(place);
    });
    if (missing.size > 0) throw gone();
  }
}

/** Sees to it that a book has room for so many more windows or withdrawals. */
export type MakeRoom = (places: number) => Promise<void>;

const gone = () =>
  new RunError('layer-state-lost', 'The execution layer no longer shows a balance that the liabilities tree knows.');
