import { type Pool, releaseInstant, shuffled } from '@payouts/client';
import type { Address } from '@solana/kit';
import { availableOf } from '../balances/available.ts';
import {
  NUMBERED,
  type ObservedPersonal,
  type ObservedTransfer,
  type ObservedWithdrawal,
  observedPersonal,
  PAYING,
  WAITING,
  WATCHED,
} from '../balances/personal.ts';
import type { MemcmpFilter } from '../ledger/ledger.ts';
import type { LiabilityRecorder } from '../liabilities/recorder.ts';
import type { RecorderContext } from '../liabilities/recorderContext.ts';
import type { LiabilityRecorders } from '../liabilities/recorders.ts';
import { NO_PROOF } from '../liabilities/withdrawalTree.ts';
import { forEachLimited } from '../platform/concurrency.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import { runLoop } from '../platform/loop.ts';
import { type Alive, unwatched } from '../platform/watchedRound.ts';
import { knownMints, listMints } from '../store/queries/liabilities.ts';
import { addPaidWallets } from '../store/queries/paidWallets.ts';
import type { Db } from '../store/schema.ts';
import { IssueBackoff } from './backoff.ts';
import { ClearBackoff } from './clearBackoff.ts';
import { Deliveries } from './deliveries.ts';
import type { WithdrawalHistory } from './history.ts';
import { type Idle, IdleAccounts } from './idleAccounts.ts';
import { type Beginning, LayerActions, type LayerOutcome, type Releases } from './layerActions.ts';
import { Rounds } from './rounds.ts';
import { StuckWithdrawals } from './stuckWithdrawals.ts';
import { Transfers, type TransfersInput } from './transfers.ts';
import { unopened } from './unopened.ts';

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
    readonly transfers: Pick<TransfersInput, 'codes' | 'history'>;
    readonly intervalMs: number;
    readonly stuckSeconds: number;
    /** Aborts when nothing new may begin. */
    readonly draining: AbortSignal;
  };

/** What there is to do for one token. */
type Work = {
  readonly beginnings: Beginning[];
  readonly transfers: ObservedTransfer[];
  readonly numbered: ObservedWithdrawal[];
  readonly idle: Idle[];
};

/** When a token's withdrawals are issued again that did not arrive, and cleared again that the layer did not clear. */
type Backoffs = { readonly issue: IssueBackoff; readonly clear: ClearBackoff };

/**
 * Has withdrawals paid: begins those that balances ask for by themselves, releases at each release instant those that have waited
 * for it and what is delivered to wallets, all together and in random order, has the liabilities tree recorded when it doesn't know a
 * withdrawal yet, has covered ones issued, and cleared once they are paid, and accounts closed of which nothing is left then. One that
 * fails is left alone for a while and keeps nobody else waiting.
 */
export class WithdrawalWorker {
  readonly #actions: LayerActions;
  /** By token. */
  readonly #backoffs = new Map<Address, Backoffs>();
  /** When to look for withdrawals to release again, unix milliseconds. */
  #nextRelease = 0;
  readonly #deliveries: Deliveries;
  readonly #idle: IdleAccounts;
  readonly #stuck: StuckWithdrawals;
  readonly #rounds: Rounds;
  readonly #transfers: Transfers;
  /** Tokens whose withdrawals could not be served, and when they are tried again. */
  readonly #troubles = new Map<Address, { readonly waitMs: number; readonly until: number }>();

