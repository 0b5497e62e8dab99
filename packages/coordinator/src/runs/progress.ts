import { readLayerBatch } from '../ledger/probe.ts';
import type { Claims } from '../store/queries/runs.ts';
import type { StageContext, StageInput } from './context.ts';
import { isComplete } from './unpaid.ts';

/** Milliseconds between two records of a running window's progress. */
const EVERY_MS = 500;

/** Records what became of a window's recipients so far, and counts those as paid who were not recorded before. Throws `AttemptSuperseded`. */
export async function recordClaims(
  { store, metrics }: Pick<StageContext, 'store' | 'metrics'>,
  attemptId: number,
  claims: Claims,
): Promise<void> {
  countPaid(metrics, claims.paid, await store.saveClaims(attemptId, claims));
}

/** Counts those as paid who were not recorded before. */
export function countPaid(metrics: StageContext['metrics'], paid: number, before: number): void {
  if (paid > before) metrics.claims.inc({ result: 'paid' }, paid - before);
}

/** Records how many recipients are paid, at most every half second however often it is called. */
export function progressRecorder(context: StageContext, { at, attemptId }: StageInput): () => Promise<void> {
  let lastAt = context.time.now();
  let lastPaid = -1;
  return async () => {
    if (context.time.now() - lastAt < EVERY_MS) return;
    lastAt = context.time.now();
    const batch = await readLayerBatch(context.layer, at);
    // The end of a window's claims is recorded with the try's, in a moment.
    if (batch === undefined || batch.paidCount === lastPaid || isComplete(batch)) return;
    lastPaid = batch.paidCount;
    await recordClaims(context, attemptId, { paid: lastPaid });
  };
}
