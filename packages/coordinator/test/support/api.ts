import { randomBytes } from 'node:crypto';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS, recipientsToJson, signRequest, systemTime } from '@payouts/client';
import { recordAnswer, recordPublic } from '@payouts/testing/record';
import { generateKeyPairSigner, type MessagePartialSigner } from '@solana/kit';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Api } from '../../src/http/httpServer.ts';
import { type ApiInput, createApi } from '../../src/http/server.ts';
import { connectGenesis } from '../../src/ledger/genesis.ts';
import { connectLanded } from '../../src/ledger/landed.ts';
import { connectBase, connectLayer } from '../../src/ledger/rpc.ts';
import { Silence } from '../../src/ledger/silence.ts';
import { RecipientIndex } from '../../src/lists/recipientIndex.ts';
import { NoticeBook } from '../../src/notices/noticeBook.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { localPayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import type { Database } from '../../src/store/db/openDatabase.ts';
import { WithdrawalBook } from '../../src/withdrawals/withdrawalBook.ts';
import { balancesOver } from './balances.ts';
import { countOf } from './counted.ts';
import type { LedgerStub } from './ledgerStub.ts';
import { keptLog } from './log.ts';
import type { Promised } from './promised.ts';
import type { TestStore } from './stores.ts';

/** An API, what it writes to its log and counts, and requests to it. */
export type TestApi = Awaited<ReturnType<typeof testApi>>;

/** Where requests are addressed to that need a name for it. */
export const HOST = 'coordinator.example';

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
) {
  const metrics = createMetrics();
  const { signal } = new AbortController();
  const { log, logged, lines } = keptLog(time);
  const source = { time, database: database.api, payloadKeys: input.payloadKeys ?? localPayloadKeys(randomBytes(32)) };
  const recipients = new RecipientIndex({ ...source, log, signal });
  const layer = connectLayer({ url: ledgerUrl, time, signal, metrics });
  const created = await createApi({
    ...source,
    base: connectBase({ url: ledgerUrl, time, signal, metrics }),
    layer,
    balances: balancesOver({ ...source, layer, log }),
    permissions: { areThere: async () => false },
    feeRelay: undefined,
    silences: { base: new Silence(time), layer: new Silence(time) },
    recipients,
    withdrawals: new WithdrawalBook(source),
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    landed: connectLanded({ url: ledgerUrl, time, signal, metrics }),
    issuer: await generateKeyPairSigner(),
    limits: NO_LIMITS,
    trustedProxies: [],
    bodyLimitBytes: 400_000,
    signatureMaxAgeSeconds: 300,
    origins: { listed: [`http://${HOST}`], isLoopback: true },
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
      ...dashboard,
    },
    pages: [],
    deployment: {
      readGenesis: connectGenesis({ url: ledgerUrl, time, signal, metrics }),
      browserRpcUrls: [],
      browserLayerUrls: [],
      layerIsPrivate: false,
    },
    eventStreams: 10,
    eventStreamsPerClient: 10,
    connectionsPerClient: 1_000,
    webhookAllowPrivate: false,
    notices: new NoticeBook({ ...source, spreadMs: 0 }),
    sendsMail: true,
    ...input,
  });
  created.addHook('onClose', async () => {
    recordPublic('log', logged());
    recordPublic('metrics', await metrics.scrape());
  });
  const api = recorded(created);
  return {
    api,
    metrics,
    logged,
    lines,
    recipients,
    /** A counter's value with these labels. */
    counted: (name: string, labels: Readonly<Record<string, string>>) => countOf(metrics, name, labels),
    /** Reads a path, signed if somebody signs. */
    async get(path: string, signer?: MessagePartialSigner) {
      const signed = signer && (await signRequest({ signer, url: `http://${HOST}${path}`, time: systemTime }));
      const response = await api.inject({ url: path, headers: { host: HOST, ...signed } });
      return { status: response.statusCode, headers: response.headers, body: response.json() };
    },
    /** Registers a schedule's list. */
    async register({ schedulePda, list }: Pick<Promised, 'schedulePda' | 'list'>): Promise<void> {
      const payload = { schedulePda, recipients: recipientsToJson(list.recipients) };
      const response = await api.inject({ method: 'POST', url: '/api/schedules', payload });
      expect(response.statusCode, response.body).toBe(201);
    },
  };
}

/** An API for the tests of a file or a `describe`, over a ledger if it is given; it is there once they run. */
export function useApi(store: TestStore, { ledger, ...input }: TestInput & { readonly ledger?: LedgerStub } = {}) {
  const service = {} as TestApi;
  beforeAll(async () => {
    Object.assign(service, await testApi(store.database, ledger?.url ?? 'http://127.0.0.1:1', input));
  });
  afterAll(() => service.api.close());
  return service;
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
