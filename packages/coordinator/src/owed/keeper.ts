import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildTransaction, type Owed } from '@payouts/client';
import type { Address, Instruction, TransactionPartialSigner } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import type { BaseLedger, ExecutionLayer } from '../ledger/ledger.ts';
import { follow, type Kept, type Route } from '../ledger/send.ts';
import { described } from '../log/described.ts';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics.ts';
import { DecryptionFailed } from '../store/cipher.ts';
import { type ChunkPart, sealOwedChunk } from '../store/owedChunks.ts';
import type { OwedStore } from '../store/owedStore.ts';
import { WrongPayloadKey } from '../store/payloadKeys.ts';
import type { Time } from '../time.ts';
import { CHUNK_LEAVES, OwedBook } from './book.ts';
import { Gate } from './gate.ts';
import { type OpenWindow, OwedReader, type PoolAtOnce } from './reader.ts';
import { Blinds } from './record.ts';

/** What keepers work with. */
export type KeeperContext = {
  readonly program: Address;
  readonly config: Address;
  readonly authority: TransactionPartialSigner;
  readonly base: BaseLedger;
  readonly layer: ExecutionLayer;
  readonly time: Time;
  readonly store: OwedStore;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
};

/** A transaction that records an owed root. */
export type RecordRequest = {
  readonly purpose: 'settle' | 'record';
  /** The schedule whose window the transaction settles. */
  readonly settles?: Address;
  /** The run and the try of a stage that it is for. */
  readonly run?: { readonly runId: number; readonly attemptId: number };
  readonly computeUnits: number;
  /** Whether its purpose is reached, by the ledger's state. */
  readonly isDone: () => Promise<boolean>;
  readonly build: (owed: Owed, tokenProgram: Address) => Promise<readonly Instruction[]>;
};

/** Tries of a recording: as it is, read again after a moment, then twice rebuilt from the ledgers. */
const TRIES = 4;
const REBUILD_FROM = 3;
/** Milliseconds after which a payout that was on its way has arrived. */
const AGAIN_AFTER_MS = 150;
/** Recordings between two removals of what they have replaced. */
const FORGET_EVERY = 8;

const hex = (bytes: ArrayLike<number>): string => Buffer.from(Uint8Array.from(bytes)).toString('hex');

/** Errors of a recording that another look at the ledgers may mend. */
const isAboutTheTree = (error: unknown): boolean =>
  error instanceof RunError && (error.code === 'owed-stale' || error.code === 'owed-mismatch');

/** The tree in memory, where it stands in the database, and what has been recorded of it. */
type State = {
  readonly book: OwedBook;
  readonly key: Uint8Array;
  /** Number of the last recording that was prepared. */
  number: bigint;
  /** What the base ledger has recorded, as far as it is known here. */
  recorded: { readonly sequence: bigint; readonly root: string };
  /** The book has agreed with the ledgers since it was loaded. */
  isProven: boolean;
};

/**
 * Keeps one token's owed tree and records it on the base ledger. Whoever changes what a token owes, other than by a recipient's
 * request, works inside `shared`, so that a recording sees the ledgers between two changes.
 */
export class OwedKeeper {
  readonly mint: Address;
  readonly reader: OwedReader;
  readonly #context: KeeperContext;
  readonly #gate = new Gate();
  readonly #touched = new Set<Address>();
  readonly #opened = new Set<Address>();
  #state: State | undefined;
  #sinceForget = 0;

  constructor(mint: Address, context: KeeperContext) {
    this.mint = mint;
    this.#context = context;
    this.reader = new OwedReader({ ...context, mint });
  }

