import type { NewRecording, RecordingRow } from './queries/owed.ts';
import type { TransactionRow } from './queries/transactions.ts';
import type { TransactionStore } from './runStore.ts';

/** What the keepers of owed trees keep. */
export interface OwedStore extends TransactionStore {
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
  /** Stores a recording with its chunks and its transaction, all or nothing; returns the transaction's id. */
  saveRecording(recording: NewRecording): Promise<number>;
  /** Transactions of a token's recordings whose end is not known, oldest first. */
  findUnsettledRecordings(mint: string): Promise<readonly TransactionRow[]>;
  /** Forgets what recording `number`, final on the base ledger, has replaced. */
  forgetBefore(mint: string, number: bigint): Promise<void>;
  /** Registered schedules of a token that were last seen with a window open. */
  findOpenSchedules(mint: string): Promise<readonly string[]>;
}
