import type { Time } from '@payouts/client';
import type { Gauge } from 'prom-client';
import { CONDITIONS } from '../domain/conditions.ts';
import { KINDS } from '../domain/differences.ts';
import { SCHEDULE_STATUSES } from '../domain/schedule.ts';
import { UNFINISHED } from '../platform/metrics/runs.ts';
import type { Metrics } from '../platform/metrics.ts';
import { withTimeout } from '../platform/withTimeout.ts';
import type { Database } from '../store/db/openDatabase.ts';
import { countConditions } from '../store/queries/conditions.ts';
import { countFunds } from '../store/queries/funds.ts';
import { countSchedulesByStatus, countWork } from '../store/queries/gauges.ts';
import { lastRound } from '../store/queries/reconciliation.ts';
import { countWithoutSize } from '../store/queries/rounds.ts';
import { countBalancePlaces } from '../store/queries/slots.ts';
import { countWebhooks } from '../store/queries/webhookMessages.ts';

/** Milliseconds that what was read counts as current. */
const CURRENT_MS = 4_000;
/** The same for the numbers of schedules, pages and tokens, which are counted row by row and change slowly. */
const SCHEDULES_CURRENT_MS = 60_000;
/** Fewer covered windows than these are few. */
const FEW_WINDOWS = 2;
/** Milliseconds that a scrape waits for the database. */
const WITHIN_MS = 1_500;

export type StoreObserverInput = {
  readonly metrics: Metrics;
  readonly store: Database;
  /** The base ledger's time in unix seconds. */
  readonly now: () => bigint;
  readonly time: Time;
};

/** Sets a gauge under each value of its label; what was not counted is none. */
function setEach<Value extends string>(
  gauge: Gauge,
  values: readonly Value[],
  counts: { readonly [Each in Value]?: number },
): void {
  for (const value of values) gauge.labels(value).set(counts[value] ?? 0);
}

/**
 * Reads the gauges that come from the database before a scrape. One reading at a time, however many scrapes; a database that
 * doesn't answer makes a scrape late by `WITHIN_MS` once, and then not at all until it answers.
 */
export function observeStore({ metrics, store, now, time }: StoreObserverInput): void {
  // The embedded database has one pool for everything.
  const pools = Object.entries({ runs: store.pool, ...(store.kind === 'server' && { api: store.apiPool }) });
  let readAt = Number.NEGATIVE_INFINITY;
  let schedulesAt = Number.NEGATIVE_INFINITY;
  let reading: { readonly done: Promise<boolean>; readonly began: number } | undefined;

  const read = async (): Promise<void> => {
    const at = now();
    const { runs, fundingShort, dueSince } = await countWork(store.api, at);
    setEach(metrics.runs, UNFINISHED, runs);
    metrics.fundingShortfall.set(fundingShort);
    metrics.overdueSeconds.set(dueSince === undefined || dueSince > at ? 0 : Number(at - dueSince));
    const { least, low, shortfall } = await countFunds(store.api, FEW_WINDOWS);
    if (least === undefined) metrics.windowsCovered.remove();
    else metrics.windowsCovered.set(least);
    metrics.schedulesRunningDry.set(low);
    metrics.fundingMissing.set(shortfall);
    setEach(metrics.conditions, CONDITIONS, await countConditions(store.api));
    const { remaining, endedAt } = await lastRound(store.api);
    setEach(metrics.differencesRemaining, KINDS, remaining);
    const webhooks = await countWebhooks(store.api);
    setEach(metrics.webhookEndpoints, ['active', 'failing', 'disabled'], webhooks);
    metrics.webhooksPending.set(webhooks.pending);
    metrics.webhookOldestSeconds.set(webhooks.oldestSeconds);
    if (endedAt !== undefined) metrics.comparedAt.set(endedAt);
    if (time.monotonic() - schedulesAt < SCHEDULES_CURRENT_MS) return;
    setEach(metrics.schedulesRegistered, SCHEDULE_STATUSES, await countSchedulesByStatus(store.api));
    metrics.layerBalances.set({ kind: 'given' }, await countBalancePlaces(store.api));
    metrics.partSizesMissing.set(await countWithoutSize(store.api));
    schedulesAt = time.monotonic();
  };

  /** Resolves to whether the database has answered. */
  const begin = (): Promise<boolean> => {
    const done = read().then(
      () => {
        readAt = time.monotonic();
        return true;
      },
      () => false,
    );
    reading = { done, began: time.monotonic() };
    done.finally(() => {
      reading = undefined;
    });
    return done;
  };

  metrics.beforeScrape(async () => {
    for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
      metrics.databaseConnections.set({ pool, state: 'in-use' }, totalCount - idleCount);
      metrics.databaseConnections.set({ pool, state: 'idle' }, idleCount);
      metrics.databaseConnections.set({ pool, state: 'waiting' }, waitingCount);
    }
    if (time.monotonic() - readAt < CURRENT_MS) return metrics.databaseUp.set(1);
    const current = reading;
    const left = current === undefined ? WITHIN_MS : WITHIN_MS - (time.monotonic() - current.began);
    const isUp = await withTimeout(time, Math.max(0, left), current?.done ?? begin());
    metrics.databaseUp.set(isUp === true ? 1 : 0);
  });
}
