import { isBitSet } from '@payouts/client';
import type { Address } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import { forEachLimited } from '../workflow/concurrency.ts';
import type { OwedBook } from './book.ts';
import type { OpenWindow, OwedReader, SeenBatch } from './reader.ts';

/** Lists read from the database at a time. */
const LISTS_AT_A_TIME = 8;

/** Where the private balances of a registered list are. */
export type ListBalances = { readonly count: number; at(index: number): Address };

/** Finds a registered list's balances by schedule and root (hexadecimal); undefined if it has none that can be read. */
export type FindBalances = (schedule: string, root: string) => Promise<ListBalances | undefined>;

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

/**
 * Brings a book up to what the ledgers show, while claims go on. Each payment moves money from a window to a balance in one
 * transaction and sets a bit, so the two leaves fit together if either both have it or neither. A balance that is read after its bit
 * was seen has the payment, and one read before its bit was seen not to be set has it not: so bits are read before the balances and
 * again after them, and whoever was paid in between is read once more.
 */
export class Look {
  readonly #reader: OwedReader;
  readonly #findBalances: FindBalances;

  constructor(reader: OwedReader, findBalances: FindBalances) {
    this.#reader = reader;
    this.#findBalances = findBalances;
  }

  /** What a book that was loaded says of a window that is open. */
  known(book: OwedBook, window: OpenWindow): KnownWindow {
    const leaf = book.leafOf(window.schedule);
    if (leaf?.kind !== 'window' || leaf.window !== window.window) return { ...window, paid: 0n, taken: NOBODY };
    return { ...window, paid: leaf.paid, taken: leaf.paid === 0n ? NOBODY : undefined };
  }

  /**
   * Takes what these windows have paid, and what `others` reads besides; returns the windows as the book has them then, without those
   * that are over.
   */
  async payments(
    book: OwedBook,
    version: bigint,
    windows: readonly KnownWindow[],
    others?: { readonly isEverybody: boolean; readonly read: () => Promise<void> },
  ): Promise<KnownWindow[]> {
    const before = await this.#seen(windows);
    await others?.read();
    const first = await this.#take(book, version, before, others?.isEverybody === true);
    const stillPaying = first.filter(({ batch }) => batch?.bitmap !== undefined || batch === undefined);
    if (stillPaying.length === 0) return first;
    const second = await this.#take(book, version, await this.#seen(stillPaying), false);
    const again = new Map(second.map((window) => [window.schedule, window]));
    return first.map((window) => again.get(window.schedule) ?? window);
  }

  /** These windows as the ledgers show them now, with what the book has of them. */
  async #seen(windows: readonly KnownWindow[]): Promise<KnownWindow[]> {
    const known = new Map(windows.map((window) => [window.schedule, window]));
    const seen = await this.#reader.windows([...known.keys()]);
    return seen.flatMap((window) => {
      const before = known.get(window.schedule);
      return before?.window === window.window ? [{ ...before, batch: window.batch ?? before.batch }] : [];
    });
  }

  /** Reads whoever these windows were seen to have paid and the book does not have, unless that was done. */
  async #take(
    book: OwedBook,
    version: bigint,
    windows: readonly KnownWindow[],
    isRead: boolean,
  ): Promise<KnownWindow[]> {
    const lists = new Map<Address, ListBalances>();
    if (!isRead) {
      await forEachLimited(windows.filter(hasPaidMore), LISTS_AT_A_TIME, async ({ schedule, batch }) => {
        const list = await this.#findBalances(schedule, (batch as SeenBatch).root);
        if (list !== undefined) lists.set(schedule, list);
      });
    }
    const toRead = new Set<Address>();
    const taken = windows.map((window) => {
      const { schedule, batch } = window;
      if (batch === undefined || !hasPaidMore(window)) return window;
      const list = lists.get(schedule);
      for (let index = 0; index < (list?.count ?? 0); index++) {
        const isPaid = batch.bitmap === undefined || has(batch.bitmap, index);
        if (isPaid && !has(window.taken, index)) toRead.add((list as ListBalances).at(index));
      }
      // Payments of a list that is not known can't be read: what does not add up then is found by reading everybody.
      return { ...window, paid: batch.paid, taken: isRead || list !== undefined ? batch.bitmap : undefined };
    });
    await this.#balances(book, version, toRead);
    for (const { schedule, window, paid } of taken) book.setWindow({ schedule, window, paid }, version);
    return taken;
  }

  /** Takes what these balances show; of those that no payment has reached, the layer has created none. */
  async #balances(book: OwedBook, version: bigint, addresses: Iterable<Address>): Promise<void> {
    await this.#reader.balances([...addresses], (address, seen) => {
      if (seen !== undefined) book.setBalance(seen, version);
      else if (book.has(address)) throw gone();
    });
  }

  /** Takes balances of which something is to leave, or was when they were read last. */
  async withdrawals(book: OwedBook, version: bigint): Promise<void> {
    const pending = new Set([...book.pending].map(({ balance }) => balance));
    for (const seen of await this.#reader.balancesWithAttention()) {
      book.setBalance(seen, version);
      pending.delete(seen.balance);
    }
    await this.#balances(book, version, pending);
  }

  /** Takes every balance. */
  async everybody(book: OwedBook, version: bigint): Promise<void> {
    const missing = new Set(book.balances());
    await this.#reader.allBalances(book.tree.leafCount, (seen) => {
      book.setBalance(seen, version);
      missing.delete(seen.balance);
    });
    if (missing.size > 0) throw gone();
  }
}

const gone = () =>
  new RunError('layer-state-lost', 'The execution layer no longer shows a balance that the owed tree knows.');
