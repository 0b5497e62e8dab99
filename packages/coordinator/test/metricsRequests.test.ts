import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { addressFromBytes } from '@payouts/client';
import { expect, it } from 'vitest';
import type { Metrics } from '../src/platform/metrics.ts';
import { observedApi } from './support/observedApi.ts';
import { connectRaw } from './support/rawHttp.ts';
import { useStore } from './support/stores.ts';

const store = useStore();

/** A counter's series with these labels. */
async function count(metrics: Metrics, labels: Record<string, string>): Promise<number | undefined> {
  const { values } = await metrics.requests.get();
  const found = values.find((value) =>
    Object.entries(labels).every(([name, text]) => value.labels[name as 'route'] === text),
  );
  return found?.value;
}

it('counts requests under templates of routes, never under paths', async () => {
  const { api, metrics } = await observedApi(store);
  const address = addressFromBytes(randomBytes(32));
  for (const path of [
    `/api/schedules/${address}`,
    `/api/schedules/${address}/executions`,
    `/nothing/${address}?q=${address}`,
  ]) {
    await api.inject({ url: path });
  }
  await api.inject({ method: 'HEAD', url: '/api/health' });
  await api.inject({ method: 'DELETE', url: `/nothing/${address}` });
  const text = await metrics.scrape();
  expect(text).not.toContain(address);
  const by = (method: string, route: string, status: string) => count(metrics, { method, route, status });
  expect(await by('GET', '/api/schedules/:schedulePda', '404')).toBe(1);
  expect(await by('GET', '/api/schedules/:schedulePda/executions', '404')).toBe(1);
  expect(await by('GET', 'unmatched', '404')).toBe(1);
  expect(await by('DELETE', 'unmatched', '404')).toBe(1);
  expect(await by('HEAD', '/api/health', '200')).toBe(1);
  expect(text).toMatch(
    /^service_api_request_duration_seconds_count\{method="GET",route="\/api\/schedules\/:schedulePda"\} 1$/m,
  );
});

it('has every route from the start, so that its first failure is seen as an increase', async () => {
  const { metrics } = await observedApi(store);
  for (const route of ['/api/health', '/api/metrics', '/api/schedules/:schedulePda']) {
    for (const status of ['200', '500', '503']) expect(await count(metrics, { method: 'GET', route, status })).toBe(0);
  }
  const text = await metrics.scrape();
  expect(text).toContain('service_api_rate_limit_decisions_total{route="/api/schedules",outcome="limited"} 0');
  expect(text).toContain('service_api_concurrency_limit_decisions_total{route="/api/schedules",outcome="limited"} 0');
});

it('counts what is malformed, on the way to a route and before', async () => {
  const { api, metrics } = await observedApi(store);
  await api.inject({ url: '/api/schedules/%ZZ' });
  expect(await count(metrics, { route: 'unmatched', status: '400', method: 'GET' })).toBe(1);
  const { socket, ended } = connectRaw(await api.listen({ host: '127.0.0.1', port: 0 }));
  socket.write('nonsense\r\n\r\n');
  await ended;
  expect(await count(metrics, { route: 'unmatched', status: '400', method: 'OTHER' })).toBe(1);
});

it('counts a request whose client has gone as aborted, once', async () => {
  const { api, metrics } = await observedApi(store);
  const { socket } = connectRaw(await api.listen({ host: '127.0.0.1', port: 0 }));
  const begun = once(api.server, 'request');
  socket.write(
    `POST /api/schedules HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"sch`,
  );
  await begun;
  socket.destroy();
  const aborted = () => count(metrics, { method: 'POST', route: '/api/schedules', status: 'aborted' });
  await expect.poll(aborted).toBe(1);
  const { values } = await metrics.requests.get();
  expect(values.reduce((sum, { value }) => sum + value, 0)).toBe(1);
});

it('counts registrations by their outcome', async () => {
  const { api, metrics, ledger } = await observedApi(store);
  const outcomes = async () =>
    Object.fromEntries((await metrics.registrations.get()).values.map(({ labels, value }) => [labels.outcome, value]));
  const post = (payload: string) =>
    api.inject({ method: 'POST', url: '/api/schedules', headers: { 'content-type': 'application/json' }, payload });
  expect(await outcomes()).toEqual({ created: 0, repeated: 0 });
  await post('{');
  const entry = { index: 0, recipient: addressFromBytes(randomBytes(32)), amount: '5', salt: '00'.repeat(16) };
  const body = JSON.stringify({ schedulePda: addressFromBytes(randomBytes(32)), recipients: [entry] });
  ledger.isBroken = true;
  await post(body);
  expect(await outcomes()).toEqual({ created: 0, repeated: 0, 'invalid-json': 1, 'ledger-unavailable': 1 });
});
