import { type Liabilities, nextTurn, type Pool, type Time } from '@payouts/client';
import type { Address, Instruction, TransactionPartialSigner } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import { Blinds } from '../domain/liability.ts';
import type { FeeBidder } from '../ledger/feeBidder.ts';
import type { BaseLedger } from '../ledger/ledger.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { DecryptionFailed, newListKey } from '../store/crypto/cipher.ts';
import { sealLiabilityChunk, sealWithdrawals, WITHDRAWALS } from '../store/crypto/liabilityChunks.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import type { LiabilityStore } from '../store/liabilityStore.ts';
import { type NewPart, RecordingTaken, type StoredTree, type TreeKey } from '../store/queries/liabilities.ts';
import type { SettlementRequest } from '../store/queries/settlements.ts';
import type { KeptTransaction } from '../store/queries/transactions.ts';
import { CHUNK_LEAVES, LiabilityBook } from './book.ts';
import type { KnownWindow } from './paymentScanner.ts';
import { signedChange } from './signedChange.ts';
import { WithdrawalTree } from './withdrawalTree.ts';

export const hex = (bytes: ArrayLike<number>): string => Buffer.from(Uint8Array.from(bytes)).toString('hex');

/** The tree in memory, where it stands in the database, and what has been recorded of it. */
export type TreeState = {
  readonly book: LiabilityBook;
  readonly key: Uint8Array;
  /** Number of the last recording that was stored. What changes meanwhile belongs to the next one. */
  number: bigint;
  /** What the base ledger has recorded, as far as it is known here. */
  recorded: { readonly sequence: bigint; readonly root: string };
  /** The token's open windows, as far as they have been seen. */
  readonly windows: Map<Address, KnownWindow>;
  /** How many windows of the token are known to have been closed; negative: nobody has looked. */
  closings: bigint;
  /** The withdrawals that the base ledger pays by its recording. */
  withdrawals: WithdrawalTree;
  /** What of them was stored last, with whichever recording. */
  storedWithdrawals: WithdrawalTree | undefined;
  /** Whether the base ledger's recording is one of ours. */
  isOwn: boolean;
  /** How many private transfers had been made when the book had what they moved; undefined: nobody knows. */
  transfers: bigint | undefined;
  /** When all open windows and all withdrawals were looked at, in unix milliseconds. */
  everythingAt: number;
};

/** A transaction that records the tree as it is now. */
export type Recording = {
  readonly purpose: 'settle' | 'record';
  readonly instructions: readonly Instruction[];
  readonly computeUnits: number;
  /** What the last of the instructions records. */
  readonly liabilities: Liabilities;
  /** The withdrawals tree that goes with it. */
  readonly withdrawals: WithdrawalTree;
  /** Runs whose windows it settles. */
  readonly runs: readonly SettlementRequest[];
};

