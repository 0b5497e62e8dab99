import { batched } from './batched.ts';
import { type Bound, bound } from './bound.ts';
import { beginAttempt, endAttempt, listRetries, saveClaims } from './queries/attempts.ts';
import { findList } from './queries/lists.ts';
import { findPayments, savePayments } from './queries/payments.ts';
import { type ObservedSchedule, saveObservedSchedules } from './queries/schedules.ts';
import { keepTransaction, settleTransaction } from './queries/transactions.ts';
import type { Db } from './schema.ts';

const QUERIES = {
  keepTransaction,
  settleTransaction,
  beginAttempt,
  endAttempt,
  listRetries,
  saveClaims,
  findList,
  findPayments,
  savePayments,
};

/** What the stages of runs keep. Every call may be made twice; times in unix milliseconds. */
export type RunStore = Bound<typeof QUERIES> & {
  /** Keeps how a registered schedule was seen on the base ledger, unless it was seen later already. */
  saveSeenSchedule(seen: ObservedSchedule): Promise<void>;
};

/** Transactions that were kept before they were sent. */
export type TransactionStore = Pick<RunStore, 'settleTransaction'>;

/** What the stages keep, in the database. */
export const sqlRunStore = (database: Db): RunStore => ({
  ...bound(database, QUERIES),
  saveSeenSchedule: batched<ObservedSchedule>(
    ({ address }) => address,
    (seen) => saveObservedSchedules(database, seen),
  ),
});
