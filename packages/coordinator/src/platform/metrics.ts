import type { Time } from '@payouts/client';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ATTESTATION_ERRORS } from '../domain/attestationErrors.ts';
import { type DifferenceKind, KINDS } from '../domain/differences.ts';
import { ATTEMPT_OUTCOMES, type AttemptOutcome, RUN_STATES, type RunState, STAGES, type Stage } from '../domain/run.ts';
import { SCHEDULE_STATUSES, type ScheduleStatusName } from '../domain/schedule.ts';
import { DELIVERY_OUTCOMES } from '../domain/webhook.ts';

/** Seconds: from an answer out of memory to a registration of 80,000 recipients. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds: from one call to a ledger to a stage that waits for a batch timeout. */
const STAGE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How a look for something to do ended. */
export const POLL_OUTCOMES = ['ok', 'failed'] as const;
/** What became of a request where it was limited; `open`: let pass because the store of a read's limit was gone. */
export const LIMIT_OUTCOMES = ['allowed', 'limited', 'would-limit', 'open'] as const;
export type LimitOutcome = (typeof LIMIT_OUTCOMES)[number];
/** What happened to the limiter's store. */
export const LIMIT_BACKEND_EVENTS = ['connected', 'disconnected', 'memory-fallback', 'recovered'] as const;
export type LimitBackendEvent = (typeof LIMIT_BACKEND_EVENTS)[number];
/** What became of recipients: paid, refused, out of time when their window's was over, or held back by the employer. */
export const CLAIM_RESULTS = ['paid', 'refused', 'timed-out', 'held'] as const;
export type ClaimResult = (typeof CLAIM_RESULTS)[number];
/** States in which a run comes to rest. */
export const REST_STATES = ['held', 'waiting', 'exhausted', 'failed', 'cancelled', 'settled'] as const;
/** Calls to a ledger by their name in its RPC. */
export const LEDGER_METHODS = [
  'getMultipleAccounts',
  'getProgramAccounts',
  'getLatestBlockhash',
  'getBlockHeight',
  'getSignatureStatuses',
  'getSignaturesForAddress',
  'getTransaction',
  'sendTransaction',
  'simulateTransaction',
] as const;
/** Those of them that are made together. */
const JOINED_METHODS = ['getMultipleAccounts', 'getLatestBlockhash', 'getBlockHeight', 'getSignatureStatuses'] as const;
export type LedgerMethod = (typeof LEDGER_METHODS)[number];
/** What a ledger made of a call; `refused`: it could be reached and said no to a transaction. */
export const CALL_OUTCOMES = ['ok', 'refused', 'failed'] as const;
/**
 * What did not agree.
 * - `engine-unknown`, `engine-ended`, `engine-orphaned`: a run is recorded as at work, but the engine does not know it, has ended
 *   it, or has let go of it
 * - `schedule-missed`: a window had become due without the subscription having told
 * - `liabilities-rebuilt`: a liabilities tree did not add up and was read anew from the ledgers
 * - `liabilities-missing`: the liabilities tree that the base ledger has recorded is not in the database
 * - `money-rule`: the ledgers' numbers break a money rule
 */
export const DIFFERENCES = [
  'engine-unknown',
  'engine-ended',
  'engine-orphaned',
  'schedule-missed',
  'liabilities-rebuilt',
  'liabilities-missing',
  'money-rule',
] as const;
export type DifferenceLabel = (typeof DIFFERENCES)[number];
/** What became of a recording; `retried`: it did not add up or did not land, and was tried again. */
export const RECORDING_OUTCOMES = ['recorded', 'retried', 'failed'] as const;
/**
 * What the worker did with a withdrawal; `begun`: for a standing order or a delivery, or released; `refused`: not issued; `late`:
 * issued, but not paid in time.
 */
export const WITHDRAWAL_OUTCOMES = ['begun', 'issued', 'reissued', 'refused', 'late', 'paid'] as const;