  /** Works while no recording does. */
  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.shared(work);
  }

  /** These balances are being paid: the next recording reads them. */
  touch(balances: Iterable<Address>): void {
    for (const balance of balances) this.#touched.add(balance);
  }

  /** This schedule's window is being opened. */
  opened(schedule: Address): void {
    this.#opened.add(schedule);
  }

  /** Loads the tree and compares it with the recorded root. Throws `RunError`. */
  open(): Promise<void> {
    return this.#gate.alone(async () => {
      await this.#followUnsettled();
      await this.#load(await this.reader.pool());
    });
  }

  /** Reads balances that are paid already, so that the next recording has less to read. */
  prepare(): Promise<void> {
    return this.#gate.alone(async () => {
      if (this.#touched.size === 0) return;
      const state = await this.#load(await this.reader.pool());
      await this.#readBalances(state.book, this.#touched, state.number + 1n);
      this.#touched.clear();
    });
  }

  /**
   * Brings the tree up to what the ledgers show and records it by the request's transaction. Throws `RunError`; with
   * `owed-mismatch` when what the ledgers show does not add up, after reading everything anew.
   */
  async record(request: RecordRequest): Promise<void> {
    const { recordings } = this.#context.metrics;
    try {
      if (await this.#recordAlone(request)) recordings.inc({ outcome: 'recorded' });
    } catch (error) {
      if (!this.#context.signal.aborted) recordings.inc({ outcome: 'failed' });
      throw error;
    }
    this.#sinceForget += 1;
    if (this.#sinceForget >= FORGET_EVERY) await this.#forget();
  }

  /** False if there was nothing to record. */
  #recordAlone(request: RecordRequest): Promise<boolean> {
    return this.#gate.alone(async () => {
      for (let attempt = 1; ; attempt++) {
        await this.#followUnsettled();
        if (await request.isDone()) return attempt > 1;
        if (attempt > 1) this.#context.metrics.recordings.inc({ outcome: 'retried' });
        try {
          await this.#try(request, attempt);
        } catch (error) {
          if (await request.isDone()) return true;
          if (!isAboutTheTree(error) || attempt === TRIES) throw error;
          this.#context.log.info(
            { mint: this.mint, attempt, reason: (error as RunError).message },
            'owed tree read again',
          );
          await this.#context.time.pause(AGAIN_AFTER_MS, this.#context.signal);
          continue;
        }
        if (await request.isDone()) return true;
        if (attempt === TRIES) throw new RunError('transaction-expired', `The ${request.purpose} did not land.`);
      }
    });
  }

  async #try(request: RecordRequest, attempt: number): Promise<void> {
    const { base, log } = this.#context;
    const before = await this.reader.pool();
    const state = await this.#load(before);
    state.number += 1n;
    const isRebuilt = attempt >= REBUILD_FROM || (attempt > 1 && !state.isProven);
    const next = await this.reader.nextNumber();
    if (next < before.pool.coveredTo) {
      throw new RunError(
        'layer-state-lost',
        `The execution layer's next withdrawal is ${next}, but the base ledger knows those below ${before.pool.coveredTo}.`,
      );
    }
    if (isRebuilt) {
      this.#context.metrics.differs('owed-rebuilt');
      log.warn({ mint: this.mint, leaves: state.book.tree.leafCount }, 'owed tree rebuilt from the ledgers');
    }
    const [windows] = await Promise.all([
      this.#readWindows(state, before, isRebuilt),
      isRebuilt ? this.#readAllBalances(state) : this.#readChangedBalances(state),
    ]);
    const now = await this.reader.pool(state.book.pending);
    const settled = windows.find(({ schedule }) => schedule === request.settles);
    const total = this.#checkedTotal(state, now, windows, settled);
    for (const schedule of [...state.book.windows.keys()]) {
      if (!windows.some((window) => window.schedule === schedule && window !== settled)) {
        state.book.removeWindow(schedule, state.number);
      }
    }
    for (const window of windows) if (window !== settled) state.book.setWindow(window, state.number);
    state.isProven = true;

    const { pool } = now;
    const owed: Owed = {
      sequence: pool.sequence + 1n,
      root: state.book.tree.root,
      total,
      coveredTo: next,
      leaves: state.book.tree.leafCount,
    };
    const kept = await this.#store(state, request, owed, await request.build(owed, pool.tokenProgram));
    const route: Route = { ...this.#route, purpose: request.purpose };
    if ((await follow({ ...route, ledger: base }, kept)) === 'expired') return;
    state.recorded = { sequence: owed.sequence, root: hex(owed.root) };
    this.#touched.clear();
    for (const schedule of this.#opened) if (!state.book.windows.has(schedule)) this.#opened.delete(schedule);
  }

  get #route(): Omit<Route, 'purpose'> {
    const { store, time, base, signal } = this.#context;
    return { store, time, ledger: base, commitment: 'confirmed', signal };
  }

  /** A former recording may still be on its way; nothing new is sent before its end is known. */
  async #followUnsettled(): Promise<void> {
    for (const transaction of await this.#context.store.findUnsettledRecordings(this.mint)) {
      await follow({ ...this.#route, purpose: transaction.purpose }, transaction).catch((error: unknown) => {
        // Refused: it changed nothing.
        if (!(error instanceof RunError) || /unavailable$/.test(error.code)) throw error;
      });
    }
  }

  /** The tree whose root the base ledger has recorded: that in memory, else the database's, else an empty one to be rebuilt. */
  async #load({ pool }: PoolAtOnce): Promise<State> {
    const recorded = { sequence: pool.sequence, root: hex(pool.owedRoot) };
    const known = this.#state;
    if (known?.recorded.sequence === recorded.sequence && known.recorded.root === recorded.root) return known;
    const { store, time, log } = this.#context;
    const mint = this.mint;
    try {
      const key = await store.treeKey(mint, time.now());
      const blinds = new Blinds(key, mint);
      const number = await store.lastRecordingNumber(mint);
      let book = new OwedBook(blinds);
      if (recorded.sequence > 0n) {
        const found = await store.findRecording(mint, recorded.sequence, recorded.root);
        if (found !== undefined) {
          const of = BigInt(found.number);
          const chunks = Math.ceil(found.leaves / CHUNK_LEAVES);
          for await (const chunk of store.readChunks({ mint, number: of, chunks, key })) {
            book.load(chunk);
            await nextTurn();
          }
          // Prepared but never recorded: the next recording must not be taken for one that builds on them.
          book.markChanged(await store.chunksChangedAfter(mint, of));
        }
        if (hex(book.tree.root) === recorded.root) {
          log.info({ mint, sequence: recorded.sequence, leaves: book.tree.leafCount }, 'owed tree loaded');
        } else {
          this.#context.metrics.differs('owed-missing');
          log.error({ mint, sequence: recorded.sequence }, 'the recorded owed tree is not in the database');
          book = new OwedBook(blinds);
        }
      }
      this.#state = { book, key, number, recorded, isProven: false };
      return this.#state;
    } catch (error) {
      if (error instanceof WrongPayloadKey || error instanceof DecryptionFailed) {
        throw new RunError('owed-unreadable', `The owed tree can't be decrypted: ${error.message}`, { cause: error });
      }
      throw error;
    }
  }

  async #readChangedBalances({ book, number }: State): Promise<void> {
    const toRead = new Set(this.#touched);
    for (const { balance } of book.pending) toRead.add(balance);
    for (const seen of await this.reader.balancesWithAttention()) {
      book.setBalance(seen, number);
      toRead.delete(seen.balance);
    }
    await this.#readBalances(book, toRead, number);
  }

  async #readBalances(book: OwedBook, addresses: Iterable<Address>, number: bigint): Promise<void> {
    await this.reader.balances([...addresses], (address, seen) => {
      if (seen !== undefined) book.setBalance(seen, number);
      // Of the others that were touched, the layer has created no balance.
      else if (book.has(address)) throw gone();
    });
  }

  async #readAllBalances({ book, number }: State): Promise<void> {
    const missing = new Set(book.balances());
    await this.reader.allBalances(book.tree.leafCount, (seen) => {
      book.setBalance(seen, number);
      missing.delete(seen.balance);
    });
    if (missing.size > 0) throw gone();
  }

  /** Open windows: those known here, or all that the base ledger has where these don't add up. */
  async #readWindows({ book }: State, { pool }: PoolAtOnce, isRebuilt: boolean): Promise<OpenWindow[]> {
    if (!isRebuilt) {
      const seen = await this.#context.store.findOpenSchedules(this.mint);
      const known = new Set([...(seen as Address[]), ...this.#opened, ...book.windows.keys()]);
      const windows = await this.reader.windows([...known]);
      if (windows.reduce((sum, { amount }) => sum + amount, 0n) === pool.open) return windows;
    }
    return this.reader.allWindows();
  }

  /** What the tree adds up to, if that is what the pool holds once the settled window's remainder has gone back. */
  #checkedTotal(
    { book }: State,
    { pool, isPaid }: PoolAtOnce,
    windows: readonly OpenWindow[],
    settled: OpenWindow | undefined,
  ): bigint {
    let total = book.balancesTotal;
    for (const { number, amount } of book.pending) if (!isPaid(number)) total += amount;
    for (const window of windows) if (window !== settled) total += window.amount - window.paid;
    const remainder = settled === undefined ? 0n : settled.amount - settled.paid;
    const held = pool.movedIn - pool.returned - pool.paidOut - remainder;
    if (total === held) return total;
    throw new RunError('owed-mismatch', `The owed tree adds up to ${total}, but the pool holds ${held}.`);
  }

  /** Keeps the tree and the transaction before it is sent: a root that lands must never be one whose tree is lost. */
  async #store(state: State, request: RecordRequest, owed: Owed, instructions: readonly Instruction[]): Promise<Kept> {
    const { authority, base, store, time } = this.#context;
    const { mint } = this;
    const { number } = state;
    const lifetime = await base.lifetime();
    const { signature, wire } = await buildTransaction({
      feePayer: authority,
      instructions,
      lifetime,
      computeUnitLimit: request.computeUnits,
    });
    const kept = { signature, wire, last_valid_block_height: lifetime.lastValidBlockHeight.toString() };
    const at = String(time.now());
    try {
      const chunks: { chunk: number; part: ChunkPart; content: Uint8Array }[] = [];
      for (const { chunk, who } of state.book.takeChangedChunks()) {
        const entries = state.book.chunk(chunk);
        for (const part of who ? (['what', 'who'] as const) : (['what'] as const)) {
          const place = { mint, chunk, part, number };
          chunks.push({ chunk, part, content: await sealOwedChunk(state.key, entries, place) });
        }
      }
      const id = await store.saveRecording({
        chunks,
        recording: {
          mint,
          number: number.toString(),
          sequence: owed.sequence.toString(),
          root: hex(owed.root),
          total: owed.total.toString(),
          covered_to: owed.coveredTo.toString(),
          leaves: owed.leaves,
          created_at: at,
        },
        transaction: {
          ...kept,
          run_id: request.run?.runId ?? null,
          attempt_id: request.run?.attemptId ?? null,
          ledger: 'base',
          purpose: request.purpose,
          created_at: at,
        },
      });
      return { id, ...kept };
    } catch (error) {
      // What has changed since the last recording is no longer known.
      this.#state = undefined;
      throw error;
    }
  }

  /** Removes what a final recording has replaced; whatever goes wrong, the next time makes up for it. */
  async #forget(): Promise<void> {
    const { store, log, signal } = this.#context;
    try {
      const { pool } = await this.reader.pool([], 'finalized');
      const found = await store.findRecording(this.mint, pool.sequence, hex(pool.owedRoot));
      if (found !== undefined) await store.forgetBefore(this.mint, BigInt(found.number));
      this.#sinceForget = 0;
    } catch (error) {
      if (!signal.aborted) log.warn(described(error), 'old recordings could not be removed');
    }
  }
}

const gone = () =>
  new RunError('layer-state-lost', 'The execution layer no longer shows a balance that the owed tree knows.');

/** The keepers of all tokens, each made when it is first asked for. */
export class OwedKeepers {
  readonly #context: KeeperContext;
  readonly #keepers = new Map<Address, OwedKeeper>();

  constructor(context: KeeperContext) {
    this.#context = context;
  }

  of(mint: Address): OwedKeeper {
    const keeper = this.#keepers.get(mint) ?? new OwedKeeper(mint, this.#context);
    this.#keepers.set(mint, keeper);
    return keeper;
  }
}