  constructor(private readonly input: WorkerInput) {
    this.#actions = new LayerActions(input);
    this.#deliveries = new Deliveries(input);
    this.#idle = new IdleAccounts(input);
    this.#stuck = new StuckWithdrawals(input);
    this.#rounds = new Rounds(input);
    this.#transfers = new Transfers({ ...input, ...input.transfers, actions: this.#actions });
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
    const { database, liabilities, intervalMs, log, draining, signal } = this.input;
    const byMint = new Map<Address, Work>();
    const workOf = ({ mint }: { readonly mint: Address }) => {
      const work = byMint.get(mint) ?? { beginnings: [], transfers: [], numbered: [], idle: [] };
      byMint.set(mint, work);
      return work;
    };
    for (const beginning of [...(await this.#toBeReleased()), ...(await this.#ordered())]) {
      workOf(beginning.personal).beginnings.push(beginning);
    }
    const transfers = (await this.#look(PAYING)).flatMap((personal) => personal.transfers());
    this.#transfers.forget(transfers);
    for (const transfer of transfers) workOf(transfer.personal).transfers.push(transfer);
    for (const personal of await this.#look(NUMBERED)) {
      workOf(personal).numbered.push(...numberedOf(personal));
    }
    for (const idle of await this.#idle.look()) workOf(idle.account).idle.push(idle);
    alive();
    for (const mint of await this.#stuck.others(new Set(byMint.keys()))) workOf({ mint });
    const known = await knownMints(database, [...byMint.keys()]);
    await forEachLimited(byMint, AT_A_TIME, async ([mint, work]) => {
      const trouble = this.#troubles.get(mint);
      if (draining.aborted || !known.has(mint) || (trouble !== undefined && this.input.time.now() < trouble.until))
        return;
      const recorder = liabilities.of(mint);
      try {
        alive();
        // Of a token that another process keeps, that one serves the withdrawals.
        if (await recorder.isLeader()) {
          await this.#stuck.look(mint, work.numbered);
          await this.#transfers.make(recorder, work.transfers);
          await this.#serve(recorder, work, alive);
          await this.#leave(work.idle, alive);
        }
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

  /** Personal accounts of which that is so. */
  async #look(holding: readonly MemcmpFilter[]): Promise<ObservedPersonal[]> {
    const { layer, program } = this.input;
    const found = await layer.programAccounts(program, holding);
    return found.flatMap((account) => observedPersonal(account, program) ?? []);
  }

  /**
   * Waiting withdrawals whose release instant has come. A look at all that wait is dear when they are many, and more often than at each
   * instant it would release them apart from each other.
   */
  async #toBeReleased(): Promise<Beginning[]> {
    const { time, releaseSeconds, metrics } = this.input;
    const now = time.now();
    if (now < this.#nextRelease) return [];
    const seconds = BigInt(Math.floor(now / 1_000));
    const waiting = (await this.#look(WAITING)).flatMap((each) =>
      each.withdrawals().filter(({ number }) => number === 0n),
    );
    const isLater = ({ dueAt }: ObservedWithdrawal) => releaseInstant(dueAt, releaseSeconds) > seconds;
    const leaving = new Set(await this.#rounds.leaving(waiting));
    const due = waiting.filter((each) => !isLater(each) || leaving.has(each));
    const next = Number(releaseInstant(seconds + 1n, releaseSeconds)) * 1_000;
    // Those that are refused now, or whose token has trouble, don't wait for an instant of their own.
    this.#nextRelease = due.length === 0 ? next : Math.min(next, now + RELEASE_AGAIN_MS);
    metrics.withdrawalsWaiting.set(waiting.length - due.length);
    return due.map(({ personal, id }) => ({ personal, takes: id }));
  }

  /** What standing orders take now, and parts that stand ready; and deliveries whose instant has come. */
  async #ordered(): Promise<Beginning[]> {
    const now = this.input.time.now();
    // Deliveries are many, and leave at release instants alone: between these their pages need not be read.
    const isLookedAt = (each: ObservedPersonal) =>
      each.threshold !== 0n ||
      each.standing().length > 0 ||
      this.#deliveries.areToBeGathered(now) ||
      this.#deliveries.mayLeave(each, now);
    const watched = (await this.#look(WATCHED)).filter(isLookedAt);
    if (watched.length === 0 && !this.#deliveries.areToBeGathered(now)) return [];
    const available = await availableOf(this.input, watched);
    const orders: ObservedPersonal[] = [];
    const deliveries: ObservedPersonal[] = [];
    for (const personal of watched.filter(({ hasRoom }) => hasRoom)) {
      const amount = available.get(personal.address) ?? 0n;
      // The order comes first where both would take it, as in the program.
      const isReached = personal.threshold !== 0n && amount >= personal.threshold;
      if (isReached && !personal.isOrderUnderWay) orders.push(personal);
      else if (!isReached && personal.isDelivery && amount > 0n) deliveries.push(personal);
    }
    const leaving = deliveries.filter((each) => this.#deliveries.mayLeave(each, now));
    this.#deliveries.gather(deliveries, now);
    return [
      ...(await this.#rounds.ready(watched, available)),
      ...orders.map((personal) => ({ personal, takes: 'order' }) as const),
      ...leaving.map((personal) => ({ personal, takes: 'delivery' }) as const),
    ];
  }

  async #serve(recorder: LiabilityRecorder, { beginnings, numbered }: Work, alive: Alive): Promise<void> {
    const { draining, metrics, history } = this.input;
    const { withdrawals } = metrics;
    const begun: Beginning[] = [];
    let isAhead = false;
    // Once for all: of thousands that the layer's clock is too far behind for, each few would wait for themselves.
    const releasedBy = this.input.time.now() + SEEN_WITHIN_MS;
    // The order of the accounts' addresses would show in the withdrawals' numbers.
    await forEachLimited(shuffled(beginnings, this.input.randomBelow), AT_A_TIME, async (beginning) => {
      if (draining.aborted) return;
      // Those of one instant are released together, the first ones not before the rest.
      const order = () => this.#actions.executeOrder(beginning);
      const outcome = await this.#until(alive, order, 'WithdrawalNotReleased', releasedBy);
      if (outcome === 'done') begun.push(beginning);
      else if (outcome === 'LayerStateLost') isAhead = true;
    });
    withdrawals.inc({ outcome: 'begun' }, begun.length);
    for (const personal of this.#rounds.ended(begun)) history.orderEnded(personal);
    // What somebody else has recorded covers numbers that nobody has: the layer goes on once that is corrected.
    if (isAhead) await recorder.open();
    // What was just begun is there by now.
    const found =
      begun.length === 0
        ? numbered
        : (await recorder.reader.numbered()).flatMap(({ personal }) => numberedOf(personal));
    const pending = shuffled(found, this.input.randomBelow);
    if (pending.length === 0 || draining.aborted) return;
    for (const seen of pending) history.note(seen, seen.dueAt === 0n ? 'requested' : 'issued');
    const { isPaid, pool } = await recorder.reader.pool(pending);
    if (draining.aborted) return;
    const paid = pending.filter(({ number }) => isPaid(number));
    await this.#clear(recorder, this.#backoffOf(recorder).clear.toClear(paid, this.input.time.now()), pool, alive);
    const unpaid = pending.filter(({ number }) => !isPaid(number));
    const chosen = this.#backoffOf(recorder).issue.toIssue(unpaid, recorder.most, this.input.time.now());
    alive(RECORDED_WITHIN_MS);
    const due = await this.#withAccounts(chosen, pool);
    if (due.length === 0 || draining.aborted) return;
    // By these alone it is known whether there is something to record: one that is left alone for a while keeps nobody else out of the tree.
    await recorder.cover(due);
    if (draining.aborted) return;
    const { arrived, isStale } = await this.#issue(recorder, due, alive);
    await this.#clear(recorder, arrived, pool, alive);
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

  /** Of withdrawals those that the base ledger can pay; the ones that must wait for a token account of their wallet are left alone for a while. */
  async #withAccounts(chosen: readonly ObservedWithdrawal[], pool: Pool): Promise<ObservedWithdrawal[]> {
    const { base, log, time } = this.input;
    const without = await unopened(base, pool, chosen);
    for (const seen of without) this.#backoffOf(pool).issue.putOff(seen, time.now());
    if (without.size > 0) {
      log.info({ mint: pool.mint, count: without.size }, 'withdrawals wait for token accounts of their wallets');
    }
    return chosen.filter((seen) => !without.has(seen));
  }

  #backoffOf({ mint }: Pick<LiabilityRecorder, 'mint'>): Backoffs {
    const known = this.#backoffs.get(mint) ?? { issue: new IssueBackoff(), clear: new ClearBackoff() };
    this.#backoffs.set(mint, known);
    return known;
  }

  /**
   * Issues withdrawals and waits a while for those that were never tried before. Returns those that have arrived, and whether the layer
   * knows less of the pool than the base ledger has recorded.
   */
  async #issue(
    recorder: LiabilityRecorder,
    due: readonly ObservedWithdrawal[],
    alive: Alive,
  ): Promise<{ readonly arrived: readonly ObservedWithdrawal[]; readonly isStale: boolean }> {
    const { log, signal, metrics, history } = this.input;
    const { withdrawals } = metrics;
    const { mint } = recorder;
    const backoff = this.#backoffOf(recorder).issue;
    const first: ObservedWithdrawal[] = [];
    let isStale = false;
    // A payout changes what the pool holds: no recording begins until those just issued have arrived, or most likely won't.
    alive(RECORDED_WITHIN_MS);
    return recorder.shared(async () => {
      const payable = await recorder.payable();
      const recorded = due.filter((seen) => payable.has(seen));
      // Once for all, as for releases: meanwhile nothing of the token is recorded or settled.
      const seenBy = this.input.time.now() + SEEN_WITHIN_MS;
      await forEachLimited(recorded, AT_A_TIME, async (seen) => {
        const confirm = () => this.#actions.confirm(seen, payable.proof(seen.number));
        // One that was refused before is tried once: the layer has had the time to see what was recorded.
        const isNew = backoff.refusals(seen) === 0;
        const outcome = await (isNew ? this.#until(alive, confirm, 'NotCovered', seenBy) : confirm());
        if (outcome === 'WithdrawalUnderWay') {
          backoff.underWay(seen, this.input.time.now());
          log.debug({ mint, number: seen.number, outcome }, 'withdrawal not issued again yet');
          return;
        }
        if (outcome !== 'done') {
          isStale ||= outcome === 'NotCovered';
          const waitMs = backoff.refused(seen, this.input.time.now());
          withdrawals.inc({ outcome: 'refused' });
          log.warn({ mint, number: seen.number, outcome, waitMs }, 'withdrawal refused; tried again later');
          return;
        }
        const times = backoff.issued(seen, this.input.time.now());
        history.note(seen, 'issued');
        withdrawals.inc({ outcome: times === 1 ? 'issued' : 'reissued' });
        if (times === 1) first.push(seen);
        else log.warn({ mint, number: seen.number, times }, 'withdrawal issued again');
      });
      const arrived: ObservedWithdrawal[] = [];
      let left = first;
      const deadline = this.input.time.now() + ARRIVES_WITHIN_MS;
      while (left.length > 0) {
        const { isPaid } = await recorder.reader.pool(left);
        alive();
        arrived.push(...left.filter(({ number }) => isPaid(number)));
        left = left.filter(({ number }) => !isPaid(number));
        if (left.length === 0) break;
        if (this.input.time.now() >= deadline) {
          withdrawals.inc({ outcome: 'late' }, left.length);
          for (const { number } of left) {
            log.warn({ mint, number }, 'withdrawal not paid yet; it is issued again later');
          }
          break;
        }
        await this.input.time.pause(LOOK_MS, signal);
      }
      return { arrived, isStale };
    });
  }

  /**
   * Has withdrawals cleared that the base ledger has paid, once it is kept that they are and their recipients are told. The wallets of those
   * whose token account the sponsor would open may have transfers relayed: of smaller amounts somebody could take many.
   */
  async #clear(
    { mint }: Pick<LiabilityRecorder, 'mint'>,
    paid: readonly ObservedWithdrawal[],
    { leastOpening }: Pool,
    alive: Alive,
  ): Promise<void> {
    const { log, metrics, history, database, time } = this.input;
    // The others at a later look.
    const kept = paid.filter((seen) => history.paid(seen));
    const wallets = kept.filter(({ amount }) => amount >= leastOpening);
    await addPaidWallets(
      database,
      wallets.map(({ personal: { mint }, number, wallet }) => ({ mint, number, wallet, at: time.now() })),
    );
    const uncleared = new Map<LayerOutcome, number>();
    // Once for all, as for releases.
    const seenBy = time.now() + SEEN_WITHIN_MS;
    await forEachLimited(kept, AT_A_TIME, async (seen) => {
      const confirm = () => this.#actions.confirm(seen, NO_PROOF);
      const outcome = await this.#until(alive, confirm, 'WithdrawalUnderWay', seenBy);
      if (outcome !== 'done' && outcome !== 'NoWithdrawalPending') {
        this.#backoffOf(seen.personal).clear.refused(seen, time.now());
        uncleared.set(outcome, (uncleared.get(outcome) ?? 0) + 1);
        return;
      }
      this.#backoffOf(seen.personal).issue.arrived(seen, this.input.time.now());
      metrics.withdrawals.inc({ outcome: 'paid' });
      log.info({ mint, number: seen.number }, 'withdrawal paid');
    });
    for (const [outcome, count] of uncleared) {
      metrics.withdrawals.inc({ outcome: 'uncleared' }, count);
      log.warn({ mint, outcome, count }, 'paid withdrawals not cleared by the layer; tried again later');
    }
  }

  /** Has accounts wiped of which nothing is left, and those closed that were wiped a while ago. */
  async #leave(idle: readonly Idle[], alive: Alive): Promise<void> {
    const { draining, log } = this.input;
    await forEachLimited(idle, AT_A_TIME, async ({ step, account }) => {
      if (draining.aborted) return;
      alive();
      const outcome = await (step === 'wipe' ? this.#actions.wipe(account) : this.#actions.close(account));
      // Whatever its recipient has asked of it meanwhile comes first.
      if (outcome !== 'done') log.debug({ mint: account.mint, outcome }, 'account of a balance not closed');
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

const numberedOf = (personal: ObservedPersonal): ObservedWithdrawal[] =>
  personal.withdrawals().filter(({ number }) => number !== 0n);
