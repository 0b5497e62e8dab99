import type { RunStore } from '../../../packages/coordinator/src/store/runStore.ts';
import type { Watch } from '../watch.ts';
import type { MemoryDatabase } from './database.ts';

/** The stages' store, of which the watch hears before anything is changed in it. */
export const watchedRunStore = (store: RunStore, database: MemoryDatabase, watch: Watch): RunStore => ({
  ...store,
  async keepTransaction(transaction) {
    const { run_id: runId, purpose } = transaction;
    const before = runId ? database.transactionsOf(runId).filter((other) => other.purpose === purpose) : [];
    const id = await store.keepTransaction(transaction);
    const kept = database.transactions.get(id);
    if (kept !== undefined) watch.onKept(kept, before);
    return id;
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
