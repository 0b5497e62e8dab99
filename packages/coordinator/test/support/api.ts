import { randomBytes } from 'node:crypto';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS, systemTime } from '@payouts/client';
import { recordAnswer, recordPublic } from '@payouts/testing/record';
import { generateKeyPairSigner } from '@solana/kit';
import type { Api } from '../../src/http/httpServer.ts';
import { type ApiInput, createApi } from '../../src/http/server.ts';
import { connectLanded } from '../../src/ledger/landed.ts';
import { connectBase, connectLayer } from '../../src/ledger/rpc.ts';
import { RecipientIndex } from '../../src/lists/recipientIndex.ts';
import { createLogger } from '../../src/platform/log/log.ts';
import { createMetrics, type Metrics } from '../../src/platform/metrics.ts';
import { localPayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import type { Database } from '../../src/store/db/openDatabase.ts';
import { WithdrawalBook } from '../../src/withdrawals/withdrawalBook.ts';
import { countOf } from './counted.ts';

/** An API with all that it writes to its log and counts. */
export type TestApi = {
  readonly api: Api;
  readonly metrics: Metrics;
  readonly logged: () => string;
  /** A counter's value with these labels. */
  readonly counted: (name: string, labels: Readonly<Record<string, string>>) => Promise<number>;
};

/** Limits that no test reaches by accident. */
export const NO_LIMITS = {
  registrationsPerMinute: 1_000_000,
  registrationsAtATime: 1_000,
  readsPerMinute: 1_000_000,
  rateLimitStoreUrl: undefined,
  rateLimitDryRun: false,
};

type TestInput = Partial<Omit<ApiInput, 'dashboard'>> & { readonly dashboard?: Partial<ApiInput['dashboard']> };

/** The service's API over a database and a ledger's address, with what a test wants otherwise. Not yet listening. */
export async function testApi(
  database: Database,
  ledgerUrl: string,
  { dashboard, time = systemTime, ...input }: TestInput = {},
): Promise<TestApi> {
  let lines = '';
  const metrics = createMetrics();
  const { signal } = new AbortController();
  const log = createLogger({ level: 'trace', pretty: false, time, to: { write: (line: string) => (lines += line) } });
  const source = { time, database: database.api, payloadKeys: input.payloadKeys ?? localPayloadKeys(randomBytes(32)) };
  const api = await createApi({
    ...source,
    base: connectBase({ url: ledgerUrl, time, signal, metrics }),
    layer: connectLayer({ url: ledgerUrl, time, signal, metrics }),
    recipients: new RecipientIndex({ ...source, log, signal }),
    withdrawals: new WithdrawalBook(source),
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    landed: connectLanded({ url: ledgerUrl, time, signal, metrics }),
    issuer: await generateKeyPairSigner(),
    limits: NO_LIMITS,
    trustedProxies: [],
    bodyLimitBytes: 400_000,
    signatureMaxAgeSeconds: 300,
    requestTimeoutMs: 60_000,
    draining: new AbortController().signal,
    log,
    metrics,
    metricsAccess: { token: 'token-of-the-tests', isPublic: false },
    dashboard: {
      isPublic: false,
      operators: [],
      ledgerNow: () => BigInt(Math.floor(Date.now() / 1_000)),
      compare: () => Promise.reject(new Error('There is nothing to compare.')),
      pageFolder: undefined,
      ...dashboard,
    },
    eventStreams: 10,
    webhookAllowPrivate: false,
    ...input,
  });
  api.addHook('onClose', async () => {
    recordPublic('log', lines);
    recordPublic('metrics', await metrics.scrape());
  });
  return {
    api: recorded(api),
    metrics,
    logged: () => lines,
    counted: (name, labels) => countOf(metrics, name, labels),
  };
}

/** Notes what it answers without a connection; answers over one are noted where they arrive. */
function recorded(api: Api): Api {
  const inject = api.inject.bind(api) as (request: { url: string } | string) => ReturnType<typeof api.inject>;
  const answer = async (request: { url: string } | string) => {
    const response = await inject(request);
    const url = new URL(typeof request === 'string' ? request : String(request.url), 'http://service');
    recordAnswer(url.pathname, response.statusCode, JSON.stringify(response.headers), response.body);
    return response;
  };
  return Object.assign(api, { inject: answer });
}
