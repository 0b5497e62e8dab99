import { DEFAULT_FEES, type Time } from '@payouts/client';
import { FeeBidder } from '../../src/ledger/feeBidder.ts';
import type { Metrics } from '../../src/platform/metrics.ts';

/** Bids on a ledger where nobody pays for a place, and nobody says what a transaction uses. */
export const quietFees = (time: Time, metrics: Metrics): FeeBidder =>
  new FeeBidder({
    source: { recentFees: async () => [], unitsUsed: async () => undefined },
    policy: DEFAULT_FEES,
    time,
    metrics,
  });
