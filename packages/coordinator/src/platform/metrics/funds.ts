import type { Define } from './define.ts';

/** Of the money of vaults, and of the execution authority. */
export const fundsMetrics = (define: Define) => ({
  fundingShortfall: define.gauge('funding_short_runs', 'Runs held because a vault does not cover their window'),
  windowsCovered: define.lateGauge(
    'funding_windows_covered',
    'Windows that the vault of an active schedule covers from here on, of the schedule with the fewest: reserved ones, and those ' +
      'that its available amount would pay for; absent while no schedule is active or read',
  ),
  schedulesRunningDry: define.gauge(
    'funding_low_schedules',
    'Active schedules that are promised one of their next two windows and whose vault does not cover it, or without an end fewer than they keep; one that ends as planned is none',
  ),
  fundingMissing: define.gauge(
    'funding_shortfall_base_units',
    'What is missing for the first uncovered window of each of these, in base units: a sum over all tokens, whatever their decimals',
  ),
  authorityOpenings: define.lateGauge(
    'authority_openings_left',
    "Windows that the execution authority's balance is enough to open, settlements included, if they have no new recipients; absent " +
      'until the balance has been read',
  ),
  authorityLamports: define.lateGauge(
    'authority_balance_lamports',
    "The execution authority's balance on the base ledger; absent until it has been read",
  ),
  relayLamports: define.lateGauge(
    'relay_balance_lamports',
    "The balance of RELAY_KEY's account, which pays the fees of transfers from fresh wallets; absent until it has been read, and without a relay",
  ),
});
