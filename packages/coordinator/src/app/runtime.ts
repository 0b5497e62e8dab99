import type { Time } from '@payouts/client';
import type { Settings } from '../config/specs.ts';
import type { Failpoint } from '../ledger/failpoints.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';

/** What every part of a running service shares. */
export type Runtime = {
  readonly settings: Settings;
  readonly time: Time;
  /** For tests alone. */
  readonly failpoint: Failpoint | undefined;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
};
