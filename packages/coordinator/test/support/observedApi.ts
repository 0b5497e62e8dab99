import { onTestFinished } from 'vitest';
import type { MetricsAccess } from '../../src/http/routes/metrics.ts';
import { testApi } from './api.ts';
import { LedgerStub } from './ledgerStub.ts';
import type { TestStore } from './stores.ts';

/** The API over an empty database, whose requests a test counts. It goes away with the test. */
export async function observedApi(
  store: TestStore,
  metricsAccess: MetricsAccess = { token: undefined, isPublic: true },
) {
  const ledger = new LedgerStub();
  await ledger.start();
  const { api, metrics } = await testApi(store.database, ledger.url, { metricsAccess });
  onTestFinished(async () => {
    await api.close();
    await ledger.stop();
  });
  return { api, metrics, ledger };
}
