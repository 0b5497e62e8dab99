import type { CalendarUnitName } from '@payouts/client';
import type { ColumnType, Generated, JSONColumnType, Kysely } from 'kysely';
import type { ConditionKind } from '../domain/conditions.ts';
import type { GrantScope, GrantUse } from '../domain/grant.ts';
import type { EndpointKind, NOTICE_CODE, RecipientNotice } from '../domain/notice.ts';
import type { AttemptOutcome, RunState, Stage, UnpaidReasons } from '../domain/run.ts';
import type { ScheduleProposal, ScheduleStatusName } from '../domain/schedule.ts';
import type { DeliveryOutcome, DisabledReason, MessageState, WebhookType } from '../domain/webhook.ts';

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
  /** Windows that a schedule without an end keeps reserved; 0: it has an end. */
  kept: number;
  /** Of these, windows that are reserved and have not opened. */
  kept_reserved: number;
  recipients: number;
  /** Base units per execution; decimal text, since 64 bits unsigned don't fit the database's integers. */
  amount: string;
  unit: CalendarUnitName;
  /** Units between executions. */
  every: number;
  /** 1 to 31 for months on a day, else 0. */
  day: number;
  /** Minutes since 1970, of a calendar of dates; null: it follows a rule. */
  dates: ColumnType<number[] | null, number[] | null | undefined, never>;
  batch_timeout: number;
  /** What waits for the approver; null: nothing. */
  proposal: ColumnType<ScheduleProposal | null, ScheduleProposal | null | undefined, never>;
  /** Who may read the whole list: the owner of the vault; null for one registered before this was kept. */
  employer: string | null;
  /** Windows that the vault covers from here on, by the last forecast; null: not known yet. */
  covered_windows: Generated<number | null>;
  /** What the vault lacks for the window after them, in base units, and when that is due, in unix seconds; null: there is no forecast. */
  short_amount: Generated<string | null>;
  short_at: Int8OrNull;
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
  /** What begins all that data keys before its own have encrypted. */
  former_marks: Generated<Uint8Array[]>;
  /** Where the balances are, in order of index, encrypted with its own key; null: not all of them have a place. */
  places: Bytes | null;
  registered_at: Millis;
  /** The service key that its tags in `recipient_tags` are made with; null: it has none yet. */
  index_key: Generated<string | null>;
  /** Whether `recipient_tags` has all its entries. */
  is_indexed: Generated<boolean>;
}

export interface RecipientListChunksTable {
  list_id: number;
  number: number;
  /** Encrypted, compressed records. */
  content: Bytes;
}

/**
 * Who stands where in a list, by a keyed hash of whom: finds a recipient's entries without opening every list. The same recipient has
 * another tag in another list, but for lists whose ids are so many apart as `RecipientIndex` has keys.
 */
export interface RecipientTagsTable {
  list_id: number;
  /** Index in the list. */
  place: number;
  tag: Bytes;
}

/** A key of the service's own, encrypted with the payload key that `key_id` names. */
export interface ServiceKeysTable {
  name: string;
  wrapped_key: Bytes;
  key_id: string;
  created_at: Millis;
}

/** A withdrawal as the worker has seen it. The tag is another one for each, so that no two are seen to be of one recipient. */
export interface WithdrawalsTable {
  tag: Bytes;
  /** When it was first seen: year × 12 + month from 0. */
  month: number;
  /** The service key that tag and content are made with. */
  key_name: string;
  /** Encrypted, of one length. */
  content: Bytes;
}

/** A payout that has arrived, as anybody sees it on the base ledger. */
export interface PaidWalletsTable {
  mint: string;
  /** Of the withdrawal. */
  number: Int8;
  /** SHA-256 of token and wallet. */
  wallet_hash: Bytes;
  paid_at: Millis;
}

/** A transfer from such a wallet, the fee of which this service pays. */
export interface RelayedTransfersTable {
  signature: string;
  /** As in `PaidWalletsTable`. */
  wallet_hash: Bytes;
  last_valid_block_height: Int8;
  has_landed: Generated<boolean>;
}

/** A round that was decided about: whether a token's parts leave in it. */
export interface ExitRoundsTable {
  mint: string;
  /** Unix seconds. */
  round_at: Int8;
  leaves: boolean;
  parts: number;
  /** Balances that they are of. */
  people: number;
}

/** In which size a token's parts leave, from a time on. */
export interface ExitSizesTable {
  mint: string;
  /** Unix seconds. */
  from_at: Int8;
  /** Base units. */
  size: string;
}

