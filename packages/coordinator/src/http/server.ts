import type { FastifyInstance } from 'fastify';
import type { Balances } from '../balances/balances.ts';
import type { FeePayer } from '../feeRelay/feeRelay.ts';
import type { ExecutionLayer } from '../ledger/ledger.ts';
import type { ReadPermissions } from '../ledger/readPermissions.ts';
import type { Silences } from '../ledger/silence.ts';
import { ListProofs } from '../lists/listProofs.ts';
import { ListSeal } from '../lists/listSeal.ts';
import type { RecipientIndex } from '../lists/recipientIndex.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { EventFeed } from '../webhooks/events/feed.ts';
import type { WithdrawalBook } from '../withdrawals/withdrawalBook.ts';
import { type DashboardSettings, dashboardRoutes } from './dashboard/routes.ts';
import { answerErrors } from './errors.ts';
import { HealthProbe } from './healthProbe.ts';
import { type Api, type HttpInput, httpServer } from './httpServer.ts';
import { createLimits, type LimitsInput } from './limits/limits.ts';
import { collectDocument, serveDocument } from './plugins/documents.ts';
import { refuseWhileDraining } from './plugins/draining.ts';
import { encryptPrivateAnswers } from './plugins/encryption.ts';
import { fillPrivateAnswers } from './plugins/filling.ts';
import { setHeaders } from './plugins/headers.ts';
import { limitRequests } from './plugins/limits.ts';
import { type Page, servePage } from './plugins/page.ts';
import { refuseUnknownQueries } from './plugins/queries.ts';
import { refuseMalformedHeads } from './plugins/requestHeads.ts';
import { countRequests } from './plugins/requestMetrics.ts';
import { refuseUnmatched } from './plugins/unmatched.ts';
import type { RegistrarInput } from './registration.ts';
import { createGrantRoute } from './routes/createGrant.ts';
import { createWebhookRoute } from './routes/createWebhook.ts';
import { exportPayslipsRoute } from './routes/exportPayslips.ts';
import { followEventsRoute } from './routes/followEvents.ts';
import { healthRoute } from './routes/health.ts';
import { listDeliveriesRoute } from './routes/listDeliveries.ts';
import { listExecutionsRoute } from './routes/listExecutions.ts';
import { listGrantsRoute } from './routes/listGrants.ts';
import { listHeldGrantsRoute } from './routes/listHeldGrants.ts';
import { listWebhooksRoute } from './routes/listWebhooks.ts';
import { type MetricsAccess, metricsRoute } from './routes/metrics.ts';
import { readAuditRoute } from './routes/readAudit.ts';
import { readBalancesRoute } from './routes/readBalances.ts';
import { type DeploymentInput, readDeploymentRoute } from './routes/readDeployment.ts';
import { readHistoryRoute } from './routes/readHistory.ts';
import { readNamedRoute } from './routes/readNamed.ts';
import { readPayslipsRoute } from './routes/readPayslips.ts';
import { readProofsRoute } from './routes/readProofs.ts';
import { readRecipientRoute } from './routes/readRecipient.ts';
import { readRecipientsRoute } from './routes/readRecipients.ts';
import { readRoundsRoute } from './routes/readRounds.ts';
import { readScheduleRoute } from './routes/readSchedule.ts';
import { registerScheduleRoute } from './routes/registerSchedule.ts';
import { relayTransferRoute } from './routes/relayTransfer.ts';
import { removeWebhookRoute } from './routes/removeWebhook.ts';
import { replayWebhookRoute } from './routes/replayWebhook.ts';
import { revokeGrantRoute } from './routes/revokeGrant.ts';
import { rotateWebhookRoute } from './routes/rotateWebhook.ts';
import { sendTransactionRoute } from './routes/sendTransaction.ts';
import { testWebhookRoute } from './routes/testWebhook.ts';
import { SettledWindows, type SettledWindowsInput } from './settledWindows.ts';
import { hashBodies } from './signatures/bodyDigest.ts';
import type { Origins } from './signatures/origins.ts';

