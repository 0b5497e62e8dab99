import { readLayerBatch } from '../ledger/probe.ts';
import type { StageContext, StageInput } from './context.ts';

/** Milliseconds between two records of a running window's progress. */
const EVERY_MS = 500;

/** Records how many recipients of a window are paid, and counts those who were not recorded before. */
export async function recordPaid(
  { store, metrics }: Pick<StageContext, 'store' | 'metrics'>,
  runId: number,
  paid: number,
): Promise<void> {
  const before = await store.saveProgress(runId, paid);
  if (paid > before) metrics.claims.inc({ result: 'paid' }, paid - before);
}

/** Records how many recipients are paid, at most every half second however often it is called. */
export function progressRecorder(context: StageContext, { at, run }: StageInput): () => Promise<void> {
  let lastAt = context.time.now();
  let lastPaid = -1;
  return async () => {
    if (context.time.now() - lastAt < EVERY_MS) return;
    lastAt = context.time.now();
    const batch = await readLayerBatch(context.layer, at);
    if (batch === undefined || batch.paidCount === lastPaid) return;
    lastPaid = batch.paidCount;
    await recordPaid(context, run.id, lastPaid);
  };
}