/** What a registration with an Idempotency-Key was answered. */
export interface IdempotencyKeysTable {
  /** SHA-256 over schedule and key. */
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
  /** Tries up to this one don't count against the run any more: an operator has asked for it to go on. */
  retries_after: Generated<number>;
  /** When the window was due by its schedule, in unix seconds; null: not known. */
  due_at: Int8OrNull;
  created_at: Millis;
  started_at: Int8OrNull;
  /** When this service found that the run was over, by its own clock. */
  finished_at: Int8OrNull;
  /** When the base ledger settled the window, by the ledger's clock, in unix milliseconds; null: not settled, or not known. */
  settled_at: Int8OrNull;
  /** Recorded from the base ledger's history after the database had lost it. */
  is_rebuilt: Generated<boolean>;
}

/** Why an operator has given a run up: text encrypted with the payload key that `key_id` names. */
export interface AbandonedRunsTable {
  run_id: number;
  reason: Bytes;
  key_id: string;
  abandoned_at: Millis;
}

/** A registered schedule's vault as it was last seen on the base ledger; amounts in base units, decimal. */
export interface VaultsTable {
  address: string;
  mint: string;
  decimals: number;
  /** What the token calls itself; null: nothing, or not known. */
  symbol: string | null;
  reserved: string;
  available: string;
  /** Slot of the base ledger in which this was read. */
  seen_slot: Int8;
  seen_at: Millis;
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
  /** SHA-256, hexadecimal, of the quote by which the execution layer was trusted. */
  quote_hash: string | null;
}

