import type { Time } from '@payouts/client';
import { Registry } from 'prom-client';
import { definer } from './metrics/define.ts';
import { fundsMetrics } from './metrics/funds.ts';
import { httpMetrics } from './metrics/http.ts';
import { ledgerMetrics } from './metrics/ledgers.ts';
import { processMetrics } from './metrics/processes.ts';
import { reconciliationMetrics } from './metrics/reconciliation.ts';
import { runMetrics } from './metrics/runs.ts';
import { webhookMetrics } from './metrics/webhooks.ts';
import { withdrawalMetrics } from './metrics/withdrawals.ts';

/**
 * Everything the service counts. Labels are closed sets: no address, amount or raw path is ever a label. What can be counted stands
 * there with 0 from the start.
 */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const define = definer(registry);
  const sources: (() => Promise<void>)[] = [];
  return {
    ...runMetrics(define),
    ...fundsMetrics(define),
    ...withdrawalMetrics(define),
    ...reconciliationMetrics(define),
    ...ledgerMetrics(define),
    ...httpMetrics(define),
    ...webhookMetrics(define),
    ...processMetrics(define),
    registry,
    /** Has something brought up to date before each scrape. It must end by itself soon; what it throws is let pass. */
    beforeScrape(source: () => Promise<void>): void {
      sources.push(source);
    },
    /** Everything in Prometheus' text format. */
    async scrape(): Promise<string> {
      await Promise.allSettled(sources.map((source) => source()));
      return registry.metrics();
    },
  };
}

/** Seconds that have passed since `began`, a reading of `time.monotonic()`. */
export const secondsSince = (time: Pick<Time, 'monotonic'>, began: number): number =>
  (time.monotonic() - began) / 1_000;
