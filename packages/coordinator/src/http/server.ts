import type { FastifyInstance } from 'fastify';
import type { Balances } from '../balances/balances.ts';
import type { FeePayer } from '../feeRelay/feeRelay.ts';
import type { ExecutionLayer } from '../ledger/ledger.ts';
import type { ReadPermissions } from '../ledger/readPermissions.ts';
import type { Silences } from '../ledger/silence.ts';
import { AddressChanges } from '../lists/addressChanges.ts';
import { ListProofs } from '../lists/listProofs.ts';
import { ListSeal } from '../lists/listSeal.ts';
import type { RecipientIndex } from '../lists/recipientIndex.ts';
import type { NoticeBook } from '../notices/noticeBook.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { EventFeed } from '../webhooks/events/feed.ts';
import type { WithdrawalBook } from '../withdrawals/withdrawalBook.ts';
import type { AddressChangesRouteInput } from './addressChanges.ts';
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
import type { PrivateReadsInput } from './privateReads.ts';
import type { RegistrarInput } from './registration.ts';
import { answerInvitationRoute } from './routes/answerInvitation.ts';
import { confirmNoticeRoute } from './routes/confirmNotice.ts';
import { createAddressChangeRoute } from './routes/createAddressChange.ts';
import { createGrantRoute } from './routes/createGrant.ts';
import { createInvitationsRoute } from './routes/createInvitations.ts';
import { createNoticeRoute } from './routes/createNotice.ts';
import { createWebhookRoute } from './routes/createWebhook.ts';
import { exportPayslipsRoute } from './routes/exportPayslips.ts';
import { followEventsRoute } from './routes/followEvents.ts';
import { givePaymentCodeRoute } from './routes/givePaymentCode.ts';
import { healthRoute } from './routes/health.ts';
import { listAddressChangesRoute } from './routes/listAddressChanges.ts';
import { listDeliveriesRoute } from './routes/listDeliveries.ts';
import { listExecutionsRoute } from './routes/listExecutions.ts';
import { listGrantsRoute } from './routes/listGrants.ts';
import { listHeldGrantsRoute } from './routes/listHeldGrants.ts';
import { listInvitationsRoute } from './routes/listInvitations.ts';
import { listNoticesRoute } from './routes/listNotices.ts';
import { listWebhooksRoute } from './routes/listWebhooks.ts';
import { type MetricsAccess, metricsRoute } from './routes/metrics.ts';
import { openInvitationRoute } from './routes/openInvitation.ts';
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
import { removeAddressChangeRoute } from './routes/removeAddressChange.ts';
import { removeInvitationRoute } from './routes/removeInvitation.ts';
import { removeNoticeRoute } from './routes/removeNotice.ts';
import { removeWebhookRoute } from './routes/removeWebhook.ts';
import { replayWebhookRoute } from './routes/replayWebhook.ts';
import { revokeGrantRoute } from './routes/revokeGrant.ts';
import { rotateWebhookRoute } from './routes/rotateWebhook.ts';
import { sendTransactionRoute } from './routes/sendTransaction.ts';
import { testWebhookRoute } from './routes/testWebhook.ts';
import { unsubscribeRoutes } from './routes/unsubscribe.ts';
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
    readonly notices: NoticeBook;
    /** Whether e-mail can be sent. */
    readonly sendsMail: boolean;
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
    listNoticesRoute(api, reads);
    removeNoticeRoute(api, reads);
    const changes = { ...reads, changes: new AddressChanges(input) };
    invitationRoutes(api, changes);
    listGrantsRoute(api, reads);
    listHeldGrantsRoute(api, reads);
    readNamedRoute(api, reads);
    revokeGrantRoute(api, reads);
    await api.register(async (signed) => signedBodyRoutes(signed as Api, changes));
    await api.register(async (forms) => unsubscribeRoutes(forms as Api, input));
  });
  await serveDocument(server);
  return app;
}

/** By what people tell an employer to which address they are to be paid. */
function invitationRoutes(api: Api, reads: AddressChangesRouteInput): void {
  listInvitationsRoute(api, reads);
  removeInvitationRoute(api, reads);
  openInvitationRoute(api, reads);
  answerInvitationRoute(api, reads);
  listAddressChangesRoute(api, reads);
  removeAddressChangeRoute(api, reads);
}

/** Routes whose signature is about what is sent as well. */
function signedBodyRoutes(api: Api, reads: PrivateReadsInput & ApiInput & AddressChangesRouteInput): void {
  hashBodies(api);
  createGrantRoute(api, reads);
  givePaymentCodeRoute(api, reads);
  createWebhookRoute(api, reads);
  replayWebhookRoute(api, reads);
  createNoticeRoute(api, reads);
  confirmNoticeRoute(api, reads);
  createInvitationsRoute(api, reads);
  createAddressChangeRoute(api, reads);
}

async function servePages(api: Api, { pages, deployment }: Pick<ApiInput, 'pages' | 'deployment'>): Promise<void> {
  const ledgers = [...deployment.browserRpcUrls, ...deployment.browserLayerUrls];
  for (const page of pages) await servePage(api, page, ledgers);
}
