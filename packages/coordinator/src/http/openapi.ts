import { randomBytes } from 'node:crypto';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS, type Time } from '@payouts/client';
import { createNoopSigner } from '@solana/kit';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { Balances } from '../balances/balances.ts';
import { connectBase, connectLayer } from '../ledger/rpc.ts';
import { Silence } from '../ledger/silence.ts';
import { RecipientIndex } from '../lists/recipientIndex.ts';
import { NoticeBook } from '../notices/noticeBook.ts';
import { createLogger } from '../platform/log/log.ts';
import { createMetrics } from '../platform/metrics.ts';
import { sqlBalanceStore } from '../store/balanceStore.ts';
import { localPayloadKeys } from '../store/crypto/payloadKeys.ts';
import type { Tables } from '../store/schema.ts';
import { WithdrawalBook } from '../withdrawals/withdrawalBook.ts';
import { createApi } from './server.ts';

/** A database that nobody asks. */
const nowhere = () =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });

/** The OpenAPI document, without a running service: JSON text, the same each time. */
export async function openApiDocument(time: Time): Promise<string> {
  const signal = new AbortController().signal;
  const metrics = createMetrics();
  const log = createLogger({ level: 'silent', pretty: false, time });
  const source = { database: nowhere(), payloadKeys: localPayloadKeys(randomBytes(32)), time };
  const connection = { url: 'http://127.0.0.1', time, signal, metrics };
  const layer = connectLayer(connection);
  const api = await createApi({
    ...source,
    base: connectBase(connection),
    layer,
    silences: { base: new Silence(time), layer: new Silence(time) },
    recipients: new RecipientIndex({ ...source, log, signal }),
    withdrawals: new WithdrawalBook(source),
    balances: new Balances({
      ...{ store: sqlBalanceStore(source.database, source.payloadKeys), layer, time, log },
      ...{
        program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
        randomBelow: () => 0,
        newNonce: () => randomBytes(16),
        mostBalances: 0,
      },
    }),
    permissions: { areThere: async () => false },
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    landed: async () => undefined,
    issuer: createNoopSigner(PAYOUT_LEDGER_PROGRAM_ADDRESS),
    feeRelay: undefined,
    limits: {
      registrationsPerMinute: 1,
      registrationsAtATime: 1,
      readsPerMinute: 1,
      rateLimitStoreUrl: undefined,
      rateLimitDryRun: false,
    },
    trustedProxies: [],
    bodyLimitBytes: 1,
    signatureMaxAgeSeconds: 1,
    origins: { listed: [], isLoopback: false },
    requestTimeoutMs: 1_000,
    draining: signal,
    log,
    metrics,
    metricsAccess: { token: undefined, isPublic: false },
    dashboard: {
      isPublic: false,
      operators: [],
      ledgerNow: () => 0n,
      compare: () => Promise.reject(new Error('There is nothing to compare.')),
    },
    pages: [],
    deployment: {
      readGenesis: () => Promise.reject(new Error('There is no ledger.')),
      browserRpcUrls: [],
      browserLayerUrls: [],
      layerIsPrivate: false,
    },
    eventStreams: 1,
    eventStreamsPerClient: 1,
    connectionsPerClient: 1,
    notices: new NoticeBook({ ...source, spreadMs: 0 }),
    sendsMail: true,
    webhookAllowPrivate: false,
  });
  await api.ready();
  const document = JSON.stringify(api.swagger(), null, 2);
  await api.close();
  return `${document}\n`;
}
