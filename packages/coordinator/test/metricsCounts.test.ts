import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { addressFromBytes, systemTime } from '@payouts/client';
import type { Counter } from 'prom-client';
import { expect, it } from 'vitest';
import { connectBase } from '../src/ledger/rpc.ts';
import { observeProcess } from '../src/monitoring/process.ts';
import { metricsTable } from '../src/monitoring/reference.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { recordClaims } from '../src/runs/progress.ts';
import { sqlRunStore } from '../src/store/runStore.ts';
import { addSchedule } from './support/addSchedule.ts';
import { useLedger } from './support/ledgerStub.ts';
import { addRun, begin } from './support/runs.ts';
import { useStore } from './support/stores.ts';

const store = useStore('PGlite');
const ledger = useLedger();

const values = async (counter: Counter<string>, label: string): Promise<Record<string, number>> =>
  Object.fromEntries((await counter.get()).values.map(({ labels, value }) => [String(labels[label]), value]));

it('has the names and labels that the design fixes', async () => {
  const text = await createMetrics().scrape();
  for (const series of [
    'service_scheduler_polls_total{outcome="ok"} 0',
    'service_scheduler_polls_total{outcome="failed"} 0',
    'service_schedules_detected_due_total 0',
    'service_execution_runs_created_total 0',
    'service_execution_stage_total{stage="claim",outcome="retried"} 0',
    'service_claim_results_total{result="paid"} 0',
    'service_api_rate_limit_backend_events_total{event="memory-fallback"} 0',
  ]) {
    expect(text).toContain(`${series}\n`);
  }
  for (const [name, type] of [
    ['service_api_requests_total', 'counter'],
    ['service_api_request_duration_seconds', 'histogram'],
    ['service_api_rate_limit_decisions_total', 'counter'],
    ['service_api_concurrency_limit_decisions_total', 'counter'],
  ]) {
    expect(text).toContain(`# TYPE ${name} ${type}\n`);
  }
});

it('shows no balance of the authority before it is known', async () => {
  const metrics = createMetrics();
  expect(await metrics.scrape()).not.toMatch(/^service_authority_balance_lamports/m);
  metrics.authorityLamports.set(5);
  expect(await metrics.scrape()).toMatch(/^service_authority_balance_lamports 5$/m);
});

it('counts a recipient of a window once, whoever records the progress and however often', async () => {
  const schedule = await addSchedule(store.query, {});
  const key = { schedule, window: 0n };
  await addRun(store.query, key, { recipients: 90 });
  const { attemptId: id } = await begin(store.query, key, 'claim', 1);
  const first = createMetrics();
  const second = createMetrics();
  const runs = sqlRunStore(store.query);
  await recordClaims({ store: runs, metrics: first }, id, { paid: 40 });
  await recordClaims({ store: runs, metrics: first }, id, { paid: 40 });
  await Promise.all([first, second].map((metrics) => recordClaims({ store: runs, metrics }, id, { paid: 70 })));
  await recordClaims({ store: runs, metrics: second }, id, { paid: 90 });
  const paid = [await values(first.claims, 'result'), await values(second.claims, 'result')].map(({ paid }) => paid);
  expect(paid.reduce((sum = 0, one = 0) => sum + one, 0)).toBe(90);
});

it('counts every call to a ledger, repeated ones among them', async () => {
  const metrics = createMetrics();
  const base = connectBase({ url: ledger.url, time: systemTime, signal: new AbortController().signal, metrics });
  const address = addressFromBytes(randomBytes(32));
  await base.accounts([address]);
  ledger.isBroken = true;
  await expect(base.accounts([address])).rejects.toThrow('The base ledger does not answer.');
  const text = await metrics.scrape();
  const calls = 'service_ledger_calls_total{ledger="base",method="getMultipleAccounts"';
  expect(text).toContain(`${calls},outcome="ok"} 1\n`);
  expect(text).toContain(`${calls},outcome="failed"} 3\n`);
  expect(text).toContain('service_ledger_call_duration_seconds_count{ledger="base",method="getMultipleAccounts"} 4\n');
});

it('has its reference in the documentation, as it is', () => {
  const metrics = createMetrics();
  observeProcess(metrics);
  const reference = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');
  // Written by `npm run coordinator -- metrics`.
  expect(reference).toContain(metricsTable(metrics));
});