/** What the execution layer's quotes came to; `failed`: that could not be found out. */
export const ATTESTATION_OUTCOMES = ['trusted', 'failed', ...ATTESTATION_ERRORS] as const;

/** What the service does over and over. */
export const LOOPS = [
  'authority-balance',
  'events',
  'leadership',
  'lease',
  'polls',
  'read-permissions',
  'reconciliation',
  'settlements',
  'vaults',
  'webhooks',
  'withdrawals',
] as const;
export type LoopName = (typeof LOOPS)[number];

/** What became of a lease's renewal; `lost`: it had expired, and another process had taken over. */
export const LEASE_OUTCOMES = ['ok', 'failed', 'lost'] as const;

/** Seconds that have passed since `began`, a reading of `time.monotonic()`. */
export const secondsSince = (time: Pick<Time, 'monotonic'>, began: number): number =>
  (time.monotonic() - began) / 1_000;

/**
 * Everything the service counts, under the prefix `service_`. Labels are closed sets: no address, amount or raw path is ever a
 * label. Times are seconds, as Prometheus expects. What can be counted stands there with 0 from the start, so that the first time is
 * seen as an increase.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #in = { registers: [this.registry] };
  readonly #sources: (() => Promise<void>)[] = [];

  readonly polls = new Counter({
    name: 'service_scheduler_polls_total',
    help: 'Looks for due schedules',
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly schedulesDue = new Counter({
    name: 'service_schedules_detected_due_total',
    help: 'Due windows found that had no run yet; one is found again until its run is recorded',
    ...this.#in,
  });
  readonly runsCreated = new Counter({
    name: 'service_execution_runs_created_total',
    help: 'Runs recorded, one a window',
    ...this.#in,
  });
  readonly stages = new Counter({
    name: 'service_execution_stage_total',
    help: 'Tries of a stage by how they ended; one that was cut off counts as interrupted when the run is taken up again',
    labelNames: ['stage', 'outcome'] as const,
    ...this.#in,
  });
  readonly claims = new Counter({
    name: 'service_claim_results_total',
    help:
      'Recipients of windows, each once a window: paid when the recorded progress of the run comes to include them, ' +
      'the others when the window is settled. Retries and other processes do not count them again',
    labelNames: ['result'] as const,
    ...this.#in,
  });
  readonly requests = new Counter({
    name: 'service_api_requests_total',
    help: 'Requests by status, or aborted when the client went away first; routes are templates, unmatched if there is none',
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
    help: "What happened to the limiter's store; memory-fallback: a decision was taken in memory because the store was gone",
    labelNames: ['event'] as const,
    ...this.#in,
  });

  readonly pollSeconds = new Histogram({
    name: 'service_scheduler_poll_duration_seconds',
    help: 'Time of one look for due schedules',
    buckets: CALL_SECONDS,
    ...this.#in,
  });
  readonly stageSeconds = new Histogram({
    name: 'service_execution_stage_duration_seconds',
    help: 'Time of one try of a stage, however it ended',
    labelNames: ['stage'] as const,
    buckets: STAGE_SECONDS,
    ...this.#in,
  });
  readonly runRests = new Counter({
    name: 'service_execution_run_rests_total',
    help: 'How often runs came to rest in a state; settled and cancelled are for ever',
    labelNames: ['state'] as const,
    ...this.#in,
  });
  readonly runs = new Gauge({
    name: 'service_execution_runs',
    help: 'Unfinished runs in the database by state',
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
  readonly windowsCovered = new Gauge({
    name: 'service_funding_windows_covered',
    help:
      'Windows that the vault of an active schedule covers from here on, of the schedule with the fewest: reserved ones, and those ' +
      'that its available amount would pay for; absent while no schedule is active or read',
    ...this.#in,
  });
  readonly schedulesRunningDry = new Gauge({
    name: 'service_funding_low_schedules',
    help: 'Active schedules whose vault covers fewer than two more windows',
    ...this.#in,
  });
  readonly fundingMissing = new Gauge({
    name: 'service_funding_shortfall_base_units',
    help: 'What is missing for the first uncovered window of each of these, in base units: a sum over all tokens, whatever their decimals',
    ...this.#in,
  });
  readonly authorityOpenings = new Gauge({
    name: 'service_authority_openings_left',
    help:
      "Windows that the execution authority's balance is enough to open, settlements included, if they have no new recipients; absent " +
      'until the balance has been read',
    ...this.#in,
  });
  readonly authorityLamports = new Gauge({
    name: 'service_authority_balance_lamports',
    help: "The execution authority's balance on the base ledger; absent until it has been read",
    ...this.#in,
  });
  readonly reconciliationDifferences = new Counter({
    name: 'service_reconciliation_differences_total',
    help: 'Differences found between database, engine and ledgers, by what they were',
    labelNames: ['kind'] as const,
    ...this.#in,
  });
  readonly differencesHealed = new Counter({
    name: 'service_reconciliation_healed_total',
    help: 'Differences with the ledgers that this process has healed in the database, by what they were',
    labelNames: ['kind'] as const,
    ...this.#in,
  });
  readonly differencesRemaining = new Gauge({
    name: 'service_reconciliation_remaining_differences',
    help: 'Differences between the database and the ledgers that remained in the last whole comparison, by what they are',
    labelNames: ['kind'] as const,
    ...this.#in,
  });
  readonly comparedAt = new Gauge({
    name: 'service_reconciliation_last_timestamp_seconds',
    help: 'When the last whole comparison with the ledgers ended, in unix seconds; absent until there was one',
    ...this.#in,
  });
  readonly ledgerCalls = new Counter({
    name: 'service_ledger_calls_total',
    help: 'Calls to a ledger by what became of them; a read that is repeated counts each time',
    labelNames: ['ledger', 'method', 'outcome'] as const,
    ...this.#in,
  });
  readonly ledgerCallSeconds = new Histogram({
    name: 'service_ledger_call_duration_seconds',
    help: 'Time of calls to a ledger, failed ones among them',
    labelNames: ['ledger', 'method'] as const,
    buckets: CALL_SECONDS,
    ...this.#in,
  });
  readonly ledgerCallsJoined = new Counter({
    name: 'service_ledger_calls_joined_total',
    help: 'Reads of a ledger that needed no call of their own, since another one answered them too',
    labelNames: ['ledger', 'method'] as const,
    ...this.#in,
  });
  readonly registrations = new Counter({
    name: 'service_registrations_total',
    help: 'Registrations by outcome: created, repeated, or the code of the refusal',
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly recordings = new Counter({
    name: 'service_liability_recordings_total',
    help: "Recordings of a token's liabilities tree on the base ledger, by outcome",
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly withdrawals = new Counter({
    name: 'service_withdrawals_total',
    help: 'What was done with withdrawals',
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly withdrawalPolls = new Counter({
    name: 'service_withdrawal_polls_total',
    help: "Looks for withdrawals; failed if one token's could not be served",
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly withdrawalsWaiting = new Gauge({
    name: 'service_withdrawals_waiting',
    help: 'Withdrawals that wait for a later release, as seen at the last release instant: not more often, or it would date requests',
    ...this.#in,
  });
  readonly attestations = new Counter({
    name: 'service_layer_attestations_total',
    help: 'Quotes that the execution layer was asked for: trusted, or why it was not; failed: it could not be found out',
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly layerTrusted = new Gauge({
    name: 'service_layer_trusted',
    help: '1 if the execution layer was trusted by its last quote, else 0; absent until it was asked for one',
    ...this.#in,
  });
  readonly layerReadPermissions = new Gauge({
    name: 'service_layer_read_permissions',
    help: '1 if the execution layer has the instructions that read permissions are set by, else 0; absent until it is known',
    labelNames: ['place'],
    ...this.#in,
  });
  readonly permissionsSet = new Counter({
    name: 'service_layer_permissions_set_total',
    help: 'Read permissions of paid balances and of open windows: set; missing: still not there after a try, which the next window repeats',
    labelNames: ['result'] as const,
    ...this.#in,
  });
  readonly webhookDeliveries = new Counter({
    name: 'service_webhook_deliveries_total',
    help: 'Tries to deliver a message to a webhook, by what they came to',
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly webhooksPending = new Gauge({
    name: 'service_webhook_pending',
    help: 'Messages that wait to be delivered to a webhook, for the first time or again',
    ...this.#in,
  });
  readonly webhookOldestSeconds = new Gauge({
    name: 'service_webhook_oldest_seconds',
    help: 'How long the message that is overdue the longest should have been sent already; 0 if none is',
    ...this.#in,
  });
  readonly webhookEndpoints = new Gauge({
    name: 'service_webhook_endpoints',
    help: 'Registered webhooks: active, failing (nothing delivered since a failure), or disabled',
    labelNames: ['state'] as const,
    ...this.#in,
  });
  readonly eventStreams = new Gauge({
    name: 'service_event_streams',
    help: 'Streams of events that are open in this process',
    ...this.#in,
  });
  readonly subscription = new Gauge({
    name: 'service_ledger_subscription_connected',
    help: '1 while changes of schedules arrive from the base ledger; of several processes one follows them',
    ...this.#in,
  });
  readonly instances = new Gauge({
    name: 'service_instances',
    help: 'Processes on the shared database: live, or expired: silent for longer than their lease, and not taken over yet',
    labelNames: ['state'] as const,
    ...this.#in,
  });
  readonly leaseRenewals = new Counter({
    name: 'service_lease_renewals_total',
    help: "Renewals of this process's lease on runs; lost: it had expired, and another process had taken over",
    labelNames: ['outcome'] as const,
    ...this.#in,
  });
  readonly takeovers = new Counter({
    name: 'service_instance_takeovers_total',
    help: 'Dead processes whose runs this process has put back in line',
    ...this.#in,
  });
  readonly loopSucceededAt = new Gauge({
    name: 'service_loop_last_success_timestamp_seconds',
    help: 'When each of the loops that run in this process last did its work, in unix seconds; when it started, if it never has',
    labelNames: ['loop'] as const,
    ...this.#in,
  });
  readonly databaseUp = new Gauge({
    name: 'service_database_up',
    help: '1 if the database has answered this scrape; if not, what comes from the database keeps its last value',
    ...this.#in,
  });
  readonly databaseConnections = new Gauge({
    name: 'service_database_connections',
    help: 'Connections to the database by pool (of runs, of the API) and state; waiting: who waits for one',
    labelNames: ['pool', 'state'] as const,
    ...this.#in,
  });

  constructor() {
    for (const outcome of POLL_OUTCOMES) {
      this.polls.inc({ outcome }, 0);
      this.withdrawalPolls.inc({ outcome }, 0);
    }
    for (const stage of STAGES) {
      this.stageSeconds.zero({ stage });
      for (const outcome of ATTEMPT_OUTCOMES) if (outcome !== 'running') this.stages.inc({ stage, outcome }, 0);
    }
    for (const result of CLAIM_RESULTS) this.claims.inc({ result }, 0);
    for (const event of LIMIT_BACKEND_EVENTS) this.limitBackend.inc({ event }, 0);
    for (const state of REST_STATES) this.runRests.inc({ state }, 0);
    for (const kind of DIFFERENCES) this.reconciliationDifferences.inc({ kind }, 0);
    for (const kind of KINDS) this.differencesHealed.inc({ kind }, 0);
    this.setRemaining({});
    this.comparedAt.remove();
    for (const outcome of RECORDING_OUTCOMES) this.recordings.inc({ outcome }, 0);
    for (const outcome of WITHDRAWAL_OUTCOMES) this.withdrawals.inc({ outcome }, 0);
    for (const outcome of ATTESTATION_OUTCOMES) this.attestations.inc({ outcome }, 0);
    for (const outcome of DELIVERY_OUTCOMES) this.webhookDeliveries.inc({ outcome }, 0);
    this.layerTrusted.remove();
    for (const outcome of ['created', 'repeated']) this.registrations.inc({ outcome }, 0);
    for (const ledger of ['base', 'layer']) {
      for (const method of JOINED_METHODS) this.ledgerCallsJoined.inc({ ledger, method }, 0);
      for (const method of LEDGER_METHODS) {
        this.ledgerCallSeconds.zero({ ledger, method });
        for (const outcome of CALL_OUTCOMES) {
          if (outcome !== 'refused' || method === 'sendTransaction') {
            this.ledgerCalls.inc({ ledger, method, outcome }, 0);
          }
        }
      }
    }
    for (const outcome of LEASE_OUTCOMES) this.leaseRenewals.inc({ outcome }, 0);
    this.instances.set({ state: 'live' }, 1);
    this.instances.set({ state: 'expired' }, 0);
    this.setRuns({});
    // Not 0 before it is known: that would look like an empty account.
    this.authorityLamports.remove();
    this.authorityOpenings.remove();
    this.windowsCovered.remove();
  }

  /** Has something brought up to date before each scrape. It must end by itself soon; what it throws is let pass. */
  beforeScrape(source: () => Promise<void>): void {
    this.#sources.push(source);
  }

  /** Everything in Prometheus' text format. */
  async scrape(): Promise<string> {
    await Promise.allSettled(this.#sources.map((source) => source()));
    return this.registry.metrics();
  }

  /** How far the money of active schedules reaches; `least` undefined: nothing is known. */
  setFunds(funds: { readonly least: number | undefined; readonly low: number; readonly shortfall: number }): void {
    if (funds.least === undefined) this.windowsCovered.remove();
    else this.windowsCovered.set(funds.least);
    this.schedulesRunningDry.set(funds.low);
    this.fundingMissing.set(funds.shortfall);
  }

  /** Unfinished runs by state; states that are not given have none. */
  setRuns(counts: { readonly [State in RunState]?: number }): void {
    for (const state of RUN_STATES) {
      if (state !== 'cancelled' && state !== 'settled') this.runs.set({ state }, counts[state] ?? 0);
    }
  }

  /** Webhooks by state, and what waits to be sent to them; `oldestSeconds`: how long the most overdue has been. */
  setWebhooks(found: {
    readonly active: number;
    readonly failing: number;
    readonly disabled: number;
    readonly pending: number;
    readonly oldestSeconds: number;
  }): void {
    for (const state of ['active', 'failing', 'disabled'] as const) this.webhookEndpoints.set({ state }, found[state]);
    this.webhooksPending.set(found.pending);
    this.webhookOldestSeconds.set(found.oldestSeconds);
  }

  /** Registered schedules by status; statuses that are not given have none. */
  setSchedules(counts: { readonly [Status in ScheduleStatusName]?: number }): void {
    for (const status of SCHEDULE_STATUSES) this.schedulesRegistered.set({ status }, counts[status] ?? 0);
  }

  /** Differences that remain, by kind; kinds that are not given have none. */
  setRemaining(counts: { readonly [Kind in DifferenceKind]?: number }): void {
    for (const kind of KINDS) this.differencesRemaining.set({ kind }, counts[kind] ?? 0);
  }

  /** A try of a stage has ended. */
  attemptEnded(stage: Stage, outcome: Exclude<AttemptOutcome, 'running'>, seconds: number): void {
    this.stages.inc({ stage, outcome });
    this.stageSeconds.observe({ stage }, seconds);
  }

  /** So many differences of a kind were found. */
  differs(kind: DifferenceLabel, count = 1): void {
    this.reconciliationDifferences.inc({ kind }, count);
  }
}
