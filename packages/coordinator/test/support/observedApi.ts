import { afterAll, onTestFinished } from 'vitest';
import type { Api } from '../../src/http/httpServer.ts';
import type { MetricsAccess } from '../../src/http/routes/metrics.ts';
import type { Metrics } from '../../src/platform/metrics.ts';
import { testApi } from './api.ts';
import { LedgerStub } from './ledgerStub.ts';
import { openStore } from './stores.ts';

/** The tests of a file share a database, in which nothing is stored. */
let shared: ReturnType<typeof openStore> | undefined;
afterAll(async () => {
  const store = await shared;
  await store?.database.close();
  await store?.server?.remove();
});

/** The API over an empty database, whose requests a test counts. It goes away with the test. */
export async function observedApi(
  metricsAccess: MetricsAccess = { token: undefined, isPublic: true },
): Promise<{ api: Api; metrics: Metrics; ledger: LedgerStub }> {
  shared ??= openStore('PostgreSQL');
  const { database } = await shared;
  const ledger = await LedgerStub.start();
  const { api, metrics } = await testApi(database, ledger.url, { metricsAccess });
  onTestFinished(async () => {
    await api.close();
    await ledger.stop();
  });
  return { api, metrics, ledger };
}
