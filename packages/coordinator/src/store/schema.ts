import type { CalendarUnitName } from '@payouts/client';
import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { AttemptOutcome, RunState, Stage, UnpaidReasons } from '../domain/run.ts';
import type { ScheduleStatusName } from '../domain/schedule.ts';

/** 64-bit integers: text when read, by both drivers. */
type Int8 = ColumnType<string, string | bigint | number, string | bigint | number>;
type Int8OrNull = ColumnType<string | null, string | bigint | number | null, string | bigint | number | null>;
/** Unix milliseconds. */
type Millis = Int8;
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;

/** A registered schedule with the last that was seen of it on the base ledger. */
export interface SchedulesTable {
  address: string;
  vault: string;
  mint: string;
  /** Root on the ledger, hexadecimal. */
  root: string;
  root_version: number;
  status: ScheduleStatusName;
  phase: 'idle' | 'open';
  /** Open window, else the next. */
  window_number: Int8;
  /** Unix seconds. */
  next_execution: Int8;
  executions_left: number;
  recipients: number;
  /** Base units per execution; decimal text, since 64 bits unsigned don't fit the database's integers. */
  amount: string;
  unit: CalendarUnitName;
  /** Units between executions. */
  every: number;
  /** 1 to 31 for months on a day, else 0. */
  day: number;
  batch_timeout: number;
  /** Who may read the whole list: the owner of the vault; null for one registered before this was kept. */
  employer: string | null;
  /** Highest window that has a run; null: none. */
  run_window: Int8OrNull;
  /** Slot of the base ledger in which this was read: an older reading never replaces a newer one. */
  seen_slot: Int8;
  seen_at: Millis;
  registered_at: Millis;
}

/** A recipients' list; its content stands encrypted in `recipient_list_chunks`. */
export interface RecipientListsTable {
  id: Generated<number>;
  schedule: string;
  /** Hexadecimal. */
  root: string;
  recipients: number;
  /** The list's own key, encrypted with the payload key that `key_id` names. */
  wrapped_key: Bytes;
  key_id: string;
  /** Bit i of byte i / 8: the balance of recipient i exists in the execution layer. */
  known_balances: Bytes;
  registered_at: Millis;
}

export interface RecipientListChunksTable {
  list_id: number;
  number: number;
  /** Encrypted, compressed records. */
  content: Bytes;
}

/** Where the private balances of a list's recipients are: derived after the registration, or when the first window opens. */
export interface RecipientBalancesTable {
  list_id: number;
  number: number;
  /** Encrypted. */
  content: Bytes;
}

/** What a registration with an Idempotency-Key was answered. */
export interface IdempotencyKeysTable {
  /** SHA-256 of the key. */
  key_hash: Bytes;
  /** SHA-256 over schedule and rebuilt root: what the key was used for. */
  fingerprint: Bytes;
  status: number;
  created_at: Millis;
}

/** Signed requests that were answered, until their signature is too old anyway. */
export interface SignatureNoncesTable {
  /** SHA-256 over key and nonce. */
  digest: Bytes;
  expires_at: Millis;
}

/** Which list a run's window pays, and who of it is paid. */
export interface RunPaymentsTable {
  run_id: number;
  list_id: number;
  /** The window's bitmap and who of it was held back, encrypted with the list's own key; null: not known. */
  paid: ColumnType<Uint8Array | null, Uint8Array | null, Uint8Array | null>;
  /** Whether the settled window's hash on the base ledger is that of this bitmap; until then it may be too old. */
  is_confirmed: Generated<boolean>;
}

/** A run: one for each window of a schedule. */
export interface ExecutionRunsTable {
  id: Generated<number>;
  schedule: string;
  window_number: Int8;
  state: RunState;
  stage: Stage | null;
  claims_paid: Generated<number>;
  claims_total: number;
  unpaid: Generated<number>;
  /** What the window paid, in base units; null until it is settled. */
  paid_amount: string | null;
  unpaid_reasons: JSONColumnType<UnpaidReasons, string, string>;
  error_code: string | null;
  error_detail: string | null;
  /** When the open window may be committed with recipients unpaid: unix seconds of the ledger's clock. */
  batch_deadline: Int8OrNull;
  /** When a run that stopped is looked at again. */
  resume_at: Int8OrNull;
  created_at: Millis;
  started_at: Int8OrNull;
  finished_at: Int8OrNull;
}

export interface ExecutionAttemptsTable {
  id: Generated<number>;
  run_id: number;
  stage: Stage;
  number: number;
  outcome: AttemptOutcome;
  error_code: string | null;
  error_detail: string | null;
  started_at: Millis;
  ended_at: Int8OrNull;
}

/** A transaction whose bytes were kept before it was first sent. */
export interface LedgerTransactionsTable {
  id: Generated<number>;
  /** The run and the try of a stage that it is for; null for a recording between settlements. */
  run_id: number | null;
  attempt_id: number | null;
  ledger: 'base' | 'layer';
  purpose: 'delegate' | 'commit' | 'settle' | 'record';
  signature: string;
  wire: string;
  last_valid_block_height: Int8;
  /** `sent`: its end is not known; `expired`: it can't land any more. */
  outcome: 'sent' | 'landed' | 'failed' | 'expired';
  created_at: Millis;
}

/** The owed tree of a token; its content stands encrypted in `owed_chunks`. */
export interface OwedTreesTable {
  mint: string;
  /** The tree's own key, encrypted with the payload key that `key_id` names. */
  wrapped_key: Bytes;
  key_id: string;
  created_at: Millis;
}

/** A state of an owed tree whose root was to be recorded on the base ledger; numbers as the ledger shows them, decimal. */
export interface OwedRecordingsTable {
  mint: string;
  /** From 1 for each token; a recording that did not land keeps its number. */
  number: Int8;
  sequence: Int8;
  /** Hexadecimal. */
  root: string;
  total: string;
  covered_to: string;
  leaves: number;
  transaction_id: number | null;
  created_at: Millis;
}

/**
 * A part of a chunk of an owed tree as of recording `number`; it stands until a later recording has it too. Whose the leaves are
 * hardly ever changes and doesn't compress; what they show does both.
 */
export interface OwedChunksTable {
  mint: string;
  chunk: number;
  part: 'what' | 'who';
  number: Int8;
  content: Bytes;
}

export interface Tables {
  schedules: SchedulesTable;
  recipient_lists: RecipientListsTable;
  recipient_list_chunks: RecipientListChunksTable;
  recipient_balances: RecipientBalancesTable;
  idempotency_keys: IdempotencyKeysTable;
  signature_nonces: SignatureNoncesTable;
  run_payments: RunPaymentsTable;
  execution_runs: ExecutionRunsTable;
  execution_attempts: ExecutionAttemptsTable;
  ledger_transactions: LedgerTransactionsTable;
  owed_trees: OwedTreesTable;
  owed_recordings: OwedRecordingsTable;
  owed_chunks: OwedChunksTable;
}
