import { afterAll, onTestFinished } from 'vitest';
import type { Api } from '../../src/api/httpServer.ts';
import type { MetricsAccess } from '../../src/api/routes/metrics.ts';
import type { Metrics } from '../../src/metrics.ts';
import { testApi } from './api.ts';
import { LedgerStub } from './ledgerStub.ts';
import { openStore } from './stores.ts';

/** Creating a database takes seconds; the tests of a file share one, in which nothing is stored. */
let shared: ReturnType<typeof openStore> | undefined;
afterAll(async () => (await shared)?.database.close());

/** The API over an empty embedded database, whose requests a test counts. It goes away with the test. */
export async function observedApi(
  metricsAccess: MetricsAccess = { token: undefined, isPublic: true },
): Promise<{ api: Api; metrics: Metrics; ledger: LedgerStub }> {
  shared ??= openStore('PGlite');
  const { database } = await shared;
  const ledger = await LedgerStub.start();
  const { api, metrics } = await testApi(database, ledger.url, { metricsAccess });
  onTestFinished(async () => {
    await api.close();
    await ledger.stop();
  });
  return { api, metrics, ledger };
}
