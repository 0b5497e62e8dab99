import {
  getRecordLiabilitiesInstructionAsync,
  type Liabilities,
  type Pool,
  settleInstructions,
  type Time,
} from '@payouts/client';
import type { Address, TransactionPartialSigner } from '@solana/kit';
import { isUnreachable, RunError } from '../domain/errors.ts';
import { workflowIdOf } from '../domain/run.ts';
import { type Failpoint, sending } from '../ledger/failpoints.ts';
import type { BaseLedger, ExecutionLayer } from '../ledger/ledger.ts';
import { follow, type Route } from '../ledger/send.ts';
import type { FindList } from '../lists/listFinder.ts';
import type { Locks } from '../platform/leadership.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { LiabilityStore, SettlementRequest } from '../store/liabilityStore.ts';
import { together } from './packIntoTransactions.ts';
import { hasPaidMore, type KnownWindow, PaymentScanner } from './paymentScanner.ts';
import { LiabilityReader, type PoolAtOnce } from './reader.ts';
import { type Asked, noteSettled, SettlementQueue } from './settlementQueue.ts';
import { hex, LiabilityTreeStore, type Recording, type TreeState } from './treeStore.ts';

/** What recorders work with. */
export type RecorderContext = {
  readonly program: Address;
  readonly config: Address;
  readonly authority: TransactionPartialSigner;
  readonly base: BaseLedger;
  readonly layer: ExecutionLayer;
  readonly time: Time;
  readonly store: LiabilityStore;
  readonly locks: Locks;
  readonly findList: FindList;
  readonly failpoint?: Failpoint | undefined;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
};

/** Tries of a recording: as it is, with everything read again after a moment, then twice rebuilt from the ledgers. */
const TRIES = 4;
const REBUILD_FROM = 3;
/** Milliseconds after which a payout that was on its way has arrived. */
const AGAIN_AFTER_MS = 150;
/** Recordings between two removals of what they have replaced. */
const FORGET_EVERY = 16;
/** Milliseconds after which a settlement looks at the open windows of others again, so that the recorded tree is never much older. */
const EVERYTHING_MS = 10_000;
/** Milliseconds after which a settlement lets the payouts of its token go on before it settles more. */
const SECTION_MS = 3_000;
/** Places of a semaphore that as many share as like to, or one has alone. */
const EVERYBODY = Number.MAX_SAFE_INTEGER;
/** Lists up to this size are read when their window is settled. */
const SMALL_LIST = 1_000;
const RECORD_COMPUTE_UNITS = 60_000;
const SETTLE_COMPUTE_UNITS = 40_000;

/** Errors of a recording that another look at the ledgers may mend. */
const isAboutTheTree = (error: unknown): boolean =>
  error instanceof RunError &&
  ['liabilities-stale', 'liabilities-mismatch', 'transaction-expired'].includes(error.code);

/** A recording to be made: `attempt` counts from 1. */
type Job = {
  readonly purpose: Recording['purpose'];
  /** Whether its purpose is reached, by the ledger's state. */
  readonly isDone: () => Promise<boolean>;
  readonly act: (attempt: number) => Promise<void>;
};

/** A book that adds up to what the pool holds, and what the next recording is to say. */
type Cut = {
  readonly state: TreeState;
  readonly pool: Pool;
  /** What had moved in when the last window was opened that the book knows. */
  readonly movedIn: bigint;
  readonly coveredTo: bigint;
  total: bigint;
};

/** A window that is ready to be settled, and who asked for it. */
type Ready = KnownWindow & { readonly asked: Asked };

/**
 * Keeps one token's liabilities tree and records it on the base ledger. Whoever takes something out of the pool works inside `shared`, so that
 * no recording is on its way meanwhile. Openings go on: a recording names what had moved in when its tree was made. So do claims and
 * recipients' requests, which change only how the pool is divided.
 */
