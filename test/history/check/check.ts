import type { History } from '../events.ts';
import { checkFinality, checkReceipts, checkSettled } from './answers.ts';
import { checkLedger } from './ledger.ts';
import { type Anomaly, type Facts, factsOf } from './model.ts';
import { checkBalances, checkPayments, checkReasons } from './payments.ts';
import { checkHistories, checkInterruptions, checkRegistrations, checkRuns, checkSchedules } from './reads.ts';
import { checkWithdrawals } from './withdrawals.ts';

const CHECKS: readonly ((facts: Facts) => Anomaly[])[] = [
  ({ ledger }) => checkLedger(ledger),
  checkPayments,
  checkReasons,
  checkWithdrawals,
  checkBalances,
  checkSettled,
  checkFinality,
  checkReceipts,
  checkRuns,
  checkSchedules,
  checkHistories,
  checkRegistrations,
  checkInterruptions,
];

/** Everything in a history that must not be. It looks at nothing else, so a history that was kept can be judged again. */
export function check(history: History): Anomaly[] {
  const facts = factsOf(history);
  return CHECKS.flatMap((one) => one(facts));
}
