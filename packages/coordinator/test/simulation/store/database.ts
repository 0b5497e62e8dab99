import type { RunKey } from '../../../src/domain/run.ts';
import { runIdOf } from '../../../src/domain/run.ts';
import type { AttemptRow } from '../../../src/store/queries/attempts.ts';
import type { NewRecording, RecordingRow } from '../../../src/store/queries/liabilities.ts';
import type { ListRow } from '../../../src/store/queries/lists.ts';
import type { DueWindow, RunRow } from '../../../src/store/queries/runs.ts';
import type { ObservedSchedule } from '../../../src/store/queries/schedules.ts';
import type { SettlementRequest } from '../../../src/store/queries/settlements.ts';
import type { NewTransaction, TransactionRow } from '../../../src/store/queries/transactions.ts';
import type { TokenPlaces } from './tokenPlaces.ts';

type Payments = { readonly listId: number; readonly paid: Uint8Array | null; readonly isConfirmed: boolean };
type Attempt = Omit<AttemptRow, 'signatures'>;
/** A part of a chunk as of a recording. */
type Part = NewRecording['chunks'][number] & { readonly number: bigint };
type Asked = SettlementRequest & { readonly refusal: { readonly code: string; readonly message: string } | undefined };

/** Columns of a schedule that a reading compares before it is worth a write. */
const NOTHING_NEW_MS = 30_000;

/** The tables that stages and recorders use, as maps. It outlives every simulated process; rows are replaced, never changed. */
export class MemoryDatabase {
  readonly runs = new Map<number, RunRow>();
  readonly attempts = new Map<number, Attempt>();
  readonly transactions = new Map<number, TransactionRow>();
  readonly lists = new Map<number, ListRow>();
  readonly payments = new Map<number, Payments>();
  readonly schedules = new Map<string, ObservedSchedule>();
  readonly treeKeys = new Map<string, Uint8Array>();
  readonly recordings = new Map<string, RecordingRow[]>();
  readonly parts = new Map<string, Part[]>();
  readonly settlements = new Map<number, Asked>();
  /** By token. */
  readonly places = new Map<string, TokenPlaces>();
  /** Runs that a transaction settles, by its id. */
  readonly settledRuns = new Map<number, NewRecording['runs']>();
  readonly #runIds = new Map<string, number>();
  readonly #attemptsOf = new Map<number, number[]>();
  readonly #transactionsOf = new Map<number, number[]>();
  readonly #bySignature = new Map<string, number>();
  #lastId = 0;

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** What is kept of a token's balances, from their beginning. */
  placesOf(mint: string): TokenPlaces {
    const known = this.places.get(mint) ?? { free: { nextPage: 1, places: [] }, pages: new Map(), owners: new Map() };
    this.places.set(mint, known);
    return known;
  }

  run(key: RunKey): RunRow | undefined {
    const id = this.#runIds.get(runIdOf(key));
    return id === undefined ? undefined : this.runs.get(id);
  }

  /** Changes a run if it is there and `when` allows; says whether it did. */
  changeRun(id: number, some: Partial<RunRow>, when: (run: RunRow) => boolean = () => true): boolean {
    const run = this.runs.get(id);
    if (run === undefined || !when(run)) return false;
    this.runs.set(id, { ...run, ...some });
    return true;
  }

  /** Records runs, except those that are recorded; returns the new ones. */
  createRuns(windows: readonly DueWindow[], at: number): RunKey[] {
    return windows.filter((key) => {
      const schedule = this.schedules.get(key.schedule);
      if (schedule === undefined || this.run(key) !== undefined) return false;
      const id = this.nextId();
      this.#runIds.set(runIdOf(key), id);
      this.runs.set(id, newRun(id, key, dueAt(schedule, key), at));
      return true;
    });
  }

  /** Tries of a run, in order. */
  attemptsOf(runId: number): Attempt[] {
    return (this.#attemptsOf.get(runId) ?? []).flatMap((id) => this.attempts.get(id) ?? []);
  }

  addAttempt(attempt: Omit<Attempt, 'id'>): number {
    const id = this.nextId();
    this.attempts.set(id, { ...attempt, id });
    const others = this.#attemptsOf.get(attempt.run_id) ?? [];
    this.#attemptsOf.set(attempt.run_id, [...others, id]);
    return id;
  }

  /** Transactions that a run has kept itself, in order. */
  transactionsOf(runId: number): TransactionRow[] {
    return (this.#transactionsOf.get(runId) ?? []).flatMap((id) => this.transactions.get(id) ?? []);
  }

  /** A transaction that was kept, by its signature. */
  transactionOf(signature: string): TransactionRow | undefined {
    const id = this.#bySignature.get(signature);
    return id === undefined ? undefined : this.transactions.get(id);
  }

  addTransaction(transaction: NewRecording['transaction'] | NewTransaction): number {
    const { signature, ledger, purpose, wire } = transaction;
    const known = this.transactionOf(signature);
    if (known !== undefined) {
      this.transactions.set(known.id, { ...known, outcome: 'sent' });
      return known.id;
    }
    const id = this.nextId();
    this.#bySignature.set(signature, id);
    const { run_id: runId = null, attempt_id = null } = transaction as Partial<NewTransaction>;
    this.transactions.set(id, {
      id,
      run_id: runId,
      attempt_id,
      ledger,
      purpose,
      signature,
      wire,
      last_valid_block_height: String(transaction.last_valid_block_height),
      outcome: 'sent',
      created_at: String(transaction.created_at),
    });
    if (runId !== null) this.#transactionsOf.set(runId, [...(this.#transactionsOf.get(runId) ?? []), id]);
    return id;
  }

  /** Keeps a reading of a schedule that is registered, unless a later one is known or nothing in it is new. */
  see(seen: ObservedSchedule): void {
    const known = this.schedules.get(seen.address);
    if (known === undefined || BigInt(known.seen_slot) > BigInt(seen.seen_slot)) return;
    const isOld = Number(known.seen_at) <= Number(seen.seen_at) - NOTHING_NEW_MS;
    if (isOld || known.phase !== seen.phase || termsOf(known) !== termsOf(seen)) this.schedules.set(seen.address, seen);
  }
}

const termsOf = ({ seen_slot, seen_at, ...terms }: ObservedSchedule): string => JSON.stringify(Object.values(terms));

/** When a window is due, in unix seconds, if the schedule was last seen at it. */
const dueAt = (schedule: ObservedSchedule, { window }: DueWindow): string | null =>
  String(schedule.window_number) === window.toString() ? String(schedule.next_execution) : null;

const newRun = (id: number, { schedule, window, recipients }: DueWindow, due: string | null, at: number): RunRow => ({
  id,
  schedule,
  window_number: window.toString(),
  state: 'queued',
  stage: null,
  claims_paid: 0,
  claims_total: recipients,
  unpaid: 0,
  paid_amount: null,
  unpaid_reasons: {},
  error_code: null,
  error_detail: null,
  batch_deadline: null,
  resume_at: null,
  due_at: due,
  created_at: String(at),
  started_at: null,
  finished_at: null,
  settled_at: null,
  retries_after: 0,
  is_rebuilt: false,
});
