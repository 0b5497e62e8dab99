import type { RunStore } from '../../../packages/coordinator/src/store/runStore.ts';
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
  endAttempt(attemptId, end, findings, at) {
    for (const id of findings.landed) {
      const row = database.transactions.get(id);
      if (row !== undefined) watch.onOutcome(row, 'landed');
    }
    return store.endAttempt(attemptId, end, findings, at);
  },
  settleTransaction(id, outcome) {
    const row = database.transactions.get(id);
    if (row !== undefined) watch.onOutcome(row, outcome);
    return store.settleTransaction(id, outcome);
  },
  finishRun(id, end) {
    const run = database.runs.get(id);
    if (run?.finished_at === null) watch.onFinish(run, end.state, end.paidAmount);
    return store.finishRun(id, end);
  },
});
