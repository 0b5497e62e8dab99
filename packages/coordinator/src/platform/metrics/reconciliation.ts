import { KINDS } from '../../domain/differences.ts';
import type { Define } from './define.ts';

/**
 * What did not agree.
 * - `not-in-engine`: a run is recorded as in line or at work, and the engine has no job of it
 * - `schedule-missed`: a window had become due without the subscription having told
 * - `liabilities-rebuilt`: a liabilities tree did not add up and was read anew from the ledgers
 * - `liabilities-missing`: the liabilities tree that the base ledger has recorded is not in the database
 * - `money-rule`: the ledgers' numbers break a money rule
 */
const DIFFERENCES = [
  'not-in-engine',
  'schedule-missed',
  'liabilities-rebuilt',
  'liabilities-missing',
  'money-rule',
] as const;
type DifferenceLabel = (typeof DIFFERENCES)[number];

/** Of what database, engine and ledgers say of the same. */
export function reconciliationMetrics(define: Define) {
  const metrics = {
    reconciliationDifferences: define.counter(
      'reconciliation_differences_total',
      'Differences found between database, engine and ledgers, by what they were',
      { kind: DIFFERENCES },
    ),
    differencesHealed: define.counter(
      'reconciliation_healed_total',
      'Differences with the ledgers that this process has healed in the database, by what they were',
      { kind: KINDS },
    ),
    differencesRemaining: define.gauge(
      'reconciliation_remaining_differences',
      'Differences between the database and the ledgers that remained in the last whole comparison, by what they are',
      { kind: KINDS },
    ),
    comparedAt: define.lateGauge(
      'reconciliation_last_timestamp_seconds',
      'When the last whole comparison with the ledgers ended, in unix seconds; absent until there was one',
    ),
  };
  return {
    ...metrics,
    /** So many differences of a kind were found. */
    differs(kind: DifferenceLabel, count = 1): void {
      metrics.reconciliationDifferences.inc({ kind }, count);
    },
  };
}
