import { batched } from './batched.ts';
import { beginAttempt, endAttempt, listRetries } from './queries/attempts.ts';
import { findList, saveKnownBalances } from './queries/lists.ts';
import { findPayments, savePayments } from './queries/payments.ts';
import { findRun, saveClaims, saveRunError, stopRun } from './queries/runs.ts';
import { type ObservedSchedule, saveObservedSchedules } from './queries/schedules.ts';
import { keepTransaction, settleTransaction } from './queries/transactions.ts';
import type { RunStore, TransactionStore } from './runStore.ts';
import type { Db } from './schema.ts';

/** Transactions in the database. */
export const sqlTransactionStore = (database: Db): TransactionStore => ({
  settleTransaction: (id, outcome) => settleTransaction(database, id, outcome),
});

/** What the stages keep, in the database. */
export const sqlRunStore = (database: Db): RunStore => ({
  ...sqlTransactionStore(database),
  keepTransaction: (transaction) => keepTransaction(database, transaction),
  findRun: (key) => findRun(database, key),
  beginAttempt: (key, stage, at) => beginAttempt(database, key, stage, at),
  endAttempt: (attemptId, end, findings, at, next) => endAttempt(database, attemptId, end, findings, at, next),
  listRetries: (runId, stage) => listRetries(database, runId, stage),
  stopRun: (runId, stop) => stopRun(database, runId, stop),
  saveRunError: (runId, code, detail) => saveRunError(database, runId, code, detail),
  saveClaims: (runId, claims) => saveClaims(database, runId, claims),
  findList: (schedule, root) => findList(database, schedule, root),
  saveKnownBalances: (listId, bits) => saveKnownBalances(database, listId, bits),
  findPayments: (runId) => findPayments(database, runId),
  savePayments: (runId, payments) => savePayments(database, runId, payments),
  saveSeenSchedule: batched<ObservedSchedule>(
    ({ address }) => address,
    (seen) => saveObservedSchedules(database, seen),
  ),
});
