import type { Logger } from '../../platform/log/log.ts';
import type { ComparisonResult } from '../../reconciliation/compareAll.ts';
import type { OperatorsInput } from './access.ts';
import type { DashboardCounts } from './counts.ts';

/** What the dashboard's routes work with. */
export type DashboardInput = OperatorsInput & {
  readonly counts: DashboardCounts;
  readonly log: Logger;
  readonly dashboard: {
    /** The base ledger's time in unix seconds. */
    readonly ledgerNow: () => bigint;
    /** Compares everything with both ledgers, until it is enough, and fixes what differs if asked to. */
    readonly compare: (fix: boolean, enough: AbortSignal) => Promise<ComparisonResult>;
  };
};
