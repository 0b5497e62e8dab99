import type { RunKey, Stage } from '../domain/run.ts';
import type { AttemptEnd, AttemptFindings, BegunAttempt, Recorded, Retries } from './queries/attempts.ts';
import type { ListRow } from './queries/lists.ts';
import type { Payments, PaymentsRow } from './queries/payments.ts';
import type { Claims, RunRow, Stop } from './queries/runs.ts';
import type { ObservedSchedule } from './queries/schedules.ts';
import type { KeptTransaction, NewTransaction, TransactionRow } from './queries/transactions.ts';

/** Transactions that were kept before they were sent. */
export interface TransactionStore {
  /** Keeps how a transaction ended. */
  settleTransaction(id: number, outcome: Exclude<TransactionRow['outcome'], 'sent'>): Promise<void>;
}

/** What the stages of runs keep. Every call may be made twice; times in unix milliseconds. */
export interface RunStore extends TransactionStore {
  /**
   * Keeps a transaction before it is sent for the first time, unless the run has one for the purpose whose end is not known: then that
   * one. The same bytes again are the same transaction.
   */
  keepTransaction(transaction: NewTransaction): Promise<KeptTransaction>;
  findRun(key: RunKey): Promise<RunRow | undefined>;
  /** Begins a try of a stage of a run; `ended` if it is over or abandoned, `missing` if there is none. */
  beginAttempt(key: RunKey, stage: Stage, at: number): Promise<BegunAttempt | 'ended' | 'missing'>;
  /**
   * Ends a try, records what it has found and begins one of the stage `next`, all or nothing. Throws `AttemptSuperseded` when a later
   * try has begun: then nothing is recorded of this one.
   */
  endAttempt(
    attemptId: number,
    end: AttemptEnd,
    findings: AttemptFindings,
    at: number,
    next?: Stage,
  ): Promise<Recorded>;
  /**
   * Tries of a stage that were to be repeated, since the last one that came to anything else but `interrupted`, and since an operator
   * asked for the run to go on.
   */
  listRetries(runId: number, stage: Stage): Promise<readonly Retries[]>;
  /** Notes that a run stopped before its end, unless it has ended or is abandoned. */
  stopRun(runId: number, stop: Stop): Promise<void>;
  /** Notes a retried error on a run that goes on. */
  saveRunError(runId: number, code: string, detail: string): Promise<void>;
  /** Notes what became of a window's recipients so far, and returns how many were noted as paid before. */
  saveClaims(runId: number, claims: Claims): Promise<number>;

  /** The list registered for a schedule and a root (hexadecimal). */
  findList(schedule: string, root: string): Promise<ListRow | undefined>;
  /** Keeps which balances of a list are known to exist in the execution layer: a bit for each index. */
  saveKnownBalances(listId: number, bits: Uint8Array): Promise<void>;

  findPayments(runId: number): Promise<PaymentsRow | undefined>;
  /** Keeps a run's payments, unless they are confirmed already; where it is not known who is paid, what is kept stands. */
  savePayments(runId: number, payments: Payments): Promise<void>;

  /** Keeps how a registered schedule was seen on the base ledger, unless it was seen later already. */
  saveSeenSchedule(seen: ObservedSchedule): Promise<void>;
}
