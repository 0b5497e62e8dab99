import type { Batch } from '@payouts/client';
import type { UnpaidReasons } from '../domain/run.ts';
import type { ClaimResult } from '../platform/metrics/runs.ts';

/** Whether everybody is paid whom the employer doesn't hold back. */
export function isComplete({ paidCount, heldCount, recipients }: Batch): boolean {
  return paidCount + heldCount === recipients;
}

/** Reasons with those whom the employer holds back. */
export function withHeld(reasons: UnpaidReasons, heldCount: number): UnpaidReasons {
  return heldCount === 0 ? reasons : { ...reasons, held: heldCount };
}

/** Why so many stayed unpaid: reasons found before, if they account for all of them, else the batch timeout and who was held. */
export function explained(found: UnpaidReasons, unpaid: number, heldCount: number): UnpaidReasons {
  const sum = Object.values(found).reduce((total, count) => total + count, 0);
  if (sum === unpaid) return found;
  const late = unpaid - heldCount;
  return withHeld(late > 0 ? { 'batch-timeout': late } : {}, heldCount);
}

/** Why a window has paid nobody whose batch was lost with the execution layer. */
export const layerLost = (unpaid: number): UnpaidReasons => ({ 'layer-lost': unpaid });

/** What a reason comes to for whoever stayed unpaid. */
export function unpaidResult(reason: string): ClaimResult {
  if (reason === 'held') return 'held';
  return reason === 'batch-timeout' || reason === 'layer-lost' ? 'timed-out' : 'refused';
}
