import { type Define, POLL_OUTCOMES } from './define.ts';

/** What became of a recording; `retried`: it did not add up or did not land, and was tried again. */
const RECORDING_OUTCOMES = ['recorded', 'retried', 'failed'] as const;
/**
 * What the worker did with a withdrawal; `begun`: for a standing order or a delivery, or released; `refused`: not issued; `late`:
 * issued, but not paid in time; `uncleared`: paid, and the layer does not end it yet.
 */
const WITHDRAWAL_OUTCOMES = ['begun', 'issued', 'reissued', 'refused', 'late', 'paid', 'uncleared'] as const;

/** Of what the pools owe, and of its way to the recipients. */
export const withdrawalMetrics = (define: Define) => ({
  recordings: define.counter(
    'liability_recordings_total',
    "Recordings of a token's liabilities tree on the base ledger, by outcome",
    { outcome: RECORDING_OUTCOMES },
  ),
  withdrawals: define.counter('withdrawals_total', 'What was done with withdrawals', { outcome: WITHDRAWAL_OUTCOMES }),
  transfers: define.counter('transfers_total', 'What became of private transfers that were tried', {
    outcome: ['made', 'refused'],
  }),
  withdrawalPolls: define.counter(
    'withdrawal_polls_total',
    "Looks for withdrawals; failed if one token's could not be served",
    { outcome: POLL_OUTCOMES },
  ),
  partSizesMissing: define.gauge(
    'part_sizes_missing',
    'Tokens of active schedules for which no size of parts is set, so that nobody can take them out in rounds',
  ),
  withdrawalsWaiting: define.gauge(
    'withdrawals_waiting',
    'Withdrawals that wait for a later release, as seen at the last release instant: not more often, or it would date requests',
  ),
});