export type ApiInput = RegistrarInput &
  HttpInput &
  Pick<SettledWindowsInput, 'issuer' | 'landed'> & {
    readonly layer: ExecutionLayer;
    readonly silences: Silences;
    readonly recipients: RecipientIndex;
    readonly withdrawals: WithdrawalBook;
    readonly balances: Balances;
    readonly permissions: Pick<ReadPermissions, 'areThere'>;
    /** Pays the fees of transfers from fresh wallets; undefined: nobody does. */
    readonly feeRelay: FeePayer | undefined;
    readonly limits: LimitsInput;
    readonly bodyLimitBytes: number;
    /** How long a signed request is good, in seconds. */
    readonly signatureMaxAgeSeconds: number;
    readonly origins: Origins;
    /** Aborted when the service is about to stop: new requests are refused, those under way finish. */
    readonly draining: AbortSignal;
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly metricsAccess: MetricsAccess;
    readonly dashboard: DashboardSettings;
    readonly deployment: DeploymentInput;
    readonly pages: readonly Page[];
    /** Streams of events at a time. */
    readonly eventStreams: number;
    /** Of these, streams that a client may have. */
    readonly eventStreamsPerClient: number;
    /** Whether webhooks may be in private networks. */
    readonly webhookAllowPrivate: boolean;
  };

/** The HTTP API, not yet listening. */
export async function createApi(input: ApiInput): Promise<Api> {
  const { database, silences, draining, time, log, metrics } = input;
  const app = httpServer(input);
  const server = app as unknown as FastifyInstance;
  countRequests(server, input);
  answerErrors(server, log);
  await setHeaders(server);
  fillPrivateAnswers(server);
  encryptPrivateAnswers(server);
  refuseWhileDraining(server, draining);
  limitRequests(server, { limits: createLimits(input.limits, input), log, metrics, time });
  refuseMalformedHeads(server);
  refuseUnmatched(server);
  refuseUnknownQueries(server);
  await collectDocument(server);
  await app.register(async (scope) => {
    const api = scope as Api;
    const health = new HealthProbe(database, time);
    healthRoute(api, { probe: health, silences, time, draining });
    metricsRoute(api, metrics, input.metricsAccess);
    const listSeal = new ListSeal(input);
    registerScheduleRoute(api, {
      ...input,
      listSeal,
      onStored: (list, records) => {
        health.forget();
        input.onStored?.(list, records);
      },
    });
    readScheduleRoute(api, input);
    listExecutionsRoute(api, database);
    readRoundsRoute(api, input);
    const reads = { ...input, proofs: new ListProofs(input), windows: new SettledWindows(input) };
    readRecipientsRoute(api, reads);
    readRecipientRoute(api, reads);
    readBalancesRoute(api, reads);
    readHistoryRoute(api, reads);
    readProofsRoute(api, reads);
    sendTransactionRoute(api, reads);
    relayTransferRoute(api, input.feeRelay);
    await dashboardRoutes(api, reads);
    readDeploymentRoute(api, { ...input, listSeal });
    await servePages(api, input);
    readPayslipsRoute(api, reads);
    exportPayslipsRoute(api, reads);
    readAuditRoute(api, reads);
    const feed = new EventFeed({ database, time, log, metrics, signal: draining });
    followEventsRoute(api, {
      ...input,
      feed,
      mostStreams: input.eventStreams,
      streamsPerClient: input.eventStreamsPerClient,
    });
    listWebhooksRoute(api, reads);
    removeWebhookRoute(api, reads);
    rotateWebhookRoute(api, reads);
    testWebhookRoute(api, reads);
    listDeliveriesRoute(api, reads);
    listGrantsRoute(api, reads);
    listHeldGrantsRoute(api, reads);
    readNamedRoute(api, reads);
    revokeGrantRoute(api, reads);
    await api.register(async (signed) => {
      hashBodies(signed as Api);
      createGrantRoute(signed as Api, reads);
      createWebhookRoute(signed as Api, reads);
      replayWebhookRoute(signed as Api, reads);
    });
  });
  await serveDocument(server);
  return app;
}

async function servePages(api: Api, { pages, deployment }: Pick<ApiInput, 'pages' | 'deployment'>): Promise<void> {
  const ledgers = [...deployment.browserRpcUrls, ...deployment.browserLayerUrls];
  for (const page of pages) await servePage(api, page, ledgers);
}
