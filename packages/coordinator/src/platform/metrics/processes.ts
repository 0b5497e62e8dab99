import { ANY, type Define } from './define.ts';

/** What the service does over and over. */
export type LoopName =
  | 'engine'
  | 'events'
  | 'leadership'
  | 'lease'
  | 'notices'
  | 'polls'
  | 'conditions'
  | 'read-permissions'
  | 'reconciliation'
  | 'recoveries'
  | 'settlements'
  | 'schedule-changes'
  | 'stalls'
  | 'vault-changes'
  | 'vaults'
  | 'webhooks'
  | 'withdrawals';
/** What became of a lease's renewal; `lost`: it had expired, and another process had taken over. */
const LEASE_OUTCOMES = ['ok', 'failed', 'lost'] as const;

/** Of this process and those beside it, and of their database. */
export function processMetrics(define: Define) {
  const metrics = {
    loopSucceededAt: define.gauge(
      'loop_last_success_timestamp_seconds',
      'When each of the loops that run in this process last did its work, in unix seconds; when it started, if it never has',
      { loop: ANY },
    ),
    loopDueAt: define.gauge(
      'loop_due_timestamp_seconds',
      'By when each of the loops that run in this process does its work again or says that it is at work, in unix seconds; once that is over, it fails or hangs',
      { loop: ANY },
    ),
    instances: define.gauge(
      'instances',
      'Processes on the shared database: live, or expired: silent for longer than their lease, and not taken over yet',
      { state: ['live', 'expired'] },
    ),
    leaseRenewals: define.counter(
      'lease_renewals_total',
      "Renewals of this process's lease on runs; lost: it had expired, and another process had taken over",
      { outcome: LEASE_OUTCOMES },
    ),
    takeovers: define.counter(
      'instance_takeovers_total',
      'Dead processes whose runs this process has put back in line',
    ),
    databaseUp: define.gauge(
      'database_up',
      '1 if the database has answered this scrape; if not, what comes from the database keeps its last value',
    ),
    databaseConnections: define.gauge(
      'database_connections',
      'Connections to the database by pool (of runs, of the API) and state; waiting: who waits for one',
      { pool: ANY, state: ANY },
    ),
  };
  metrics.instances.set({ state: 'live' }, 1);
  return metrics;
}