export class LiabilityRecorder {
  readonly mint: Address;
  readonly reader: LiabilityReader;
  readonly #context: RecorderContext;
  readonly #tree: LiabilityTreeStore;
  readonly #look: PaymentScanner;
  readonly #desk: SettlementQueue;
  /** One at a time works on the tree in memory, and takes all of it; whoever takes something out of the pool takes one place. */
  readonly #turn = new Semaphore(EVERYBODY);
  #sinceForget = 0;

  constructor(mint: Address, context: RecorderContext) {
    const reader = new LiabilityReader({ ...context, mint });
    this.mint = mint;
    this.reader = reader;
    this.#context = context;
    this.#tree = new LiabilityTreeStore(mint, context);
    this.#look = new PaymentScanner(reader, context.findList);
    this.#desk = new SettlementQueue({ ...context, mint, reader, settle: (asked) => this.#settle(asked) });
  }

  /** Whether this process is the one that keeps the token's tree; where nobody does, it begins to. Only that one records. */
  isLeader(): Promise<boolean> {
    return this.#context.locks.holds(`liabilities ${this.mint}`);
  }

  /** Works while no recording does. */
  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn.within(1, work);
  }

  /** Loads the tree and compares it with the recorded root. Throws `RunError`. */
  open(): Promise<void> {
    return this.#turn.within(EVERYBODY, async () => {
      await this.#followUnsettled();
      await this.#tree.load((await this.reader.pool()).pool);
    });
  }

  /** Reads a large list's balances that an open window has paid already, so that its settlement has less to read. */
  async prepare(schedule: Address, recipients: number): Promise<void> {
    if (recipients <= SMALL_LIST || !(await this.isLeader())) return;
    await this.#turn.within(EVERYBODY, async () => {
      const { pool } = await this.reader.pool();
      const state = await this.#tree.load(pool);
      await this.#knowWindows(state, pool);
      const window = state.windows.get(schedule);
      if (window !== undefined) await this.#lookAt(state, [window]);
    });
  }

  /**
   * Has a returned window settled, by this process or by the one that keeps the token's tree, together with others. Ends when the base
   * ledger shows it settled. Throws `RunError`; with `liabilities-mismatch` when what the ledgers show does not add up.
   */
  settle(settlement: SettlementRequest): Promise<void> {
    return this.#desk.ask(settlement);
  }

  /** Takes what another process asks to have settled; `OwedKeepers.serve` finds it. */
  take(settlement: SettlementRequest): void {
    this.#desk.take(settlement);
  }

  /** Brings the tree up to what the ledgers show and records it, with all withdrawals. Throws `RunError` as `settle` does. */
  record(isDone: () => Promise<boolean>): Promise<void> {
    return this.#record({
      purpose: 'record',
      isDone,
      act: async (attempt) => {
        const { authority, config, program } = this.#context;
        const cut = await this.#cut(attempt);
        const liabilities = liabilitiesOf(cut, cut.pool.sequence + 1n);
        const input = { authority, config, mint: this.mint, liabilities };
        const instruction = await getRecordLiabilitiesInstructionAsync(input, { programAddress: program });
        await this.#send(cut.state, {
          purpose: 'record',
          instructions: [instruction],
          computeUnits: RECORD_COMPUTE_UNITS,
          liabilities,
          runs: [],
        });
      },
    });
  }

  #settle(asked: readonly Asked[]): Promise<void> {
    let isEnough = false;
    return this.#record({
      purpose: 'settle',
      isDone: async () => {
        if (isEnough) return true;
        await noteSettled(this.reader, asked);
        return asked.every(({ isOver }) => isOver);
      },
      act: async (attempt) => {
        const open = asked.filter(({ isOver }) => !isOver);
        isEnough = await this.#settleAll(open, attempt);
      },
    });
  }

  /** Settles windows until others have waited long enough; returns whether it has got anywhere. */
  async #settleAll(asked: readonly Asked[], attempt: number): Promise<boolean> {
    const { time } = this.#context;
    const enoughAt = time.now() + SECTION_MS;
    const cut = await this.#cut(
      attempt,
      asked.map(({ schedule }) => schedule),
    );
    const ready: Ready[] = [];
    for (const each of asked) {
      const window = cut.state.windows.get(each.schedule);
      if (window?.window === each.settlement.window && window.batch?.isBack === true) {
        ready.push({ ...window, asked: each });
      } else {
        each.failed(new RunError('batch-not-back', "The base ledger does not show the window's batch closed."));
      }
    }
    for (const group of together(ready)) {
      await this.#settleGroup(cut, group);
      if (time.now() >= enoughAt) break;
    }
    return asked.some(({ isOver }) => isOver);
  }

  /** Settles windows in one transaction; if the ledger refuses that, one by one, to find out which it is about. */
  async #settleGroup(cut: Cut, group: readonly Ready[]): Promise<void> {
    try {
      await this.#settleTogether(cut, group);
      for (const { asked } of group) asked.settled();
    } catch (error) {
      if (!(error instanceof RunError) || isAboutTheTree(error) || isUnreachable(error)) throw error;
      if (group.length > 1) {
        for (const window of group) await this.#settleGroup(cut, [window]);
        return;
      }
      this.#context.metrics.recordings.inc({ outcome: 'failed' });
      for (const { asked } of group) asked.failed(error);
    }
  }

  async #settleTogether(cut: Cut, group: readonly Ready[]): Promise<void> {
    const { authority, program } = this.#context;
    const { state, pool } = cut;
    const { book } = state;
    const version = state.number + 1n;
    const next: Cut = { ...cut };
    try {
      for (const { schedule, amount, paid } of group) {
        book.removeWindow(schedule, version);
        next.total -= amount - paid;
      }
      const liabilities = liabilitiesOf(next, state.recorded.sequence + 1n);
      await this.#send(state, {
        purpose: 'settle',
        instructions: await settleInstructions({
          authority,
          mint: this.mint,
          tokenProgram: pool.tokenProgram,
          windows: group,
          liabilities,
          programAddress: program,
        }),
        computeUnits: RECORD_COMPUTE_UNITS + SETTLE_COMPUTE_UNITS * group.length,
        liabilities,
        runs: group.map(({ asked }) => asked.settlement),
      });
    } catch (error) {
      for (const { schedule, window, paid } of group) book.setWindow({ schedule, window, paid }, state.number + 1n);
      throw error;
    }
    cut.total = next.total;
    for (const { schedule } of group) state.windows.delete(schedule);
  }

  async #record(job: Job): Promise<void> {
    const { metrics, signal } = this.#context;
    try {
      await this.#turn.within(EVERYBODY, () => this.#repeated(job));
    } catch (error) {
      if (!signal.aborted) metrics.recordings.inc({ outcome: 'failed' });
      throw error;
    }
    if (this.#sinceForget >= FORGET_EVERY) await this.#forget();
  }

  async #repeated({ purpose, isDone, act }: Job): Promise<void> {
    const { log, metrics, time, signal } = this.#context;
    for (let attempt = 1; ; attempt++) {
      await this.#followUnsettled();
      if (await isDone()) return;
      if (attempt > 1) metrics.recordings.inc({ outcome: 'retried' });
      try {
        await act(attempt);
      } catch (error) {
        // It has landed, though no answer said so: its end is recorded at once, since receipts name it.
        if (await isDone()) return this.#followUnsettled();
        if (!isAboutTheTree(error) || attempt === TRIES) throw error;
        log.info({ mint: this.mint, attempt, reason: (error as RunError).message }, 'liabilities tree read again');
        await time.pause(AGAIN_AFTER_MS, signal);
        continue;
      }
      if (await isDone()) return;
      if (attempt === TRIES) throw new RunError('transaction-expired', `The ${purpose} did not land.`);
    }
  }

  /**
   * Brings the book up to what the ledgers show: of windows and withdrawals everything, or the windows that are to be settled alone. The
   * others' leaves stand then as they were read last, and no further withdrawal is covered.
   */
  async #cut(attempt: number, settled?: readonly Address[]): Promise<Cut> {
    const { log, metrics, time } = this.#context;
    const before = await this.reader.pool();
    const state = await this.#tree.load(before.pool);
    const isEverything = settled === undefined || attempt > 1 || time.now() - state.everythingAt > EVERYTHING_MS;
    const isRebuilt = attempt >= REBUILD_FROM;
    const next = await this.reader.nextNumber();
    if (next < before.pool.coveredTo) {
      throw new RunError(
        'layer-state-lost',
        `The execution layer's next withdrawal is ${next}, but the base ledger knows those below ${before.pool.coveredTo}.`,
      );
    }
    if (isRebuilt) {
      metrics.differs('liabilities-rebuilt');
      log.warn({ mint: this.mint, leaves: state.book.tree.leafCount }, 'liabilities tree rebuilt from the ledgers');
    }
    await this.#knowWindows(state, before.pool, isRebuilt);
    const version = state.number + 1n;
    if (isEverything) {
      const read = async () => {
        if (!isRebuilt) return this.#look.withdrawals(state.book, version);
        await this.#look.everybody(state.book, version);
        return undefined;
      };
      // Something did not add up: nothing that was read before counts.
      const windows = [...state.windows.values()].map((known) => (attempt > 1 ? forgotten(known) : known));
      await this.#lookAt(state, windows, { isEverybody: isRebuilt, read });
    } else {
      await this.#lookAt(
        state,
        settled.flatMap((schedule) => state.windows.get(schedule) ?? []),
      );
    }
    const { now, movedIn } = await this.#caughtUp(state, before.pool);
    const total = this.#checkedTotal(state, now, movedIn);
    if (isEverything) state.everythingAt = time.now();
    return { state, pool: now.pool, movedIn, total, coveredTo: isEverything ? next : now.pool.coveredTo };
  }

  /**
   * The pool now, and what had moved into it when the last window was opened that the book knows. Windows that were opened since then
   * are left to the next recording, unless a balance that was read meanwhile holds what one of them has paid: then the book adds up to
   * more, and they are taken, too, until it is right or none is left that has paid.
   */
  async #caughtUp(state: TreeState, before: Pool): Promise<{ readonly now: PoolAtOnce; readonly movedIn: bigint }> {
    for (let { movedIn } = before; ; ) {
      const now = await this.reader.pool(state.book.pending);
      if (now.pool.movedIn === movedIn || totalOf(state, now) === heldOf(now.pool, movedIn)) return { now, movedIn };
      movedIn = now.pool.movedIn;
      const known = new Set(state.windows.keys());
      await this.#knowWindows(state, now.pool);
      const paying = [...state.windows.values()].filter((window) => !known.has(window.schedule) && hasPaidMore(window));
      if (paying.length === 0) return { now, movedIn };
      // Nobody can say which of their payments the balances have that were read already: all are read.
      await this.#lookAt(state, paying.map(forgotten));
    }
  }

  async #lookAt(
    state: TreeState,
    windows: readonly KnownWindow[],
    others?: Parameters<PaymentScanner['payments']>[4],
  ): Promise<void> {
    const version = state.number + 1n;
    await this.#look.payments(state.book, version, windows, state.windows, others);
    for (const schedule of [...state.book.windows.keys()]) {
      if (!state.windows.has(schedule)) state.book.removeWindow(schedule, version);
    }
  }

  /**
   * Finds the windows that were open when the pool was read and are not known yet: no two sets of windows without a settlement between
   * them add up to the same.
   */
  async #knowWindows(state: TreeState, { open, movedIn }: Pool, isRebuilt = false): Promise<void> {
    const { windows, book } = state;
    const isComplete = () => [...windows.values()].reduce((sum, { amount }) => sum + amount, 0n) === open;
    const know = (found: Awaited<ReturnType<LiabilityReader['windows']>>) => {
      for (const window of found) {
        if (window.movedIn > movedIn || windows.get(window.schedule)?.window === window.window) continue;
        const known = this.#look.known(book, window);
        windows.set(window.schedule, known);
        book.setWindow(known, state.number + 1n);
      }
    };
    if (!isRebuilt && !isComplete()) {
      const open = (await this.#context.store.findOpenSchedules(this.mint)) as Address[];
      const candidates = new Set([...open, ...book.windows.keys()]);
      know(await this.reader.windows([...candidates].filter((schedule) => !windows.has(schedule))));
    }
    if (isRebuilt || !isComplete()) {
      const all = await this.reader.allWindows();
      const numbers = new Map(all.map(({ schedule, window }) => [schedule, window]));
      for (const { schedule, window } of [...windows.values()]) {
        if (numbers.get(schedule) !== window) windows.delete(schedule);
      }
      know(all);
    }
  }

  /** What the tree adds up to, if that is what the pool holds. */
  #checkedTotal(state: TreeState, now: PoolAtOnce, movedIn: bigint): bigint {
    if (now.pool.sequence !== state.recorded.sequence)
      throw new RunError('liabilities-stale', 'Another liabilities tree was recorded meanwhile.');
    const total = totalOf(state, now);
    const held = heldOf(now.pool, movedIn);
    if (total === held) return total;
    throw new RunError('liabilities-mismatch', `The liabilities tree adds up to ${total}, but the pool holds ${held}.`);
  }

  /** Keeps a recording, sends it and follows it to its end. */
  async #send(state: TreeState, recording: Recording): Promise<void> {
    const { failpoint, metrics } = this.#context;
    const { purpose, liabilities, runs } = recording;
    const kept = await this.#tree.store(state, recording);
    const told = sending(
      failpoint,
      'commit',
      runs.map(({ schedule, window }) => workflowIdOf({ schedule, window })),
    );
    if ((await follow({ ...this.#route, purpose, ...told }, kept)) === 'expired') {
      throw new RunError('transaction-expired', `The ${purpose} did not reach the ledger in time.`);
    }
    state.recorded = { sequence: liabilities.sequence, root: hex(liabilities.root) };
    this.#sinceForget += 1;
    metrics.recordings.inc({ outcome: 'recorded' });
  }

  get #route(): Omit<Route, 'purpose'> {
    const { store, time, base, signal } = this.#context;
    const onEnd: Route['onEnd'] = (id, outcome) => store.settleTransaction(id, outcome);
    return { onEnd, time, ledger: base, commitment: 'confirmed', signal };
  }

  /** A former recording may still be on its way; nothing new is sent before its end is known. */
  async #followUnsettled(): Promise<void> {
    for (const transaction of await this.#context.store.findUnsettledRecordings(this.mint)) {
      await follow({ ...this.#route, purpose: transaction.purpose }, { ...transaction, isNew: false }).catch(
        (error: unknown) => {
          // Refused: it changed nothing.
          if (!(error instanceof RunError) || isUnreachable(error)) throw error;
        },
      );
    }
  }

  /** Removes what a final recording has replaced; whatever goes wrong, the next time makes up for it. */
  async #forget(): Promise<void> {
    const { log, signal } = this.#context;
    try {
      await this.#tree.forget((await this.reader.pool([], 'finalized')).pool);
      this.#sinceForget = 0;
    } catch (error) {
      if (!signal.aborted) log.warn(errorFields(error), 'old recordings could not be removed');
    }
  }
}

/** What a book adds up to. */
function totalOf({ book, windows }: TreeState, { isPaid }: PoolAtOnce): bigint {
  let total = book.balancesTotal;
  for (const { number, amount } of book.pending) if (!isPaid(number)) total += amount;
  for (const { amount, paid } of windows.values()) total += amount - paid;
  return total;
}

/** What a pool holds of what had moved in by a moment. */
const heldOf = ({ returned, paidOut }: Pool, movedIn: bigint): bigint => movedIn - returned - paidOut;

const liabilitiesOf = ({ state: { book }, movedIn, total, coveredTo }: Cut, sequence: bigint): Liabilities => ({
  sequence,
  root: book.tree.root,
  total,
  movedIn,
  coveredTo,
  leaves: book.tree.leafCount,
});

/** A window of which nothing counts as read. */
const forgotten = (window: KnownWindow): KnownWindow => ({ ...window, paid: 0n, taken: undefined });
