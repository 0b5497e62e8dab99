import type { RunKey, Stage } from '../../../src/domain/run.ts';
import type { Retries } from '../../../src/store/queries/attempts.ts';
import { type AttemptFindings, AttemptSuperseded } from '../../../src/store/queries/attempts.ts';
import type { Payments } from '../../../src/store/queries/payments.ts';
import type { Claims, RunEnd, RunRow } from '../../../src/store/queries/runs.ts';
import type { TransactionRow } from '../../../src/store/queries/transactions.ts';
import type { RunStore, TransactionStore } from '../../../src/store/runStore.ts';
import type { MemoryDatabase } from './database.ts';

const changesOf = ({ paid, reasons }: Claims): Partial<RunRow> => ({
  claims_paid: paid,
  ...(reasons && {
    unpaid: Object.values(reasons).reduce((sum, count) => sum + count, 0),
    unpaid_reasons: reasons,
  }),
});

const isAlive = ({ finished_at, state }: RunRow): boolean => finished_at === null && state !== 'abandoned';

/** Transactions in memory. */
export const memoryTransactionStore = (database: MemoryDatabase): TransactionStore => ({
  async settleTransaction(id, outcome) {
    const transaction = database.transactions.get(id);
    if (transaction !== undefined) database.transactions.set(id, { ...transaction, outcome });
  },
});

/** What the stages keep, in memory: the same as in the database, which a test compares. `isForgetful`: it knows nothing of what was sent. */
export const memoryRunStore = (database: MemoryDatabase, isForgetful = false): RunStore => ({
  ...memoryTransactionStore(database),
  async keepTransaction(transaction) {
    const { run_id, purpose } = transaction;
    const isUnsettled = (each: TransactionRow) => each.purpose === purpose && each.outcome === 'sent';
    const known = isForgetful ? undefined : database.transactionsOf(run_id).findLast(isUnsettled);
    const kept = known ?? (database.transactions.get(database.addTransaction(transaction)) as TransactionRow);
    const { id, signature, wire, last_valid_block_height } = kept;
    return { id, signature, wire, last_valid_block_height, isNew: known === undefined };
  },
  beginAttempt: async (key, stage, at) => beginAttempt(database, key, stage, at),
  async endAttempt(id, { outcome, code, detail, leaves }, findings, at, next) {
    const attempt = database.attempts.get(id);
    if (attempt?.outcome !== 'running') throw new AttemptSuperseded('A later try of the run has begun.');
    const before = database.runs.get(attempt.run_id) as RunRow;
    noteFindings(database, before, findings);
    if (leaves !== undefined) {
      const { state, resumeAt } = leaves;
      const resume_at = resumeAt === null ? null : String(resumeAt);
      database.changeRun(before.id, { state, error_code: code, error_detail: detail, resume_at }, isAlive);
    }
    database.attempts.set(id, {
      ...attempt,
      outcome,
      error_code: code,
      error_detail: detail,
      ended_at: String(at),
      quote_hash: findings.quoteHash ?? null,
    });
    const key = { schedule: before.schedule, window: BigInt(before.window_number) };
    const begun = next === undefined ? undefined : beginAttempt(database, key, next, at);
    return {
      paidBefore: before.claims_paid,
      wasOver: before.finished_at !== null,
      begun,
    };
  },
  listRetries: async (runId, stage) => listRetries(database, runId, stage),
  async saveClaims(id, claims) {
    const attempt = database.attempts.get(id);
    if (attempt?.outcome !== 'running') throw new AttemptSuperseded('A later try of the run has begun.');
    const before = database.runs.get(attempt.run_id) as RunRow;
    database.changeRun(before.id, changesOf(claims));
    return before.claims_paid;
  },
  findList: async (schedule, root) =>
    [...database.lists.values()].find((list) => list.schedule === schedule && list.root === root),
  async findPayments(runId) {
    const kept = database.payments.get(runId);
    const row = kept && database.lists.get(kept.listId);
    if (kept === undefined || row === undefined) return undefined;
    const { places: _, ...list } = row;
    return { paid: kept.paid, list };
  },
  savePayments: async (runId, payments) => savePayments(database, runId, payments),
  saveSeenSchedule: async (seen) => database.see(seen),
});

