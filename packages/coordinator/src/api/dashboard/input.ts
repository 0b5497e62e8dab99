import type { OperatorsInput } from './access.ts';
import type { Counts } from './counts.ts';

/** What the dashboard's routes work with. */
export type DashboardInput = OperatorsInput & {
  readonly counts: Counts;
  readonly dashboard: {
    /** The base ledger's time in unix seconds. */
    readonly ledgerNow: () => bigint;
  };
};
