import { getRecordLiabilitiesInstructionAsync, type PayableWithdrawal, settleInstructions } from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { isUnreachable, RunError } from '../domain/errors.ts';
import { runIdOf } from '../domain/run.ts';
import { sending } from '../ledger/failpoints.ts';
import { follow, type Route } from '../ledger/send.ts';
import { refusedMove } from '../ledger/stoppedToken.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { KeptTransaction } from '../store/queries/transactions.ts';
import { MovedPlaces } from './movedPlaces.ts';
import { packIntoTransactions } from './packIntoTransactions.ts';
import type { KnownWindow } from './paymentScanner.ts';
import { noteSettled, type PendingSettlement } from './pendingSettlement.ts';
import { LiabilityReader } from './reader.ts';
import type { RecorderContext } from './recorderContext.ts';
import { signedChange } from './signedChange.ts';
import { type LiabilitySnapshot, liabilitiesOf, SnapshotTaker } from './snapshot.ts';
import { hex, LiabilityTreeStore, type Recording, type TreeState } from './treeStore.ts';
import type { WithdrawalTree } from './withdrawalTree.ts';

/** Tries of a recording: as it is, with everything read again after a moment, then twice rebuilt from the ledgers. */
const TRIES = 4;
/** Milliseconds after which a payout that was on its way has arrived. */
const AGAIN_AFTER_MS = 150;
/** Recordings between two removals of what they have replaced. */
const FORGET_EVERY = 16;
/** Places of a semaphore that as many share as like to, or one has alone. */
const EVERYBODY = Number.MAX_SAFE_INTEGER;
/** Lists up to this size are read when their window is settled. */
export const SMALL_LIST = 1_000;
const RECORD_COMPUTE_UNITS = 60_000;
const SETTLE_COMPUTE_UNITS = 40_000;

/** Errors of a recording that another look at the ledgers may fix. */
const isAboutTheTree = (error: unknown): boolean =>
  error instanceof RunError &&
  ['liabilities-stale', 'liabilities-mismatch', 'transaction-expired'].includes(error.code);

/** Errors of a settlement that are about one of its windows. */
const isAboutWindows = (error: unknown): error is RunError =>
  error instanceof RunError && !isAboutTheTree(error) && !isUnreachable(error);

/** A recording to be made: `attempt` counts from 1. */
type Job = {
  readonly purpose: Recording['purpose'];
  /** Whether its purpose is reached, by the ledger's state. */
  readonly isDone: () => Promise<boolean>;
  readonly act: (attempt: number) => Promise<void>;
};

/** A window that is ready to be settled, and the request for it. */
type Ready = KnownWindow & { readonly pending: PendingSettlement };

/** Of windows that are to be settled those whose batches a snapshot knows to be back; the others have failed for now. */
function readyAmong({ state }: LiabilitySnapshot, pending: readonly PendingSettlement[]): Ready[] {
  return pending.flatMap((each) => {
    const window = state.windows.get(each.schedule);
    if (window?.window === each.settlement.window && window.batch?.isBack === true) return { ...window, pending: each };
    each.failed(new RunError('batch-not-back', "The base ledger does not show the window's batch."));
    return [];
  });
}

/** Takes windows that are over from the tree: the next one knows nothing of them but what they paid. */
function settled(state: TreeState, group: readonly Ready[]): void {
  for (const { schedule, pending } of group) {
    state.book.removeWindow(schedule, state.number + 1n);
    state.windows.delete(schedule);
    state.closings += 1n;
    pending.settled();
  }
}

/**
 * Keeps one token's liabilities tree and records its root on the base ledger. Whoever takes something out of the pool works inside `shared`, so
 * that no recording is on its way meanwhile. Openings go on: a recording names what had moved in when its tree was made. So do claims and
 * recipients' requests, which change only how the pool is divided.
 */
export class LiabilityRecorder {
  readonly mint: Address;
  readonly reader: LiabilityReader;
  /** Of private transfers; noted inside `shared`. */
  readonly moved = new MovedPlaces();
  readonly #context: RecorderContext;
  readonly #tree: LiabilityTreeStore;
  readonly #snapshots: SnapshotTaker;
  /** One at a time works on the tree in memory, and takes all of it; whoever takes something out of the pool takes one place. */
  readonly #turn = new Semaphore(EVERYBODY);
  #sinceForget = 0;

