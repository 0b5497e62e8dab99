import {
  type Liabilities,
  MAX_RECORDED_WITHDRAWALS,
  type PayableWithdrawal,
  type Pool,
  poolHeld,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { isUnsupported, RunError } from '../domain/errors.ts';
import { newListKey } from '../store/crypto/cipher.ts';
import type { MovedPlaces } from './movedPlaces.ts';
import { hasPaidMore, type KnownWindow, PaymentScanner } from './paymentScanner.ts';
import type { LiabilityReader, PoolAtOnce } from './reader.ts';
import type { RecorderContext } from './recorderContext.ts';
import type { LiabilityTreeStore, TreeState } from './treeStore.ts';
import { WithdrawalTree } from './withdrawalTree.ts';

/** Attempt from which on the whole tree is rebuilt from the ledgers. */
const REBUILD_FROM = 3;
/**
 * Milliseconds after which a settlement looks for withdrawals again, and at each open window that is not to be settled, so that the recorded
 * tree is never much older. On a pay day most windows are over before.
 */
const OLD_MS = 10_000;

/** A book that adds up to what the pool holds, and what the next recording is to say. */
export type LiabilitySnapshot = {
  readonly state: TreeState;
  readonly pool: Pool;
  /** The windows that the book knows. */
  readonly known: KnownOpenings;
  readonly coveredTo: bigint;
  /** The withdrawals that are to be paid from then on. */
  readonly withdrawals: WithdrawalTree;
  total: bigint;
};

/** How many of a pool's windows, the first ones, and what had moved in with them, in base units. */
type KnownOpenings = Pick<Pool, 'openings' | 'movedIn'>;

/** Brings one token's tree up to what both ledgers show, so that it can be recorded. Only one may be taken at a time. */
export class SnapshotTaker {
  /** Withdrawals that a recorded tree holds at most. */
  readonly most: number;
  /** Numbers of those that are to be issued next, at most so many: where not all fit into a tree, it has these. */
  wanted: ReadonlySet<bigint> = new Set();
  readonly #scanner: PaymentScanner;

  constructor(
    private readonly mint: Address,
    private readonly context: RecorderContext,
    private readonly reader: LiabilityReader,
    private readonly tree: LiabilityTreeStore,
    private readonly moved: MovedPlaces,
  ) {
    this.most = context.mostRecorded ?? MAX_RECORDED_WITHDRAWALS;
    this.#scanner = new PaymentScanner(reader, context.findList, context.time);
  }

  /** Reads what a schedule's open window has paid already, so that the next snapshot has less to read. */
  async prepare(schedule: Address): Promise<void> {
    const { pool } = await this.reader.pool();
    const state = await this.tree.load(pool);
    await this.#knowWindows(state, pool);
    const window = state.windows.get(schedule);
    if (window !== undefined) await this.#scan(state, [window]);
  }

  /**
   * Brings the book up to what the ledgers show: of windows and withdrawals everything, or the windows that are to be settled alone. The
   * others' leaves stand then as they were read last, and no further withdrawal is covered.
   */
  async take(attempt: number, settled?: readonly Address[]): Promise<LiabilitySnapshot> {
    const { log, metrics, time } = this.context;
    const before = await this.reader.pool();
    const state = await this.tree.load(before.pool);
    const isRebuilt = attempt >= REBUILD_FROM;
    const { next, transfers } = await this.reader.counter();
    const moved = this.#moved(state, transfers);
    const isReread = isRebuilt || moved === undefined;
    const isEverything = settled === undefined || isReread || attempt > 1 || time.now() - state.everythingAt > OLD_MS;
    // What somebody else has recorded may say anything; what was paid is the base's own knowledge.
    const known = state.isOwn ? before.pool.coveredTo : before.pool.highestWithdrawal + 1n;
    if (next < known) {
      throw new RunError(
        'layer-state-lost',
        `The execution layer's next withdrawal is ${next}, but the base ledger knows those below ${known}.`,
      );
    }
    if (isRebuilt) {
      metrics.differs('liabilities-rebuilt');
      log.warn({ mint: this.mint, leaves: state.book.tree.leafCount }, 'liabilities tree rebuilt from the ledgers');
    }
    await this.#knowWindows(state, before.pool, isRebuilt);
    const version = state.number + 1n;
    const [wanted, old] = [settled && new Set(settled), time.now() - OLD_MS];
    const isWanted = ({ schedule, readAt }: KnownWindow) => wanted?.has(schedule) !== false || readAt < old;
    if (isEverything) {
      const room = (places: number) => this.#makeRoom(state, places);
      const read = async () => {
        if (isReread) await this.#scanner.everybody(state.book, version);
        else await this.#scanner.balances(state.book, version, moved);
        // After the balances: of one that is read before its release, the balance is read again with the withdrawal.
        const places = await this.#scanner.withdrawals(state.book, version, room);
        return isReread ? undefined : new Set([...moved, ...places]);
      };
      const windows = [...state.windows.values()];
      // Something did not add up: nothing that was read before counts.
      const scanned = attempt > 1 ? windows.map(unread) : windows.filter(isWanted);
      await this.#scan(state, scanned, { isEverybody: isReread, read });
    } else {
      const read = async () => {
        await this.#scanner.balances(state.book, version, moved);
        return moved;
      };
      await this.#scan(state, [...state.windows.values()].filter(isWanted), { isEverybody: false, read });
    }
    state.transfers = transfers;
    const { now, known: openings } = await this.#catchUp(state, before.pool);
    // One that was made meanwhile is perhaps in one of its two balances, and the sum would not show it.
    if ((await this.reader.counter()).transfers !== transfers) {
      throw new RunError('liabilities-stale', 'A private transfer was made while the balances were read.');
    }
    const total = this.#checkedTotal(state, now, openings);
    const { pool } = now;
    if (!isEverything) {
      const { withdrawals } = state;
      return { state, pool, known: openings, total, withdrawals, coveredTo: pool.coveredTo };
    }
    state.everythingAt = time.now();
    const withdrawals = this.#payable(state, now, next);
    const countable = pool.withdrawals + BigInt(withdrawals.leafCount);
    const most = 1n + (countable > pool.highestWithdrawal ? countable : pool.highestWithdrawal);
    return { state, pool, known: openings, total, withdrawals, coveredTo: next < most ? next : most };
  }

  /** The balances that private transfers have changed since the book had all that they moved; undefined: it could be any. */
  #moved(state: TreeState, transfers: bigint): ReadonlySet<number> | undefined {
    // A tree that was just loaded has all of them if there were none.
    const known = state.transfers ?? (transfers === 0n ? 0n : undefined);
    // What has failed halfway may have read one of two.
    state.transfers = undefined;
    const moved = this.moved.take(transfers - (known ?? 0n));
    return known === undefined ? undefined : moved;
  }

  /**
   * The pool now, and which of its windows the book knows. Windows that were opened since then
   * are left to the next recording, unless a balance that was read meanwhile holds what one of them has paid: then the book adds up to
   * more, and they are taken, too, until it is right or none is left that has paid.
   */
  async #catchUp(state: TreeState, before: Pool): Promise<{ readonly now: PoolAtOnce; readonly known: KnownOpenings }> {
    for (let known: KnownOpenings = before; ; ) {
      const now = await this.reader.pool(state.book.pending);
      const isUpToDate = now.pool.openings === known.openings;
      if (isUpToDate || totalOf(state, now) === heldOf(now.pool, known)) return { now, known };
      known = now.pool;
      const read = new Set(state.windows.keys());
      await this.#knowWindows(state, now.pool);
      const paying = [...state.windows.values()].filter((window) => !read.has(window.schedule) && hasPaidMore(window));
      if (paying.length === 0) return { now, known };
      // Nobody can say which of their payments the balances have that were read already: all are read.
      await this.#scan(state, paying.map(unread));
    }
  }

  async #scan(
    state: TreeState,
    windows: readonly KnownWindow[],
    others?: Parameters<PaymentScanner['payments']>[4],
  ): Promise<void> {
    const version = state.number + 1n;
    await this.#scanner.payments(state.book, version, windows, state.windows, others);
    for (const schedule of [...state.book.windows.keys()]) {
      if (!state.windows.has(schedule)) state.book.removeWindow(schedule, version);
    }
    await state.book.tree.hash();
  }

  /** Finds the windows that were open when the pool was read and are not known yet; those that somebody else has closed go. */
  async #knowWindows(state: TreeState, { open, openings, closings }: Pool, isRebuilt = false): Promise<void> {
    const { windows, book } = state;
    if (state.closings !== closings) {
      const numbers = await this.reader.windowNumbers([...windows.keys()]);
      for (const { schedule, window } of [...windows.values()]) {
        if (numbers.get(schedule) !== window) windows.delete(schedule);
      }
      state.closings = closings;
    }
    const isComplete = () =>
      BigInt(windows.size) === openings - closings &&
      [...windows.values()].reduce((sum, { amount }) => sum + amount, 0n) === open;
    const know = async (found: Awaited<ReturnType<LiabilityReader['windows']>>) => {
      await this.#makeRoom(state, found.length);
      for (const window of found) {
        if (window.opening > openings || windows.get(window.schedule)?.window === window.window) continue;
        const known = this.#scanner.known(book, window);
        windows.set(window.schedule, known);
        book.setWindow(known, state.number + 1n);
      }
    };
    const candidates = async () => {
      const open = (await this.context.store.findOpenSchedules(this.mint)) as Address[];
      return [...new Set([...open, ...book.windows.keys()])];
    };
    if (!isRebuilt && !isComplete()) {
      await know(await this.reader.windows((await candidates()).filter((schedule) => !windows.has(schedule))));
    }
    if (isRebuilt || !isComplete()) {
      let lack: unknown;
      const all = await this.reader.allWindows().catch(async (error: unknown) => {
        if (!isUnsupported(error)) throw error;
        lack = error;
        return this.reader.windows(await candidates());
      });
      const numbers = new Map(all.map(({ schedule, window }) => [schedule, window]));
      for (const { schedule, window } of [...windows.values()]) {
        if (numbers.get(schedule) !== window) windows.delete(schedule);
      }
      await know(all);
      // Whether those that are known here are all, their sum says.
      if (lack !== undefined && isRebuilt && !isComplete()) throw lack;
    }
  }

  /** Sees to it that the book has room for so many more windows or withdrawals. */
  async #makeRoom({ book }: TreeState, places: number): Promise<void> {
    while (book.room < places) book.addRoom(await this.context.store.takePageNumber(this.mint));
  }

  /**
   * The withdrawals that the base has not paid, or as many as fit: in the tree that it has recorded, if that has them all or those that are to be
   * issued next, so that payouts on their way arrive.
   */
  #payable(state: TreeState, { isPaid }: PoolAtOnce, next: bigint): WithdrawalTree {
    // Numbers that were given since they were counted are for the next recording: of these, others may not have been seen yet.
    const payable = [...state.book.pending].flatMap(({ number, amount, wallet }) =>
      wallet === undefined || number >= next || isPaid(number) ? [] : [{ number, amount, wallet }],
    );
    const isWanted = ({ number }: PayableWithdrawal) => this.wanted.has(number);
    const needed = payable.length > this.most ? payable.filter(isWanted) : payable;
    if (needed.every((each) => state.withdrawals.has(each))) return state.withdrawals;
    payable.sort((one, other) => (one.number < other.number ? -1 : 1));
    const left = payable.length - this.most;
    if (left <= 0) return new WithdrawalTree(newListKey(), this.mint, payable);
    // They don't all fit: those that are to be issued next have places, and of the others the newest.
    const leftOut = new Set(payable.filter((each) => !isWanted(each)).slice(0, left));
    const recorded = payable.filter((each) => !leftOut.has(each));
    return new WithdrawalTree(newListKey(), this.mint, recorded);
  }

  /** What the tree adds up to, if that is what the pool holds. */
  #checkedTotal(state: TreeState, now: PoolAtOnce, known: KnownOpenings): bigint {
    if (now.pool.sequence !== state.recorded.sequence)
      throw new RunError('liabilities-stale', 'Another liabilities tree was recorded meanwhile.');
    const total = totalOf(state, now);
    const held = heldOf(now.pool, known);
    if (total === held) return total;
    throw new RunError('liabilities-mismatch', `The liabilities tree adds up to ${total}, but the pool holds ${held}.`);
  }
}

/** What a book adds up to. */
function totalOf({ book, windows }: TreeState, { isPaid }: PoolAtOnce): bigint {
  let total = book.balancesTotal;
  for (const { number, amount } of book.pending) if (!isPaid(number)) total += amount;
  for (const { amount, paid } of windows.values()) total += amount - paid;
  return total;
}

/** What a pool holds of what known windows brought, base units. */
const heldOf = (pool: Pool, { movedIn }: KnownOpenings): bigint => poolHeld({ ...pool, movedIn });

/** What the ledger is to record of a snapshot under a recording's sequence number. */
export const liabilitiesOf = (
  { state: { book }, known: { openings, movedIn }, total, coveredTo, withdrawals }: LiabilitySnapshot,
  sequence: bigint,
): Liabilities => ({
  sequence,
  root: book.tree.root,
  total,
  openings,
  movedIn,
  coveredTo,
  leaves: book.tree.leafCount,
  withdrawalsRoot: withdrawals.root,
  withdrawalLeaves: withdrawals.leafCount,
});

/** A window of which nothing counts as read. */
const unread = (window: KnownWindow): KnownWindow => ({ ...window, paid: 0n, taken: undefined });
