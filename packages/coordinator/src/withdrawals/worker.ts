import { releaseInstant } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type ObservedBalance, observedBalance, WAITING, WITH_ATTENTION } from '../liabilities/balanceAccount.ts';
import { type LiabilityRecorder, payableOf } from '../liabilities/recorder.ts';
import type { RecorderContext } from '../liabilities/recorderContext.ts';
import type { LiabilityRecorders } from '../liabilities/recorders.ts';
import { NO_PROOF } from '../liabilities/withdrawalTree.ts';
import { forEachLimited } from '../platform/concurrency.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import { runLoop } from '../platform/loop.ts';
import { type Alive, unwatched } from '../platform/watchedRound.ts';
import { knownMints, listMints } from '../store/queries/liabilities.ts';
import type { Db } from '../store/schema.ts';
import { IssueBackoff } from './backoff.ts';
import { Deliveries, isDelivery } from './deliveries.ts';
import type { WithdrawalHistory } from './history.ts';
import { LayerActions, type Releases } from './layerActions.ts';

/** Instructions under way at a time. */
const AT_A_TIME = 8;
/** Milliseconds that payouts just issued are waited for, and between two looks. */
const ARRIVES_WITHIN_MS = 3_000;
const LOOK_MS = 50;
/**
 * Milliseconds that the layer is given to see on the base ledger what was just recorded or paid there, and to reach a release instant
 * by its own clock, which is behind for as long: at most 2 s were seen.
 */
const SEEN_WITHIN_MS = 3_000;
/** Milliseconds until the next look for withdrawals to release, when some could not be. */
const RELEASE_AGAIN_MS = 5_000;
/** Milliseconds that a tree may take to be loaded, and a recording of it, with its turn. */
const LOADED_WITHIN_MS = 600_000;
const RECORDED_WITHIN_MS = 180_000;
/** The longest wait, in milliseconds, after a token's withdrawals could not be served; each time it is twice the last. */
const LONGEST_TROUBLE_MS = 60_000;

export type WorkerInput = RecorderContext &
  Releases & {
    readonly database: Db;
    readonly liabilities: LiabilityRecorders;
    readonly history: WithdrawalHistory;
    readonly intervalMs: number;
    /** Aborts when nothing new may begin. */
    readonly draining: AbortSignal;
  };

/**
 * Has withdrawals paid: begins those that balances ask for by themselves, releases at each release instant those that have waited
 * for it and what is delivered to wallets, all together and in random order, has the liabilities tree recorded when it doesn't know a
 * withdrawal yet, has covered ones issued, and cleared once they are paid. One that fails is left alone for a while and keeps nobody
 * else waiting.
 */
export class WithdrawalWorker {
  readonly #actions: LayerActions;
  readonly #backoff = new IssueBackoff();
  /** When to look for withdrawals to release again, unix milliseconds. */
  #nextRelease = 0;
  readonly #deliveries: Deliveries;
  /** Tokens whose withdrawals could not be served, and when they are tried again. */
  readonly #troubles = new Map<Address, { readonly waitMs: number; readonly until: number }>();

  constructor(private readonly input: WorkerInput) {
    this.#actions = new LayerActions(input);
    this.#deliveries = new Deliveries(input);
  }

  /**
   * Looks and works until `draining`. Before that it loads the liabilities trees of registered tokens, so that one that is not as it was
   * recorded is seen at once.
   */
  run(): Promise<void> {
    const { intervalMs, time, metrics, draining } = this.input;
    const onFailure = () => metrics.withdrawalPolls.inc({ outcome: 'failed' });
    let isLoaded = false;
    return runLoop({ ...this.input, name: 'withdrawals', signal: draining, onFailure }, async (alive) => {
      const began = time.now();
      if (!isLoaded) await this.#loadTrees(alive);
      isLoaded = true;
      const isServed = await this.poll(alive);
      metrics.withdrawalPolls.inc({ outcome: isServed ? 'ok' : 'failed' });
      return Math.max(0, intervalMs - (time.now() - began));
    });
  }

