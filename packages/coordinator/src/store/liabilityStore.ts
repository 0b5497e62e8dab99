import type { NewRecording, RecordingRow } from './queries/liabilities.ts';
import type { TransactionRow } from './queries/transactions.ts';
import type { TransactionStore } from './runStore.ts';

/** A returned window that is to be settled, for a run and the try of its stage that waits for it. */
export type SettlementRequest = {
  readonly runId: number;
  readonly attemptId: number;
  readonly mint: string;
  readonly schedule: string;
  readonly window: bigint;
};

/** Why a settlement failed: a run's error code, and its public text. */
export type Refusal = { readonly code: string; readonly message: string };

/** What is kept of liabilities trees. */
export interface LiabilityStore extends TransactionStore {
  /** The key of a token's tree, made when it has none; `at` in unix milliseconds. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  treeKey(mint: string, at: number): Promise<Uint8Array>;
  /** The highest number that a recording of a token has; 0 if there is none. */
  lastRecordingNumber(mint: string): Promise<bigint>;
  /** The newest recording of a token with this sequence and root (hexadecimal). */
  findRecording(mint: string, sequence: bigint, root: string): Promise<RecordingRow | undefined>;
  /** Decrypts the first `chunks` chunks of a token's tree as of recording `number`, in order. Throws `DecryptionFailed`. */
  readChunks(at: {
    readonly mint: string;
    readonly number: bigint;
    readonly chunks: number;
    readonly key: Uint8Array;
  }): AsyncIterable<Buffer>;
  /** Chunks of a token that were stored again after recording `number`. */
  chunksChangedAfter(mint: string, number: bigint): Promise<readonly number[]>;
  /**
   * Stores a recording with its chunks, its transaction and the runs that the transaction settles, all or nothing; returns the
   * transaction's id. Throws `RecordingTaken` when the token has one of this number or a later one.
   */
  saveRecording(recording: NewRecording): Promise<number>;
  /** Transactions of a token's recordings whose end is not known, oldest first. */
  findUnsettledRecordings(mint: string): Promise<readonly TransactionRow[]>;
  /** Forgets what recording `number`, final on the base ledger, has replaced. */
  forgetBefore(mint: string, number: bigint): Promise<void>;
  /** Registered schedules of a token that may have a window open: last seen with one, or with a run that has begun and is not over. */
  findOpenSchedules(mint: string): Promise<readonly string[]>;

  /** Keeps that a run's window is to be settled; asked again, the newer try counts and a refusal is forgotten. */
  askSettlement(settlement: SettlementRequest): Promise<void>;
  /** Settlements of these tokens that wait: not refused and not forgotten, in the order of their runs. */
  findSettlements(mints: readonly string[], limit: number): Promise<readonly SettlementRequest[]>;
  /** Answers a settlement that waits; one that was forgotten, or asked for again by a newer try, stays as it is. */
  refuseSettlement(settlement: SettlementRequest, refusal: Refusal): Promise<void>;
  /** Why these settlements were refused, by run; nothing of those that wait or are forgotten. */
  findRefusals(runIds: readonly number[]): Promise<ReadonlyMap<number, Refusal>>;
  /** Forgets settlements that are done, or wanted no more. */
  forgetSettlements(runIds: readonly number[]): Promise<void>;
}