function savePayments(database: MemoryDatabase, runId: number, { listId, paid }: Payments): void {
  const known = database.payments.get(runId);
  if (known !== undefined && (paid === null || known.isConfirmed)) return;
  database.payments.set(runId, { listId, paid, isConfirmed: false });
}

function noteFindings(database: MemoryDatabase, run: RunRow, findings: AttemptFindings): void {
  const { landed, window, claims, payments, over } = findings;
  for (const id of landed) {
    const transaction = database.transactions.get(id);
    if (transaction !== undefined) database.transactions.set(id, { ...transaction, outcome: 'landed' });
  }
  database.changeRun(run.id, {
    ...(window && { claims_total: window.recipients, batch_deadline: window.deadline.toString() }),
    ...(claims && changesOf(claims)),
  });
  if (payments !== undefined && database.lists.has(payments.listId)) savePayments(database, run.id, payments);
  if (over !== undefined) finishRun(database, run, over);
}

function finishRun(database: MemoryDatabase, run: RunRow, end: RunEnd): void {
  const { state, paidAmount, claims, arePaymentsRight, settledAt, at } = end;
  const payments = database.payments.get(run.id);
  if (payments !== undefined && arePaymentsRight !== undefined) {
    database.payments.set(run.id, { ...payments, isConfirmed: arePaymentsRight });
  }
  if (run.finished_at !== null) return;
  database.changeRun(run.id, {
    state,
    paid_amount: paidAmount?.toString() ?? null,
    ...(claims && changesOf(claims)),
    stage: null,
    error_code: null,
    error_detail: null,
    resume_at: null,
    finished_at: String(at),
    ...(settledAt !== undefined && { settled_at: String(settledAt) }),
  });
}

function beginAttempt(database: MemoryDatabase, key: RunKey, stage: Stage, at: number) {
  const known = database.run(key);
  if (known === undefined || !isAlive(known)) return undefined;
  const started_at = known.started_at ?? String(at);
  database.changeRun(known.id, { state: 'running', stage, resume_at: null, started_at });
  const interrupted: Stage[] = [];
  let number = 1;
  for (const attempt of database.attemptsOf(known.id)) {
    if (attempt.stage === stage) number += 1;
    if (attempt.outcome !== 'running') continue;
    interrupted.push(attempt.stage);
    database.attempts.set(attempt.id, { ...attempt, outcome: 'interrupted', ended_at: String(at) });
  }
  const none = { error_code: null, error_detail: null, ended_at: null, quote_hash: null };
  const attemptId = database.addAttempt({
    run_id: known.id,
    stage,
    number,
    outcome: 'running',
    started_at: String(at),
    ...none,
  });
  return { run: database.runs.get(known.id) as RunRow, attemptId, number, interrupted };
}

function listRetries(database: MemoryDatabase, runId: number, stage: Stage): Retries[] {
  const counted = new Map<string, { count: number; firstAt: number }>();
  const after = database.runs.get(runId)?.retries_after ?? 0;
  for (const { id, stage: tried, outcome, error_code, ended_at } of database.attemptsOf(runId)) {
    if (tried !== stage || outcome === 'interrupted' || outcome === 'running') continue;
    if (outcome !== 'retried') counted.clear();
    else if (error_code !== null && id > after) {
      const known = counted.get(error_code) ?? { count: 0, firstAt: Number.POSITIVE_INFINITY };
      counted.set(error_code, { count: known.count + 1, firstAt: Math.min(known.firstAt, Number(ended_at)) });
    }
  }
  return [...counted].map(([code, retries]) => ({ code, ...retries }));
}
