import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RunState, Stage } from './domain/run.ts';

/** Seconds: from an answer out of memory to a registration of 80,000 recipients. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds: from one call to a ledger to a stage that waits for a batch timeout. */
const STAGE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What became of a request where it was limited; `open`: let pass because the store of a read's limit was gone. */
export type LimitOutcome = 'allowed' | 'limited' | 'would-limit' | 'open';
/** What happened to the limiter's store. */
export type LimitBackendEvent = 'connected' | 'disconnected' | 'memory-fallback' | 'recovered';
/** What became of claims: of recipients paid, refused, or unpaid when their window's time was over. */
export type ClaimResult = 'paid' | 'refused' | 'timed-out';

/**
 * Everything the service counts, under the prefix `service_`. Labels are closed sets: no address, amount or raw path is ever a
 * label. Times are seconds, as Prometheus expects.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #in = { registers: [this.registry] };

  readonly polls = new Counter({
    name: 'service_scheduler_polls_total',
    help: 'Looks for due schedules',
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly schedulesDue = new Counter({
    name: 'service_schedules_detected_due_total',
    help: 'Due windows found',
    ...this.#in,
  });
  readonly runsCreated = new Counter({
    name: 'service_execution_runs_created_total',
    help: 'Runs recorded, one a window',
    ...this.#in,
  });
  readonly stages = new Counter({
    name: 'service_execution_stage_total',
    help: 'Tries of a stage by how they ended',
    labelNames: ['stage', 'outcome'] as const,
    ...this.#in,
  });
  readonly claims = new Counter({
    name: 'service_claim_results_total',
    help: 'Recipients of windows by what became of their claim',
    labelNames: ['result'] as const,
    ...this.#in,
  });
  readonly requests = new Counter({
    name: 'service_api_requests_total',
    help: 'Requests answered; routes are templates',
    labelNames: ['method', 'route', 'status'] as const,
    ...this.#in,
  });
  readonly requestSeconds = new Histogram({
    name: 'service_api_request_duration_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['method', 'route'] as const,
    buckets: REQUEST_SECONDS,
    ...this.#in,
  });
  readonly rateLimits = new Counter({
    name: 'service_api_rate_limit_decisions_total',
    help: 'What the rate limit decided',
    labelNames: ['route', 'outcome'] as const,
    ...this.#in,
  });
  readonly concurrencyLimits = new Counter({
    name: 'service_api_concurrency_limit_decisions_total',
    help: 'What the limit of requests at a time decided',
    labelNames: ['route', 'outcome'] as const,
    ...this.#in,
  });
  readonly limitBackend = new Counter({
    name: 'service_api_rate_limit_backend_events_total',
    help: "What happened to the limiter's store",
    labelNames: ['event'] as const,
    ...this.#in,
  });

  readonly stageSeconds = new Histogram({
    name: 'service_execution_stage_duration_seconds',
    help: 'Time of one try of a stage',
    labelNames: ['stage'] as const,
    buckets: STAGE_SECONDS,
    ...this.#in,
  });
  readonly runs = new Gauge({
    name: 'service_execution_runs',
    help: 'Unfinished runs by state',
    labelNames: ['state'] as const,
    ...this.#in,
  });
  readonly overdueSeconds = new Gauge({
    name: 'service_schedule_overdue_seconds',
    help: 'How long the longest overdue window has been due without being settled; 0 if none is',
    ...this.#in,
  });
  readonly schedulesRegistered = new Gauge({
    name: 'service_schedules_registered',
    help: 'Registered schedules by status on the ledger',
    labelNames: ['status'] as const,
    ...this.#in,
  });
  readonly fundingShortfall = new Gauge({
    name: 'service_funding_short_runs',
    help: 'Runs held because a vault does not cover their window',
    ...this.#in,
  });
  readonly authorityLamports = new Gauge({
    name: 'service_authority_balance_lamports',
    help: "The execution authority's balance on the base ledger",
    ...this.#in,
  });
  readonly reconciliationDifferences = new Counter({
    name: 'service_reconciliation_differences_total',
    help: 'Differences found between database, engine and ledgers, by what they were',
    labelNames: ['kind'] as const,
    ...this.#in,
  });
  readonly ledgerCalls = new Histogram({
    name: 'service_ledger_call_duration_seconds',
    help: 'Calls to a ledger by what became of them',
    labelNames: ['ledger', 'method', 'outcome'] as const,
    buckets: CALL_SECONDS,
    ...this.#in,
  });
  readonly registrations = new Counter({
    name: 'service_registrations_total',
    help: 'Registrations by outcome: created, repeated, or the code of the refusal',
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly recordings = new Counter({
    name: 'service_owed_recordings_total',
    help: "Recordings of a token's owed tree on the base ledger, by outcome",
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly withdrawals = new Counter({
    name: 'service_withdrawals_total',
    help: 'Withdrawals by what the worker did: issued, reissued, paid, failed',
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly subscription = new Gauge({
    name: 'service_ledger_subscription_connected',
    help: '1 while changes of schedules arrive from the base ledger',
    ...this.#in,
  });
  readonly databaseUp = new Gauge({
    name: 'service_database_up',
    help: '1 while the database answers',
    ...this.#in,
  });
}

/** Labels of `stages` and `runs`, so that a typo does not compile. */
export type StageLabels = { readonly stage: Stage; readonly outcome: string };
export type RunLabels = { readonly state: RunState };
