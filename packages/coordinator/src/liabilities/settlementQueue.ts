import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { RUN_ERRORS, RunError, type RunErrorCode, toRunError } from '../domain/errors.ts';
import type { Locks } from '../platform/leadership.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import type { LiabilityStore, Refusal, SettlementRequest } from '../store/liabilityStore.ts';
import type { LiabilityReader } from './reader.ts';

/** Settlements prepared together. */
const ROUND = 64;
/** Milliseconds between two looks whether another process has settled what was handed to it, and how long it may take. */
const LOOK_MS = 150;
const SETTLED_WITHIN_MS = 60_000;

/** Somebody's wait for a window's settlement. */
export class Asked {
  readonly settlement: SettlementRequest;
  readonly outcome: Promise<void>;
  readonly since: number;
  /** It stands in the store, for whichever process keeps the token's tree. */
  isStored: boolean;
  isOver = false;
  #settled!: () => void;
  #failed!: (error: unknown) => void;

  constructor(settlement: SettlementRequest, since: number, isStored: boolean) {
    this.settlement = settlement;
    this.since = since;
    this.isStored = isStored;
    this.outcome = new Promise((settled, failed) => {
      this.#settled = settled;
      this.#failed = failed;
    });
    // Nobody may be waiting in this process.
    this.outcome.catch(() => {});
  }

  get schedule(): Address {
    return this.settlement.schedule as Address;
  }

  settled(): void {
    this.isOver = true;
    this.#settled();
  }

  failed(error: unknown): void {
    this.isOver = true;
    this.#failed(error);
  }
}

export type DeskInput = {
  readonly mint: Address;
  readonly store: LiabilityStore;
  readonly locks: Locks;
  readonly reader: LiabilityReader;
  readonly time: Time;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Settles these windows, or some of them for now, and says so; when it throws, those left over have failed with that. */
  readonly settle: (asked: readonly Asked[]) => Promise<void>;
};

/**
 * Where windows of one token are handed in to be settled. The process that keeps the token's tree settles its own and the others'
 * together; the others leave theirs in the store and watch the ledger.
 */
export class SettlementQueue {
  readonly #input: DeskInput;
  /** By run. */
  readonly #here = new Map<number, Asked>();
  readonly #elsewhere = new Map<number, Asked>();
  #isSettling = false;
  #isWatching = false;

  constructor(input: DeskInput) {
    this.#input = input;
  }

  /** Ends when the base ledger shows the window settled. Throws `RunError`. */
  async ask(settlement: SettlementRequest): Promise<void> {
    const { store, locks, mint, time } = this.#input;
    const waiting = this.#here.get(settlement.runId) ?? this.#elsewhere.get(settlement.runId);
    if (waiting?.isOver === false) return waiting.outcome;
    const isHere = await locks.holds(`liabilities ${mint}`);
    if (!isHere) await store.askSettlement(settlement);
    const asked = new Asked(settlement, time.now(), !isHere);
    if (isHere) this.#settleHere(asked);
    else this.#watch(asked);
    return asked.outcome;
  }

  /** Takes a settlement that stands in the store, in the process that keeps the token's tree. */
  take(settlement: SettlementRequest): void {
    const { runId } = settlement;
    const here = this.#here.get(runId);
    if (here !== undefined) {
      here.isStored = true;
      return;
    }
    // Stored by this process itself, when another one kept the tree: whoever waits for it goes on waiting.
    const elsewhere = this.#elsewhere.get(runId);
    this.#elsewhere.delete(runId);
    this.#settleHere(elsewhere ?? new Asked(settlement, this.#input.time.now(), true));
  }

  #settleHere(asked: Asked): void {
    this.#here.set(asked.settlement.runId, asked);
    if (this.#isSettling) return;
    this.#isSettling = true;
    void this.#settleAll();
  }

  async #settleAll(): Promise<void> {
    const { settle, log, signal } = this.#input;
    while (this.#here.size > 0) {
      const round = [...this.#here.values()].slice(0, ROUND);
      try {
        await settle(round);
      } catch (error) {
        for (const asked of round) if (!asked.isOver) asked.failed(error);
      }
      try {
        await this.#answer(round.filter(({ isOver, isStored }) => isOver && isStored));
      } catch (error) {
        // Whoever asked sees by the ledger what happened, or asks again.
        if (!signal.aborted) log.warn(errorFields(error), 'settlements of other processes could not be answered');
      }
      // Only now: what stands in the store unanswered would be taken once more.
      for (const asked of round) if (asked.isOver) remove(this.#here, asked);
    }
    this.#isSettling = false;
  }

  /** Tells the other processes, by the store. */
  async #answer(round: readonly Asked[]): Promise<void> {
    const { store, signal } = this.#input;
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

  #watch(asked: Asked): void {
    this.#elsewhere.set(asked.settlement.runId, asked);
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#watchAll();
  }

  async #watchAll(): Promise<void> {
    const { time, signal } = this.#input;
    while (this.#elsewhere.size > 0) {
      const waiting = [...this.#elsewhere.values()];
      try {
        await this.#look(waiting);
        if (this.#elsewhere.size > 0) await time.pause(LOOK_MS, signal);
      } catch (error) {
        for (const asked of waiting) if (!asked.isOver) asked.failed(error);
      }
      for (const asked of waiting) if (asked.isOver) remove(this.#elsewhere, asked);
    }
    this.#isWatching = false;
  }

  async #look(waiting: readonly Asked[]): Promise<void> {
    const { reader, store, locks, mint, time } = this.#input;
    await noteSettled(reader, waiting);
    const refusals = await store.findRefusals(waiting.map(({ settlement }) => settlement.runId));
    const isHere = await locks.holds(`liabilities ${mint}`);
    for (const asked of waiting) {
      if (asked.isOver) continue;
      const refusal = refusals.get(asked.settlement.runId);
      if (refusal !== undefined) {
        asked.failed(errorOf(refusal));
      } else if (isHere) {
        remove(this.#elsewhere, asked);
        this.#settleHere(asked);
      } else if (time.now() - asked.since > SETTLED_WITHIN_MS) {
        asked.failed(
          new RunError(
            'liabilities-stale',
            "The process that keeps the token's liabilities tree has not settled the window yet.",
          ),
        );
      }
    }
  }
}

/** Notes which windows the base ledger shows settled. */
export async function noteSettled(reader: LiabilityReader, waiting: readonly Asked[]): Promise<void> {
  const open = waiting.filter(({ isOver }) => !isOver);
  const numbers = await reader.windowNumbers(open.map(({ schedule }) => schedule));
  for (const asked of open) {
    if ((numbers.get(asked.schedule) ?? 0n) > asked.settlement.window) asked.settled();
  }
}

/** Removes a wait, unless a newer try of the run has taken its place. */
function remove(waiting: Map<number, Asked>, asked: Asked): void {
  if (waiting.get(asked.settlement.runId) === asked) waiting.delete(asked.settlement.runId);
}

const errorOf = ({ code, message }: Refusal): RunError =>
  new RunError(Object.hasOwn(RUN_ERRORS, code) ? (code as RunErrorCode) : 'internal-error', message);