  constructor(mint: Address, context: RecorderContext) {
    const reader = new LiabilityReader({ ...context, mint });
    this.mint = mint;
    this.reader = reader;
    this.#context = context;
    this.#tree = new LiabilityTreeStore(mint, context);
    this.#snapshots = new SnapshotTaker(mint, context, reader, this.#tree, this.moved);
  }

  /** Whether this process is the one that keeps the token's tree; where nobody does, it begins to. Only that one records. */
  isLeader(): Promise<boolean> {
    return this.#context.locks.holds(`liabilities ${this.mint}`);
  }

  /** Works while no recording does. */
  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn.within(1, work);
  }

  /** Loads the tree and compares it with the recorded root; if that is somebody else's, records the tree. Throws `RunError` as `settle` does. */
  open(): Promise<void> {
    return this.cover([]);
  }

  /** Reads a large list's balances that an open window has paid already, so that its settlement has less to read. */
  async prepare(schedule: Address, recipients: number): Promise<void> {
    if (recipients <= SMALL_LIST || !(await this.isLeader())) return;
    await this.#turn.within(EVERYBODY, () => this.#snapshots.prepare(schedule));
  }

  /** Brings the tree up to what the ledgers show and records it, with all withdrawals. Throws `RunError` as `settle` does. */
  record(isDone: () => Promise<boolean>): Promise<void> {
    const act = async (attempt: number) => this.#recordTree(await this.#snapshots.take(attempt));
    return this.#record({ purpose: 'record', isDone, act });
  }

  /** Withdrawals that a recorded tree holds at most. */
  get most(): number {
    return this.#snapshots.most;
  }

  /**
   * Records the tree until the recorded one is ours, and the base ledger pays these withdrawals as they are, or as they were when it was
   * recorded: at most as many as a tree holds, since others give way to them. Throws `RunError` as `settle` does.
   */
  cover(wanted: readonly PayableWithdrawal[]): Promise<void> {
    this.#snapshots.wanted = new Set(wanted.map(({ number }) => number));
    // One that is sent to another wallet meanwhile is for the next time.
    let isRecorded = false;
    return this.record(async () => {
      const { pool, isPaid } = await this.reader.pool(wanted);
      const { withdrawals, isOwn } = await this.#tree.load(pool);
      const open = wanted.filter(({ number }) => !isPaid(number));
      const isKnown = open.every((each) => withdrawals.has(each) || (isRecorded && withdrawals.hasNumber(each.number)));
      isRecorded = true;
      return isOwn && isKnown;
    });
  }

  /** The withdrawals that the base ledger pays now. To be asked for inside `shared`. Throws `RunError`. */
  async payable(): Promise<WithdrawalTree> {
    const { pool } = await this.reader.pool();
    return (await this.#tree.load(pool)).withdrawals;
  }

  /** Settles returned windows, and tells each so. When it throws, those left over have failed with that. */
  settle(pending: readonly PendingSettlement[]): Promise<void> {
    return this.#record({
      purpose: 'settle',
      isDone: async () => {
        await noteSettled(this.reader, pending);
        return pending.every(({ isOver }) => isOver);
      },
      act: async (attempt) => {
        const open = pending.filter(({ isOver }) => !isOver);
        const snapshot = await this.#snapshots.take(
          attempt,
          open.map(({ schedule }) => schedule),
        );
        await this.#settleAll(snapshot, readyAmong(snapshot, open));
      },
    });
  }

  /**
   * Settles windows whose batches a snapshot knows to be back. What they paid stands in a recorded tree before any of them is over, since
   * nothing else says whose it is. One recording is enough for all: the first transaction makes it, and the others land beside each other.
   */
  async #settleAll(snapshot: LiabilitySnapshot, ready: readonly Ready[]): Promise<void> {
    const [first, ...others] = packIntoTransactions(ready);
    if (first === undefined) return;
    try {
      await this.#recordTree(snapshot, first);
    } catch (error) {
      if (!isAboutWindows(error)) throw error;
      await this.#recordTree(snapshot);
      others.unshift(first);
    }
    const ends = await Promise.allSettled(others.map((group) => this.#settleGroup(snapshot, group)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** Records a snapshot's tree, and settles these windows with it: all of it, or nothing. */
  async #recordTree(snapshot: LiabilitySnapshot, group: readonly Ready[] = []): Promise<void> {
    const { authority, config, program: programAddress } = this.#context;
    const { state, withdrawals } = snapshot;
    const liabilities = liabilitiesOf(snapshot, state.recorded.sequence + 1n);
    const input = { authority, config, mint: this.mint, liabilities };
    const record = await getRecordLiabilitiesInstructionAsync(input, { programAddress });
    await this.#send(state, {
      purpose: group.length === 0 ? 'record' : 'settle',
      instructions: [record, ...(await this.#settlement(snapshot, group))],
      computeUnits: RECORD_COMPUTE_UNITS + SETTLE_COMPUTE_UNITS * group.length,
      liabilities,
      withdrawals,
      runs: group.map(({ pending }) => pending.settlement),
    });
    settled(state, group);
  }

  /** Settles windows that the recorded tree knows; if the ledger refuses that, one by one, to find out which it is about. */
  async #settleGroup(snapshot: LiabilitySnapshot, group: readonly Ready[]): Promise<void> {
    const { time, store, metrics, base } = this.#context;
    const runs = group.map(({ pending }) => pending.settlement);
    try {
      const instructions = await this.#settlement(snapshot, group);
      const computeUnits = SETTLE_COMPUTE_UNITS * group.length;
      const transaction = await signedChange(this.#context, this.mint, {
        purpose: 'settle',
        instructions,
        computeUnits,
      });
      const id = await store.keepSettlement(transaction, runs, time.now());
      await this.#follow('settle', { id, isNew: true, ...transaction }, runs);
      settled(snapshot.state, group);
    } catch (error) {
      if (!isAboutWindows(error)) throw error;
      if (group.length > 1) {
        await Promise.all(group.map((window) => this.#settleGroup(snapshot, [window])));
        return;
      }
      metrics.recordings.inc({ outcome: 'failed' });
      for (const { pending, vault } of group) pending.failed(await refusedMove(base, error, snapshot.pool, vault));
    }
  }

  async #settlement({ pool }: LiabilitySnapshot, windows: readonly Ready[]): Promise<Instruction[]> {
    if (windows.length === 0) return [];
    const { authority, program: programAddress } = this.#context;
    const { tokenProgram } = pool;
    return settleInstructions({ authority, mint: this.mint, tokenProgram, windows, programAddress });
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

  /** Keeps a recording, sends it and follows it to its end. */
  async #send(state: TreeState, recording: Recording): Promise<void> {
    const { purpose, liabilities, withdrawals, runs } = recording;
    await this.#follow(purpose, await this.#tree.store(state, recording), runs);
    state.recorded = { sequence: liabilities.sequence, root: hex(liabilities.root) };
    state.withdrawals = withdrawals;
    state.isOwn = true;
    this.#sinceForget += 1;
    this.#context.metrics.recordings.inc({ outcome: 'recorded' });
  }

  /** Sends what is kept and follows it until it has landed. */
  async #follow(purpose: Recording['purpose'], kept: KeptTransaction, runs: Recording['runs']): Promise<void> {
    const told = sending(this.#context.failpoint, 'commit', runs.map(runIdOf));
    if ((await follow({ ...this.#route, purpose, ...told }, kept)) === 'expired') {
      throw new RunError('transaction-expired', `The ${purpose} did not reach the ledger in time.`);
    }
  }

  get #route(): Omit<Route, 'purpose'> {
    const { store, time, base, signal, fees } = this.#context;
    const onEnd: Route['onEnd'] = (id, outcome) => store.settleTransaction(id, outcome);
    return { onEnd, time, ledger: base, commitment: 'confirmed', signal, fees };
  }

  /** Former recordings and settlements may still be on their way; nothing new is sent before their ends are known. */
  async #followUnsettled(): Promise<void> {
    const sent = await this.#context.store.findUnsettledRecordings(this.mint);
    await Promise.all(
      sent.map(async (transaction) => {
        try {
          await follow({ ...this.#route, purpose: transaction.purpose }, { ...transaction, isNew: false });
        } catch (error) {
          // Refused: it changed nothing.
          if (!(error instanceof RunError) || isUnreachable(error)) throw error;
        }
      }),
    );
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
