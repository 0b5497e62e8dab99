import type { RunStore } from '../../../src/store/runStore.ts';
import type { Watch } from '../watch.ts';
import type { MemoryDatabase } from './database.ts';

/** The stages' store, of which the watch hears before anything is changed in it. */
export const watchedRunStore = (store: RunStore, database: MemoryDatabase, watch: Watch): RunStore => ({
  ...store,
  async keepTransaction(transaction) {
    const { run_id: runId, purpose } = transaction;
    const before = runId ? database.transactionsOf(runId).filter((other) => other.purpose === purpose) : [];
    const answer = await store.keepTransaction(transaction);
    const kept = database.transactions.get(answer.id);
    if (kept !== undefined && answer.isNew) watch.onKept(kept, before);
    return answer;
  },
  endAttempt(attemptId, end, findings, at, next) {
    for (const id of findings.landed) {
      const row = database.transactions.get(id);
      if (row !== undefined) watch.onOutcome(row, 'landed');
    }
    const { over } = findings;
    const run = database.runs.get(database.attempts.get(attemptId)?.run_id ?? 0);
    if (over !== undefined && run?.finished_at === null) watch.onFinish(run, over.state, over.paidAmount);
    return store.endAttempt(attemptId, end, findings, at, next);
  },
  settleTransaction(id, outcome) {
    const row = database.transactions.get(id);
    if (row !== undefined) watch.onOutcome(row, outcome);
    return store.settleTransaction(id, outcome);
  },
});
