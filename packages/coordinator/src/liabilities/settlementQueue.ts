import type { Time } from '@payouts/client';
import { RUN_ERRORS, RunError, type RunErrorCode, toRunError } from '../domain/errors.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import type { LiabilityStore } from '../store/liabilityStore.ts';
import type { Refusal, SettlementRequest } from '../store/queries/settlements.ts';
import { noteSettled, PendingSettlement } from './pendingSettlement.ts';
import type { LiabilityRecorder } from './recorder.ts';

/** Settlements prepared together. */
const ROUND = 512;
/** Milliseconds between the beginnings of two rounds while windows keep coming: a recording costs about the same for one as for a hundred. */
const ROUND_EVERY_MS = 1_000;
/** Milliseconds without a further one after which no more are waited for. */
const QUIET_MS = 100;
/** Milliseconds between two looks whether another process has settled what was handed to it. */
const LOOK_MS = 150;
/** Milliseconds after which the ledger is asked for one that has no answer in the store: whoever settled it may have died before it wrote one. */
const UNANSWERED_MS = 10_000;
/** Milliseconds that a settlement may take: on a payday 1,500 windows of three processes wait for one leader. */
const SETTLED_WITHIN_MS = 180_000;

export type SettlementQueueInput = {
  readonly recorder: LiabilityRecorder;
  readonly store: LiabilityStore;
  readonly time: Time;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/**
 * Where windows of one token are handed in to be settled. The process that keeps the token's tree settles its own and the others'
 * together; the others leave theirs in the store and watch the ledger.
 */
export class SettlementQueue {
  /** By run. */
  readonly #local = new Map<number, PendingSettlement>();
  readonly #remote = new Map<number, PendingSettlement>();
  #isSettling = false;
  #isWatching = false;
  /** When the last one came, by `time.monotonic()`. */
  #cameAt = 0;

  constructor(private readonly input: SettlementQueueInput) {}

  /** Ends when the base ledger shows the window settled. Throws `RunError`. */
  async ask(settlement: SettlementRequest): Promise<void> {
    const { recorder, store, time } = this.input;
    const waiting = this.#local.get(settlement.runId) ?? this.#remote.get(settlement.runId);
    if (waiting?.isOver === false) return waiting.outcome;
    const isLeader = await recorder.isLeader();
    if (!isLeader) await store.askSettlement(settlement);
    const pending = new PendingSettlement(settlement, time.now(), !isLeader);
    if (isLeader) this.#settleLocally(pending);
    else this.#watch(pending);
    return pending.outcome;
  }

  /** Runs of those that were taken, or asked for here, and stand in the store. */
  get stored(): number[] {
    return [...this.#local.values()].filter(({ isStored }) => isStored).map(({ settlement }) => settlement.runId);
  }

  /** Takes a settlement that stands in the store, in the process that keeps the token's tree. */
  take(settlement: SettlementRequest): void {
    const { runId } = settlement;
    const local = this.#local.get(runId);
    if (local !== undefined) {
      local.isStored = true;
      return;
    }
    // Stored by this process itself, when another one kept the tree: whoever waits for it goes on waiting.
    const remote = this.#remote.get(runId);
    this.#remote.delete(runId);
    this.#settleLocally(remote ?? new PendingSettlement(settlement, this.input.time.now(), true));
  }

  #settleLocally(pending: PendingSettlement): void {
    this.#local.set(pending.settlement.runId, pending);
    this.#cameAt = this.input.time.monotonic();
    if (this.#isSettling) return;
    this.#isSettling = true;
    void this.#settleAll();
  }

  async #settleAll(): Promise<void> {
    const { recorder, time, log, signal } = this.input;
    while (this.#local.size > 0) {
      const began = time.monotonic();
      const round = [...this.#local.values()].slice(0, ROUND);
      try {
        await recorder.settle(round);
      } catch (error) {
        for (const pending of round) if (!pending.isOver) pending.failed(error);
      }
      try {
        await this.#answer(round.filter(({ isOver, isStored }) => isOver && isStored));
      } catch (error) {
        // Whoever pending sees by the ledger what happened, or asks again.
        if (!signal.aborted) log.warn(errorFields(error), 'settlements of other processes could not be answered');
      }
      // Only now: what stands in the store unanswered would be taken once more.
      for (const pending of round) if (pending.isOver) remove(this.#local, pending);
      if (this.#local.size > 0) await this.#gather(began + ROUND_EVERY_MS);
    }
    this.#isSettling = false;
  }

  /** Waits for more until a moment, by `time.monotonic()`, as long as more come. */
  async #gather(latest: number): Promise<void> {
    const { time, signal } = this.input;
    for (;;) {
      const waitMs = Math.min(latest, this.#cameAt + QUIET_MS) - time.monotonic();
      if (waitMs <= 0 || signal.aborted) return;
      await time.pause(waitMs, signal).catch(() => {});
    }
  }

  /** Tells the other processes, by the store. */
  async #answer(round: readonly PendingSettlement[]): Promise<void> {
    const { store, signal } = this.input;
    const done: number[] = [];
    for (const { settlement, outcome } of round) {
      const error = await outcome.then(() => undefined, toRunError);
      if (error === undefined) done.push(settlement.runId);
      // What was broken off stays for whoever keeps the tree next.
      else if (!signal.aborted) {
        await store.refuseSettlement(settlement, { code: error.code, message: error.message });
      }
    }
    await store.forgetSettlements(done);
  }

  #watch(pending: PendingSettlement): void {
    this.#remote.set(pending.settlement.runId, pending);
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#watchAll();
  }

  async #watchAll(): Promise<void> {
    const { time, signal } = this.input;
    while (this.#remote.size > 0) {
      const waiting = [...this.#remote.values()];
      try {
        await this.#look(waiting);
        if (this.#remote.size > 0) await time.pause(LOOK_MS, signal);
      } catch (error) {
        for (const pending of waiting) if (!pending.isOver) pending.failed(error);
      }
      for (const pending of waiting) if (pending.isOver) remove(this.#remote, pending);
    }
    this.#isWatching = false;
  }

  async #look(waiting: readonly PendingSettlement[]): Promise<void> {
    const { recorder, store, time } = this.input;
    const answers = await store.findAnswers(waiting.map(({ settlement }) => settlement.runId));
    const waits = ({ since }: PendingSettlement, milliseconds: number) => time.now() - since > milliseconds;
    const isAnswered = ({ settlement }: PendingSettlement) => answers.get(settlement.runId) !== null;
    await noteSettled(
      recorder.reader,
      waiting.filter((each) => isAnswered(each) || waits(each, UNANSWERED_MS)),
    );
    const isLeader = await recorder.isLeader();
    for (const pending of waiting) {
      if (pending.isOver) continue;
      const refusal = answers.get(pending.settlement.runId) ?? undefined;
      if (refusal !== undefined) {
        pending.failed(errorOf(refusal));
      } else if (isLeader) {
        remove(this.#remote, pending);
        this.#settleLocally(pending);
      } else if (waits(pending, SETTLED_WITHIN_MS)) {
        pending.failed(
          new RunError(
            'liabilities-stale',
            "The process that keeps the token's liabilities tree has not settled the window yet.",
          ),
        );
      }
    }
  }
}

/** Removes a wait, unless a newer try of the run has taken its place. */
function remove(waiting: Map<number, PendingSettlement>, pending: PendingSettlement): void {
  if (waiting.get(pending.settlement.runId) === pending) waiting.delete(pending.settlement.runId);
}

const errorOf = ({ code, message }: Refusal): RunError =>
  new RunError(Object.hasOwn(RUN_ERRORS, code) ? (code as RunErrorCode) : 'internal-error', message);