/** A transaction whose bytes were kept before it was first sent. */
export interface LedgerTransactionsTable {
  id: Generated<number>;
  /** The run and the try of a stage that it is for; null for recordings: whose windows one settles stands in `settled_runs`. */
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

/** A run whose window a transaction settles, and the try of a stage that waits for it. */
export interface SettledRunsTable {
  transaction_id: number;
  run_id: number;
  attempt_id: number;
}

/** A run whose returned window waits to be settled by the process that keeps the token's liabilities tree. */
export interface SettlementsTable {
  run_id: number;
  attempt_id: number;
  mint: string;
  schedule: string;
  window_number: Int8;
  /** Why it was not settled; null: not tried yet. */
  error_code: string | null;
  error_detail: string | null;
}

/** The liabilities tree of a token; its content stands encrypted in `liability_chunks`. */
export interface LiabilityTreesTable {
  mint: string;
  /** The tree's own key, encrypted with the payload key that `key_id` names. */
  wrapped_key: Bytes;
  key_id: string;
  /** What begins all that data keys before its own have encrypted. */
  former_marks: Generated<Uint8Array[]>;
  /** What the leaves' blinds are drawn from, encrypted with its own key. */
  seed: Bytes;
  /** Number of the next page of balances. */
  next_page: Generated<number>;
  /** Places that nobody has, in random order, encrypted with its own key. */
  free_places: Bytes | null;
  created_at: Millis;
}

/** A page of a token's balances, in the execution layer: its nonce, encrypted with the key of the token's tree. */
export interface BalancePagesTable {
  mint: string;
  number: number;
  content: Bytes;
}

/** Owners of balances and their places, of one vault's lists, encrypted with the key of the token's tree. */
export interface BalanceOwnersTable {
  mint: string;
  /** Empty: of whoever was found in the layer's pages when the database did not know them. */
  vault: string;
  /** From 0; a later one says better. */
  part: number;
  content: Bytes;
}

/** A state of a liabilities tree whose root was to be recorded on the base ledger; numbers as the ledger shows them, decimal. */
export interface LiabilityRecordingsTable {
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
 * A part of a chunk of a liabilities tree as of recording `number`; it stands until a later recording has it too. Whose the leaves are
 * hardly ever changes and doesn't compress; what they show does both. The withdrawals tree that was recorded with it is part `withdrawals` of
 * chunk 0.
 */
export interface LiabilityChunksTable {
  mint: string;
  chunk: number;
  part: 'what' | 'who' | 'withdrawals';
  number: Int8;
  /** With `what`: the node of the tree above the chunk's leaves. Says nothing of them, for each has its blind. */
  hash: Bytes | null;
  content: Bytes;
}

/**
 * A process that works on runs. By the database's clock alone: those of the processes may differ. Who does not renew in time is dead to
 * the others.
 */
export interface InstanceLeasesTable {
  /** The engine's name for the process: its instance's name and a part drawn at each start. */
  executor: string;
  instance: string;
  started_at: Generated<Date>;
  expires_at: Date;
}

/** Up to which window a schedule's runs have been found to be as the base ledger has it. */
export interface ReconciledSchedulesTable {
  schedule: string;
  /** The first window that has not been. */
  window_number: Int8;
  /** What the schedule had paid before that window, by the ledger: base units, decimal. */
  paid_total: string;
  /** The first window from which on every one has a run; those before it may be gone: removed as outdated, or accepted as a gap. */
  complete_from: Generated<Int8>;
}

/** The one row that says where the comparison of everything stands; by the database's clock. */
export interface ReconciliationTable {
  is_only: Generated<boolean>;
  /** What has been compared last in the round that is under way; null: none is. */
  place: string | null;
  /** Differences that remain in the part of the round that is done, by kind. */
  found: JSONColumnType<Readonly<Record<string, number>>, string, string>;
  taken_by: string | null;
  taken_until: Date;
  next_at: Date;
  /** Differences that remained in the last whole round, by kind. */
  remaining: JSONColumnType<Readonly<Record<string, number>>, string, string>;
  ended_at: Date | null;
}

/** An auditor's right to read something of a schedule, with a data key of its own. */
export interface AuditorGrantsTable {
  id: string;
  schedule: string;
  auditor: string;
  scope: GrantScope;
  /** Whom it names, encrypted with its own key. */
  named: Bytes;
  /** The windows that it is about, these two among them; null: all on that side. */
  from_window: Int8OrNull;
  to_window: Int8OrNull;
  /** Its own key, encrypted with the payload key that `key_id` names. */
  wrapped_key: Bytes;
  key_id: string;
  /** What begins all that data keys before its own have encrypted. */
  former_marks: Generated<Uint8Array[]>;
  created_at: Millis;
  ends_at: Millis;
  revoked_at: Int8OrNull;
}

/** That a grant was used. */
export interface GrantUsesTable {
  id: Generated<string>;
  grant_id: string;
  used_at: Millis;
  kind: GrantUse;
  window_number: Int8OrNull;
  /** Of whom something was read, encrypted with the grant's own key. */
  subject: ColumnType<Uint8Array | null, Uint8Array | null, Uint8Array | null>;
}

/** A change of a run or a schedule, written by triggers; ids may be committed out of their order. */
export interface RunEventsTable {
  id: Generated<string>;
  at: Millis;
  kind: 'run' | 'schedule' | 'condition';
  schedule: string;
  window_number: Int8;
  /** Of the run, or the schedule's status; of a condition `begun` or `over`. */
  state: string;
  stage: Stage | null;
  claims_paid: number | null;
  claims_total: number | null;
  error_code: string | null;
  /** Unix seconds; of a schedule. */
  next_execution: Int8OrNull;
  condition: ConditionKind | null;
}

/** What lasts and is told once. */
export interface ConditionsTable {
  kind: ConditionKind;
  /** Address of a schedule; of `withdrawal.stuck`, the token's mint. */
  subject: string;
  window_number: Int8OrNull;
  /** What webhooks are told. */
  facts: JSONColumnType<Readonly<Record<string, unknown>>, string, string>;
  /** Unix milliseconds. */
  since: Millis;
}

/** Where an employer's program is told of runs, or a person by e-mail or chat. */
export interface WebhookEndpointsTable {
  id: string;
  kind: Generated<EndpointKind>;
  /** Null: a recipient is told of their own money. */
  vault: string | null;
  /** Null: all schedules of the vault. */
  schedule: string | null;
  types: (WebhookType | RecipientNotice)[];
  /** Of notices: a keyed hash of whose they are, and the service key that it is under. */
  owner: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>;
  owner_key: ColumnType<string | null, string | null | undefined, string | null>;
  /** SHA-256 of what a link to unsubscribe has. */
  unsubscribe_hash: ColumnType<Uint8Array | null, Uint8Array | null | undefined, never>;
  /** Of notices: how many messages of one type may wait. */
  most_waiting: ColumnType<number | null, number | null | undefined, never>;
  /** When the next message leaves at the earliest, unix milliseconds by the database's clock. */
  next_from: ColumnType<string, string | number | undefined, string>;
  /** Address, secrets and the employer's key, encrypted with its own key. */
  content: Bytes;
  /** Its own key, encrypted with the payload key that `key_id` names. */
  wrapped_key: Bytes;
  key_id: string;
  /** What begins all that data keys before its own have encrypted. */
  former_marks: Generated<Uint8Array[]>;
  created_at: Millis;
  /** Since when every delivery has failed. */
  failing_since: Int8OrNull;
  disabled_at: Int8OrNull;
  /** Unconfirmed: its address has not sent its code back yet. */
  disabled_why: DisabledReason | 'unconfirmed' | null;
}

/** One try of a delivery as it is kept; `at` in unix milliseconds. */
export type DeliveryAttempt = {
  readonly at: number;
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly milliseconds: number;
};

/** A message for an endpoint, written by triggers; its public content stands in `data`. */
export interface WebhookMessagesTable {
  id: Generated<string>;
  number: Generated<string>;
  endpoint_id: string;
  type: WebhookType | 'webhook.test' | RecipientNotice | typeof NOTICE_CODE;
  at: Millis;
  /** Null: for a recipient. */
  schedule: string | null;
  run_id: number | null;
  data: JSONColumnType<Readonly<Record<string, unknown>>, string, string>;
  /** What a recipient is told beside the type, encrypted with the endpoint's own key. */
  sealed: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>;
  state: MessageState;
  /** Tries since it was last asked for. */
  tries: Generated<number>;
  /** When it is sent next, unix milliseconds by the database's clock; null: not any more. */
  next_at: Int8OrNull;
  /** The last tries. */
  attempts: JSONColumnType<readonly DeliveryAttempt[], string | undefined, string>;
}

/** Settled runs whose recipients are told next. */
export interface NoticeRunsTable {
  run_id: number;
}

/** That a code was sent to an address: whose and where to, as keyed hashes. */
export interface NoticeCodesTable {
  id: Generated<string>;
  owner: Bytes;
  address: Bytes;
  sent_at: Millis;
}

/** By what somebody gives an employer their address. What it says, and what is answered, the service can't read. */
export interface InvitationsTable {
  /** SHA-256 of what its link shows. */
  id: Bytes;
  employer: string;
  vault: string;
  /** What it says, encrypted with a key that its link has. */
  content: Bytes;
  /** What its link has, encrypted with a key of the employer's. */
  kept: Bytes;
  created_at: Millis;
  expires_at: Millis;
}

/** An answer to an invitation: an address, encrypted with the key that the link has. */
export interface InvitationAnswersTable {
  invitation: Bytes;
  /** The same for the same address. */
  mark: Bytes;
  sealed: Bytes;
  answered_at: Millis;
}

/** That a recipient wants to be paid to another address. */
export interface AddressChangesTable {
  /** A keyed hash of vault and recipient. */
  tag: Bytes;
  id: string;
  /** The service key that tag and content are under. */
  key_name: string;
  employer: string;
  vault: string;
  content: Bytes;
  created_at: Millis;
}

export interface Tables {
  schedules: SchedulesTable;
  recipient_lists: RecipientListsTable;
  recipient_list_chunks: RecipientListChunksTable;
  recipient_tags: RecipientTagsTable;
  service_keys: ServiceKeysTable;
  withdrawals: WithdrawalsTable;
  paid_wallets: PaidWalletsTable;
  relayed_transfers: RelayedTransfersTable;
  exit_rounds: ExitRoundsTable;
  exit_sizes: ExitSizesTable;
  idempotency_keys: IdempotencyKeysTable;
  signature_nonces: SignatureNoncesTable;
  run_payments: RunPaymentsTable;
  execution_runs: ExecutionRunsTable;
  execution_attempts: ExecutionAttemptsTable;
  ledger_transactions: LedgerTransactionsTable;
  settled_runs: SettledRunsTable;
  settlements: SettlementsTable;
  liability_trees: LiabilityTreesTable;
  balance_pages: BalancePagesTable;
  balance_owners: BalanceOwnersTable;
  liability_recordings: LiabilityRecordingsTable;
  liability_chunks: LiabilityChunksTable;
  abandoned_runs: AbandonedRunsTable;
  auditor_grants: AuditorGrantsTable;
  grant_uses: GrantUsesTable;
  vaults: VaultsTable;
  instance_leases: InstanceLeasesTable;
  reconciled_schedules: ReconciledSchedulesTable;
  reconciliation: ReconciliationTable;
  run_events: RunEventsTable;
  conditions: ConditionsTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_messages: WebhookMessagesTable;
  notice_runs: NoticeRunsTable;
  notice_codes: NoticeCodesTable;
  invitations: InvitationsTable;
  invitation_answers: InvitationAnswersTable;
  address_changes: AddressChangesTable;
}

/** The database as queries are made on it; a transaction is one, too. */
export type Db = Kysely<Tables>;