/** What a tree is kept by. */
export type TreeContext = {
  readonly authority: TransactionPartialSigner;
  readonly base: BaseLedger;
  readonly program: Address;
  readonly fees: FeeBidder;
  readonly time: Time;
  readonly store: LiabilityStore;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** One token's tree between memory and database. */
export class LiabilityTreeStore {
  #state: TreeState | undefined;

  constructor(
    private readonly mint: Address,
    private readonly context: TreeContext,
  ) {}

  /** The tree whose root the base ledger has recorded: that in memory, else the database's, else an empty one. Throws `RunError`. */
  async load(pool: Pool): Promise<TreeState> {
    const recorded = { sequence: pool.sequence, root: hex(pool.liabilitiesRoot) };
    const known = this.#state;
    if (known?.recorded.sequence === recorded.sequence && known.recorded.root === recorded.root) return known;
    const { store, time } = this.context;
    const mint = this.mint;
    try {
      const tree = await store.treeKey(mint, time.now());
      const { key } = tree;
      const number = await store.lastRecordingNumber(mint);
      const read = await this.#read(tree, pool).catch(async (error: unknown) => {
        const now = await store.treeKey(mint, time.now());
        if (!(error instanceof DecryptionFailed) || Buffer.compare(now.key, key) === 0) throw error;
        throw new RunError('liabilities-stale', "The tree's key was renewed while it was read.", { cause: error });
      });
      const everythingAt = Number.NEGATIVE_INFINITY;
      const storedWithdrawals = undefined;
      const none = { windows: new Map(), closings: -1n, transfers: undefined };
      this.#state = { ...read, key, number, recorded, ...none, storedWithdrawals, everythingAt };
      return this.#state;
    } catch (error) {
      if (error instanceof WrongPayloadKey || error instanceof DecryptionFailed) {
        throw new RunError('liabilities-unreadable', `The liabilities tree can't be decrypted: ${error.message}`, {
          cause: error,
        });
      }
      throw error;
    }
  }

  async #read(
    { key, seed }: TreeKey,
    { sequence, liabilitiesRoot, withdrawalsRoot }: Pool,
  ): Promise<Pick<TreeState, 'book' | 'withdrawals' | 'isOwn'>> {
    const { store, log, metrics } = this.context;
    const mint = this.mint;
    const blinds = new Blinds(seed, mint);
    const book = new LiabilityBook(blinds);
    const withdrawals = new WithdrawalTree(newListKey(), mint, []);
    const root = hex(liabilitiesRoot);
    if (sequence === 0n) return { book, withdrawals, isOwn: true };
    const found = await store.findRecording(mint, sequence, root);
    if (found !== undefined) {
      const number = BigInt(found.number);
      const chunks = Math.ceil(found.leaves / CHUNK_LEAVES);
      for await (const chunk of store.readChunks({ mint, number, chunks, key })) {
        book.load(chunk);
        await nextTurn();
      }
      // Prepared but never recorded: the next recording must not be taken for one that builds on them.
      book.markChanged(await store.chunksChangedAfter(mint, number));
      const stored = await store.readWithdrawals({ mint, number, key });
      const known = stored && WithdrawalTree.read(stored, mint);
      if (hex(book.tree.root) === root && known !== undefined && hex(known.root) === hex(withdrawalsRoot)) {
        log.info({ mint, sequence, leaves: book.tree.leafCount }, 'liabilities tree loaded');
        return { book, withdrawals: known, isOwn: true };
      }
    }
    metrics.differs('liabilities-missing');
    log.error({ mint, sequence }, 'the recorded liabilities tree is not in the database');
    return { book: new LiabilityBook(blinds), withdrawals, isOwn: false };
  }

  /** Keeps the tree and the transaction before it is sent: a root that lands must never be one whose tree is lost. Throws `RunError`. */
  async store(state: TreeState, recording: Recording): Promise<KeptTransaction> {
    const { store, time } = this.context;
    const { purpose, liabilities, runs } = recording;
    const mint = this.mint;
    const number = state.number + 1n;
    const kept = await signedChange(this.context, mint, recording);
    const at = String(time.now());
    try {
      const chunks = await sealChangedChunks(state.book, { mint, number, key: state.key });
      const { withdrawals } = recording;
      if (withdrawals !== state.storedWithdrawals) {
        const content = sealWithdrawals(state.key, withdrawals.content, { mint, number });
        chunks.push({ ...WITHDRAWALS, hash: null, content });
      }
      const id = await store.saveRecording({
        chunks,
        recording: {
          mint,
          number: number.toString(),
          sequence: liabilities.sequence.toString(),
          root: hex(liabilities.root),
          total: liabilities.total.toString(),
          covered_to: liabilities.coveredTo.toString(),
          leaves: liabilities.leaves,
          created_at: at,
        },
        transaction: { ...kept, ledger: 'base', purpose, created_at: at },
        runs,
      });
      state.number = number;
      state.storedWithdrawals = withdrawals;
      return { id, isNew: true, ...kept };
    } catch (error) {
      // What has changed since the last recording is no longer known.
      this.#state = undefined;
      if (error instanceof RecordingTaken) throw new RunError('liabilities-stale', error.message, { cause: error });
      throw error;
    }
  }

  /** Removes what the recording that this pool shows has replaced. */
  async forget(pool: Pool): Promise<void> {
    const { store } = this.context;
    const found = await store.findRecording(this.mint, pool.sequence, hex(pool.liabilitiesRoot));
    if (found !== undefined) await store.forgetBefore(this.mint, BigInt(found.number));
  }
}

/** Parts that are encrypted between two turns of the event loop: a few milliseconds. */
const SLICE = 64;

/** The parts of a book that are no longer as they were stored, to be stored as of recording `number`. */
export async function sealChangedChunks(book: LiabilityBook, { mint, number, key }: StoredTree): Promise<NewPart[]> {
  const chunks: NewPart[] = [];
  for (const { chunk, who } of book.takeChangedChunks()) {
    const entries = book.chunk(chunk);
    for (const part of who ? (['what', 'who'] as const) : (['what'] as const)) {
      const hash = part === 'what' ? book.chunkHash(chunk) : null;
      chunks.push({ chunk, part, hash, content: sealLiabilityChunk(key, entries, { mint, chunk, part, number }) });
      if (chunks.length % SLICE === 0) await nextTurn();
    }
  }
  return chunks;
}