  async #loadTrees(alive: Alive): Promise<void> {
    const { database, liabilities, log, signal } = this.input;
    for (const mint of await listMints(database)) {
      signal.throwIfAborted();
      alive(LOADED_WITHIN_MS);
      const recorder = liabilities.of(mint as Address);
      if (!(await recorder.isLeader())) continue;
      await recorder.open().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ mint, ...errorFields(error) }, 'a liabilities tree could not be loaded yet');
      });
    }
  }

  /** One look at all tokens of registered schedules; false if one token's withdrawals can't be served now. */
  async poll(alive: Alive = unwatched): Promise<boolean> {
    const { layer, program, database, liabilities, intervalMs, log, draining, signal } = this.input;
    const byMint = new Map<Address, ObservedBalance[]>();
    const released = await this.#toBeReleased();
    const asking = await layer.programAccounts(program, WITH_ATTENTION);
    alive();
    for (const seen of [...released, ...asking.flatMap((account) => observedBalance(account, program) ?? [])]) {
      const balances = byMint.get(seen.mint) ?? [];
      balances.push(seen);
      byMint.set(seen.mint, balances);
    }
    const known = await knownMints(database, [...byMint.keys()]);
    await forEachLimited(byMint, AT_A_TIME, async ([mint, balances]) => {
      const trouble = this.#troubles.get(mint);
      if (draining.aborted || !known.has(mint) || (trouble !== undefined && this.input.time.now() < trouble.until))
        return;
      const recorder = liabilities.of(mint);
      try {
        alive();
        // Of a token that another process keeps, that one serves the withdrawals.
        if (await recorder.isLeader()) await this.#serve(recorder, this.#shuffled(balances), alive);
        this.#troubles.delete(mint);
      } catch (error) {
        if (signal.aborted || alive.signal.aborted) throw error;
        const waitMs = Math.min((trouble?.waitMs ?? intervalMs) * 2, LONGEST_TROUBLE_MS);
        this.#troubles.set(mint, { waitMs, until: this.input.time.now() + waitMs });
        log.warn(
          { mint, waitMs, ...errorFields(error) },
          "a token's withdrawals could not be served; tried again later",
        );
      }
    });
    return this.#troubles.size === 0;
  }

  /**
   * Waiting withdrawals and deliveries whose release instant has come. A look at all that wait is dear when they are many, and more
   * often than at each instant it would release them apart from each other.
   */
  async #toBeReleased(): Promise<ObservedBalance[]> {
    const { layer, program, time, releaseSeconds, metrics } = this.input;
    const now = time.now();
    if (now < this.#nextRelease && !this.#deliveries.areToBeGathered(now)) return [];
    const waiting = (await layer.programAccounts(program, WAITING)).flatMap(
      (each) => observedBalance(each, program) ?? [],
    );
    this.#deliveries.gather(waiting, now);
    if (now < this.#nextRelease) return [];
    const seconds = BigInt(Math.floor(now / 1_000));
    const isLater = ({ dueAt }: ObservedBalance) => releaseInstant(dueAt, releaseSeconds) > seconds;
    const due = waiting.filter((seen) => (isDelivery(seen) ? this.#deliveries.mayLeave(seen, now) : !isLater(seen)));
    const next = Number(releaseInstant(seconds + 1n, releaseSeconds)) * 1_000;
    // Those that are refused now, or whose token has trouble, don't wait for an instant of their own.
    this.#nextRelease = due.length === 0 ? next : Math.min(next, now + RELEASE_AGAIN_MS);
    metrics.withdrawalsWaiting.set(waiting.filter(isLater).length);
    return due;
  }

  /** In random order: that of the balances' addresses would show in the withdrawals' numbers. */
  #shuffled(balances: readonly ObservedBalance[]): ObservedBalance[] {
    const shuffled = [...balances];
    for (let place = shuffled.length - 1; place > 0; place -= 1) {
      const other = this.input.randomBelow(place + 1);
      [shuffled[place], shuffled[other]] = [shuffled[other] as ObservedBalance, shuffled[place] as ObservedBalance];
    }
    return shuffled;
  }

  async #serve(recorder: LiabilityRecorder, balances: readonly ObservedBalance[], alive: Alive): Promise<void> {
    const { draining, metrics, history } = this.input;
    const { withdrawals } = metrics;
    const begun: Address[] = [];
    let isAhead = false;
    // Once for all: of thousands that the layer's clock is too far behind for, each few would wait for themselves.
    const releasedBy = this.input.time.now() + SEEN_WITHIN_MS;
    await forEachLimited(balances, AT_A_TIME, async (seen) => {
      if (draining.aborted) return;
      if (seen.pendingNumber !== 0n) return;
      // Those of one instant are released together, the first ones not before the rest.
      const order = () => this.#actions.executeOrder(seen);
      const outcome = await this.#until(alive, order, 'WithdrawalNotReleased', releasedBy);
      if (outcome === 'done') begun.push(seen.balance);
      else if (outcome === 'LayerStateLost') isAhead = true;
    });
    withdrawals.inc({ outcome: 'begun' }, begun.length);
    // What somebody else has recorded covers numbers that nobody has: the layer goes on once that is corrected.
    if (isAhead) await recorder.open();
    const pending = balances.filter(({ pendingNumber }) => pendingNumber !== 0n);
    await recorder.reader.balances(begun, (_, seen) => {
      if (seen !== undefined && seen.pendingNumber !== 0n) pending.push(seen);
    });
    if (pending.length === 0 || draining.aborted) return;
    for (const seen of pending) history.note(seen, seen.dueAt === 0n ? 'requested' : 'issued');
    const now = this.input.time.now();
    // One that its recipient has put off, or that was just issued.
    const isPutOff = ({ dueAt }: ObservedBalance) => Number(dueAt) * 1_000 > now;
    await this.#cover(
      recorder,
      pending.filter((seen) => !isPutOff(seen)),
      alive,
    );

    const { isPaid } = await recorder.reader.pool(numbersOf(pending));
    const paid = pending.filter(({ pendingNumber }) => isPaid(pendingNumber));
    const due = pending.filter(
      (seen) => !isPaid(seen.pendingNumber) && !isPutOff(seen) && this.#backoff.isDue(seen, now),
    );
    if (draining.aborted) return;
    await this.#clear(paid, alive);
    const { arrived, isStale } = await this.#issue(recorder, due, alive);
    await this.#clear(arrived, alive);
    if (isStale) await this.#refresh(recorder, alive);
  }

  /** Records the pool anew: the layer takes its copy of it again when it changes on the base ledger. */
  async #refresh(recorder: LiabilityRecorder, alive: Alive): Promise<void> {
    const { mint } = recorder;
    this.input.log.warn({ mint }, "the execution layer's copy of a pool is old; the pool is recorded anew");
    alive(RECORDED_WITHIN_MS);
    const { pool } = await recorder.reader.pool();
    await recorder.record(async () => (await recorder.reader.pool()).pool.sequence > pool.sequence);
  }

  /** Has the liabilities tree recorded when there are withdrawals that the recorded one does not have as they are. */
  async #cover(recorder: LiabilityRecorder, pending: readonly ObservedBalance[], alive: Alive): Promise<void> {
    if (pending.length === 0) return;
    alive(RECORDED_WITHIN_MS);
    await recorder.cover(pending);
  }

  /**
   * Issues withdrawals and waits a while for those that were never tried before. Returns those that have arrived, and whether the layer
   * knows less of the pool than the base ledger has recorded.
   */
  async #issue(
    recorder: LiabilityRecorder,
    due: readonly ObservedBalance[],
    alive: Alive,
  ): Promise<{ readonly arrived: readonly ObservedBalance[]; readonly isStale: boolean }> {
    const { log, signal, metrics, history } = this.input;
    const { withdrawals } = metrics;
    const { mint } = recorder;
    const first: ObservedBalance[] = [];
    let isStale = false;
    // A payout changes what the pool holds: no recording begins until those just issued have arrived, or most likely won't.
    alive(RECORDED_WITHIN_MS);
    return recorder.shared(async () => {
      const payable = await recorder.payable();
      const recorded = due.filter((seen) => payable.has(payableOf(seen)));
      await forEachLimited(recorded, AT_A_TIME, async (seen) => {
        const confirm = () => this.#actions.confirm(seen, payable.proof(seen.pendingNumber));
        // One that was refused before is tried once: the layer has had the time to see what was recorded.
        const isNew = this.#backoff.refusals(seen) === 0;
        const outcome = await (isNew ? this.#until(alive, confirm, 'NotCovered') : confirm());
        if (outcome === 'WithdrawalUnderWay') {
          this.#backoff.underWay(seen, this.input.time.now());
          log.debug({ mint, number: seen.pendingNumber, outcome }, 'withdrawal not issued again yet');
          return;
        }
        if (outcome !== 'done') {
          isStale ||= outcome === 'NotCovered';
          const waitMs = this.#backoff.refused(seen, this.input.time.now());
          withdrawals.inc({ outcome: 'refused' });
          log.warn({ mint, number: seen.pendingNumber, outcome, waitMs }, 'withdrawal refused; tried again later');
          return;
        }
        const times = this.#backoff.issued(seen, this.input.time.now());
        history.note(seen, 'issued');
        withdrawals.inc({ outcome: times === 1 ? 'issued' : 'reissued' });
        if (times === 1) first.push(seen);
        else log.warn({ mint, number: seen.pendingNumber, times }, 'withdrawal issued again');
      });
      const arrived: ObservedBalance[] = [];
      let left = first;
      const deadline = this.input.time.now() + ARRIVES_WITHIN_MS;
      while (left.length > 0) {
        const { isPaid } = await recorder.reader.pool(numbersOf(left));
        alive();
        arrived.push(...left.filter(({ pendingNumber }) => isPaid(pendingNumber)));
        left = left.filter(({ pendingNumber }) => !isPaid(pendingNumber));
        if (left.length === 0) break;
        if (this.input.time.now() >= deadline) {
          withdrawals.inc({ outcome: 'late' }, left.length);
          for (const { pendingNumber } of left) {
            log.warn({ mint, number: pendingNumber }, 'withdrawal not paid yet; it is issued again later');
          }
          break;
        }
        await this.input.time.pause(LOOK_MS, signal);
      }
      return { arrived, isStale };
    });
  }

  /** Has withdrawals cleared that the base ledger has paid. */
  async #clear(paid: readonly ObservedBalance[], alive: Alive): Promise<void> {
    const { log, metrics, history } = this.input;
    await forEachLimited(paid, AT_A_TIME, async (seen) => {
      const outcome = await this.#until(alive, () => this.#actions.confirm(seen, NO_PROOF), 'WithdrawalUnderWay');
      if (outcome !== 'done' && outcome !== 'NoWithdrawalPending') return;
      this.#backoff.arrived(seen, this.input.time.now());
      history.note(seen, 'paid');
      metrics.withdrawals.inc({ outcome: 'paid' });
      log.info({ mint: seen.mint, number: seen.pendingNumber }, 'withdrawal paid');
    });
  }

  /** Repeats while it is too early for the layer. */
  async #until<T>(
    alive: Alive,
    act: () => Promise<T>,
    tooEarly: T,
    deadline = this.input.time.now() + SEEN_WITHIN_MS,
  ): Promise<T> {
    for (;;) {
      alive();
      const outcome = await act();
      if (outcome !== tooEarly || this.input.time.now() >= deadline) return outcome;
      await this.input.time.pause(LOOK_MS, this.input.signal);
    }
  }
}

const numbersOf = (balances: readonly ObservedBalance[]): { readonly number: bigint }[] =>
  balances.map(({ pendingNumber }) => ({ number: pendingNumber }));
